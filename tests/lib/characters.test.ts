import { describe, expect, it } from 'vitest';
import { cut, withEllipsis } from '../../src/lib/characters.ts';

describe('a text that is cut', () => {
  it.each([
    ['abcd', 4, 'abcd', 0],
    ['abcde', 4, 'abcd', 1],
    ['', 0, '', 0],
    ['😀😀', 2, '😀😀', 0],
    ['a😀b😀c', 4, 'a😀b😀', 1],
    ['a😀😀😀', 2, 'a😀', 2],
    ['😀\ud83d', 1, '😀', 1],
  ])('%j has %i characters and loses the others: %j, %i', (text, charactersMax, beginning, left) => {
    expect(cut(text, charactersMax)).toEqual({ text: beginning, left });
    expect(withEllipsis(text, charactersMax)).toBe(left === 0 ? text : `${beginning}…`);
  });
});
