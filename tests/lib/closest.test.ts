/** What somebody may have meant. */
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

test('of two that are as close the whole word is meant', () => {
  expect(closest('goat', ['goalkeeper', 'goal'])).toBe('goal');
});
