/** What the answers of a database mean for callers. */
import { expect, it } from 'vitest';
import { storageErrorOf } from '../../../src/storage/postgres/failures.ts';

it.each([
  ['58030', 'STORAGE_UNAVAILABLE'],
  ['53100', 'STORAGE_UNAVAILABLE'],
  ['XX001', 'STORAGE_IO'],
])('SQLSTATE %s is %s', (code, expected) => {
  const answer = Object.assign(new Error('could not write block 7'), { code, severity: 'ERROR' });
  expect(storageErrorOf(answer)).toMatchObject({ code: expected, message: expect.stringContaining(code) });
});
