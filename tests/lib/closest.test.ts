/** The suggestion of a known word in place of a misspelled one. */
import { expect, test } from 'vitest';
import { closest } from '../../src/lib/closest.ts';

test.each([
  ['lsit', 'list'],
  ['LIST', 'list'],
  ['hystory', 'history'],
  ['hist', 'history'],
  ['lists', 'list'],
  ['nonsense', undefined],
  ['ls', undefined],
  ['', undefined],
])('%j: %j', (word, meant) => {
  expect(closest(word, ['list', 'show', 'history', 'advance'])).toBe(meant);
});

test('of two equally close candidates the one that is close as a whole is preferred', () => {
  expect(closest('goat', ['goalkeeper', 'goal'])).toBe('goal');
});
