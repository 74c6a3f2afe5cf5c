/** What the answers of a database mean for callers. */
import { expect, it } from 'vitest';
import { storageErrorOf } from '../../../src/storage/postgres/failures.ts';

it.each([
  ['58030', 'STORAGE_UNAVAILABLE', 'cannot read or write its files'],
  ['53100', 'STORAGE_UNAVAILABLE', 'The disk of the database is full. '],
  ['53200', 'STORAGE_UNAVAILABLE', 'lacks room, memory or connections'],
  ['53300', 'STORAGE_UNAVAILABLE', 'no connection left'],
  ['XX001', 'STORAGE_IO', 'could not write block 7'],
])('SQLSTATE %s is %s', (code, expected, words) => {
  const answer = Object.assign(new Error('could not write block 7'), { code, severity: 'ERROR' });
  const { code: meaning, message } = storageErrorOf(answer);
  expect([meaning, message]).toEqual([expected, expect.stringContaining(words)]);
  expect(message).toContain(`(SQLSTATE ${code})`);
});
