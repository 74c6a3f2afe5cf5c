/** Drawers are lossless: any text can be restored exactly from its chunks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHUNK_CHARACTERS, chunksOf, joined, OVERLAP_CHARACTERS } from '../../src/commands/memory/chunk.ts';
import { codePoint } from '../support/text.ts';

const RUNS = process.env.DAYBOOK_LONG === undefined ? 200 : 5_000;
const anyText = fc.string({ unit: codePoint, maxLength: 4_000, size: 'max' });

describe('chunks', () => {
  it('give back any Unicode text, none of them longer than 800 characters, none with half of one', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const chunks = [...chunksOf(text)];
        expect(joined(chunks)).toBe(text);
        for (const { content } of chunks) {
          expect([...content].length).toBeLessThanOrEqual(CHUNK_CHARACTERS);
          expect(content.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('begin every 700 characters and share 100 with the one before', () => {
    const text = Array.from({ length: 2_000 }, (_, at) => String.fromCodePoint(0x1f300 + (at % 700))).join('');
    const chunks = [...chunksOf(text)];
    expect(chunks.map(({ start }) => start)).toEqual([0, 700, 1_400]);
    const [first, second] = chunks.map(({ content }) => [...content]);
    expect(second!.slice(0, OVERLAP_CHARACTERS)).toEqual(first!.slice(-OVERLAP_CHARACTERS));
  });

  it.each([
    [1, 1],
    [800, 1],
    [801, 2],
    [1_500, 2],
    [1_501, 3],
  ])('of %i characters are %i', (characters, count) => {
    expect([...chunksOf('x'.repeat(characters))]).toHaveLength(count);
  });
});
