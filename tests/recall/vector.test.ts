/** Vectors and their codes: lengths, similarities, and the accuracy of three bits a dimension. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signWords } from '../../src/lib/sign-codes.ts';
import { analyse, blocksOf } from '../../src/projections/recall/analyse.ts';
import { CODE_WORDS, encode, estimate, rotated, signDistance } from '../../src/projections/recall/quantise.ts';
import { analyseText } from '../../src/projections/recall/text-analysis.ts';
import { cosine, localVector, VECTOR_DIMENSIONS } from '../../src/projections/recall/vector.ts';
import { hash32 } from '../../src/projections/recall/words.ts';
import { runs } from './support.ts';

const likeness = (one: string, other: string): number => cosine(localVector(one), localVector(other));
const lengthOf = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

describe('localVector', () => {
  it('has 512 dimensions and length 1, or is empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const vector = localVector(text);
        expect(vector).toHaveLength(VECTOR_DIMENSIONS);
        const length = lengthOf(vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true);
      }),
      { numRuns: runs(150) },
    );
    expect(lengthOf(localVector('…'))).toBe(0);
  });

  it('never changes: vectors of one release are compared with those of the next', () => {
    const vector = localVector('Ada: we went camping by the lake, 3 days of rain. Tokyo 東京 café.');
    expect(hash32([...vector].map((value) => Math.round(value * 1e5)).join())).toMatchInlineSnapshot(`121125980`);
  });

  it.each([
    ['The cat sat on the mat', 'A cat sat on a mat', 0.9, 1],
    ['Deploy the API server with docker', 'Deploying the API servers using Docker', 0.7, 1],
    ['Remember the milk', 'Remember the mlik', 0.4, 0.95],
    ['We walk the dog', 'A puppy needs training', 0.01, 0.6],
    ['The tax return is due in May', 'She plays the cello', -0.2, 0.2],
  ])('%s / %s: between %d and %d', (one, other, least, most) => {
    expect(likeness(one, other)).toBeGreaterThanOrEqual(least);
    expect(likeness(one, other)).toBeLessThanOrEqual(most);
  });

  it('does not depend on the words that were read before, of which a cache holds 50,000', () => {
    const distinct = (count: number, mark: string): string =>
      Array.from({ length: count }, (_, at) => `${mark}${at.toString(36)}`).join(' ');
    const text = `whale ${distinct(20_000, 'w')} whale`;
    localVector(distinct(40_000, 'x'));
    const whileEmptied = localVector(text);
    expect(localVector(text)).toEqual(whileEmptied);
  });

  it('is the same for the same words in another case', () => {
    expect(likeness('Blue Whale', 'blue whale')).toBeCloseTo(1, 6);
  });
});

describe('a reading', () => {
  it('is the vector and the terms of the text, the second time too', () => {
    const text = fc.array(fc.constantFrom('Ada: ', 'The dogs bark. ', 'ünï ', '日本語', '\n', '😀', ' ran', '42 '), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, (pieces) => {
        const whole = pieces.join('');
        const reading = analyseText(whole);
        expect(reading.vector).toEqual(localVector(whole));
        expect(reading.analysed).toEqual(analyse([...blocksOf(whole)]));
        expect(analyseText(whole)).toEqual(reading);
      }),
      { numRuns: runs(200) },
    );
  });

  it('of many texts is still that of each', () => {
    const texts = Array.from({ length: 1_200 }, (_, at) => `Text number ${at} says ${at * 7}`);
    for (const text of texts) analyseText(text);
    for (const text of texts) expect(analyseText(text).vector).toEqual(localVector(text));
  });
});

it('cosine is 0 when a side is empty or the dimensions differ', () => {
  expect(cosine(localVector(''), localVector('word'))).toBe(0);
  expect(cosine(new Float32Array([1, 0]), new Float32Array([1]))).toBe(0);
});

describe('codes', () => {
  const sentence = fc
    .array(fc.constantFrom(...'river bank loan swim code test deploy cake lisbon violin kitten tax'.split(' ')), {
      minLength: 1,
      maxLength: 12,
    })
    .map((list) => list.join(' '));

  it('are 192 bytes', () => {
    expect(encode(localVector('word')).words.byteLength).toBe(192);
    expect(CODE_WORDS).toBe(48);
  });

  it('say the cosine to within a tenth, and exactly for the same text', () => {
    fc.assert(
      fc.property(sentence, sentence, (one, other) => {
        const code = encode(localVector(other));
        const said = estimate(rotated(localVector(one)), code.words, { at: 0, self: code.self });
        expect(Math.abs(said - likeness(one, other))).toBeLessThan(0.1);
        const own = estimate(rotated(localVector(other)), code.words, { at: 0, self: code.self });
        expect(own).toBeCloseTo(1, 5);
      }),
      { numRuns: runs(300) },
    );
  });

  it('have signs that are equal for the same text and differ in half the dimensions for another', () => {
    const signs = signWords(rotated(localVector('the kitten plays the violin in Lisbon')));
    expect(signDistance(signs, encode(localVector('the kitten plays the violin in Lisbon')).words, 0)).toBe(0);
    const other = signDistance(signs, encode(localVector('quarterly revenue forecast spreadsheet')).words, 0);
    expect(other).toBeGreaterThan(200);
    expect(other).toBeLessThan(312);
  });

  it('of nothing are like nothing', () => {
    const code = encode(localVector(''));
    expect(estimate(rotated(localVector('word')), code.words, { at: 0, self: code.self })).toBe(0);
  });
});
