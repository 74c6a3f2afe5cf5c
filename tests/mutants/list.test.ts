/**
 * The list of mutants matches the code. This runs in every test run, because `npm run test:mutants` takes too long to
 * find it out.
 */
import { expect, test } from 'vitest';
import { MUTANTS } from './list/all.ts';
import { staleness } from './mutant.ts';

test('every mutant can be made: what it takes out stands in its file just once', () => {
  expect(MUTANTS.length).toBeGreaterThan(150);
  expect(MUTANTS.flatMap(staleness)).toEqual([]);
});
