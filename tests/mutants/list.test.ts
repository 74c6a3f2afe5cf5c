/** The list of mutants follows the code: `npm run test:mutants` takes too long to be the one to find out. */
import { expect, test } from 'vitest';
import { MUTANTS } from './list/all.ts';
import { staleness } from './mutant.ts';

test('every mutant can be made: what it takes out stands in its file just once', () => {
  expect(MUTANTS.length).toBeGreaterThan(150);
  expect(MUTANTS.flatMap(staleness)).toEqual([]);
});
