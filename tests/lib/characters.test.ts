import { expect, it } from 'vitest';
import { cut, withEllipsis } from '../../src/lib/characters.ts';

it.each([
  ['abcd', 4, 'abcd', 0],
  ['abcde', 4, 'abcd', 1],
  ['', 0, '', 0],
  ['😀😀', 2, '😀😀', 0],
  ['a😀b😀c', 4, 'a😀b😀', 1],
  ['a😀😀😀', 2, 'a😀', 2],
  ['😀\ud83d', 1, '😀', 1],
])('a text that is cut: %j has %i characters and loses the others: %j, %i', (text, charactersMax, beginning, left) => {
  expect(cut(text, charactersMax)).toEqual({ text: beginning, left });
  expect(withEllipsis(text, charactersMax)).toBe(left === 0 ? text : `${beginning}…`);
});
