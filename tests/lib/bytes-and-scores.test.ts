/** Byte helpers and the arithmetic of retrieval. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeFileAtomically } from '../../src/lib/atomic-file.ts';
import { inverseDocumentFrequency, lengthNorm, termScore } from '../../src/lib/bm25.ts';
import { createByteBlocks } from '../../src/lib/byte-blocks.ts';
import { bitCount, flipSigns, hadamard, hammingDistance, signWords } from '../../src/lib/sign-codes.ts';
import { topK } from '../../src/lib/top-k.ts';
import { temporaryFolder } from '../support/folders.ts';

it('byte blocks return what was pushed, also across the end of a block', () => {
  const collected = createByteBlocks();
  const parts = [700_000, 1, 0, 900_000, 2_200_000].map((length, at) => new Uint8Array(length).fill(at + 1));
  for (const part of parts) collected.push(part);
  expect(collected.bytes).toBe(3_800_001);
  expect(Buffer.concat(collected.blocks()).equals(Buffer.concat(parts))).toBe(true);
});

describe('an atomic write', () => {
  it('replaces the file for its owner alone and leaves nothing else', async () => {
    const folder = temporaryFolder('atomic');
    const path = join(folder, 'file');
    await writeFileAtomically(path, 'old');
    await writeFileAtomically(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('fails without the folder', async () => {
    const path = join(temporaryFolder('atomic'), 'missing', 'file');
    await expect(writeFileAtomically(path, 'x')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(existsSync(path)).toBe(false);
  });
});

describe('BM25', () => {
  const norm = lengthNorm({ k1: 1.2, b: 0.75 }, 10, 10);

  it('grows with rarity, and with repetition up to the weight', () => {
    expect(inverseDocumentFrequency(100, 1)).toBeGreaterThan(inverseDocumentFrequency(100, 50));
    expect(inverseDocumentFrequency(100, 100)).toBeGreaterThan(0);
    expect(termScore(2, 3, norm)).toBeGreaterThan(termScore(2, 1, norm));
    expect(termScore(2, 1_000_000, norm)).toBeLessThan(2);
  });

  it('favours short documents when b is above 0', () => {
    expect(lengthNorm({ k1: 1.2, b: 0.75 }, 5, 10)).toBeLessThan(norm);
    expect(lengthNorm({ k1: 1.2, b: 0 }, 5, 10)).toBe(1.2);
  });
});

describe('sign codes', () => {
  const vectors = fc.float32Array({
    minLength: 64,
    maxLength: 64,
    noNaN: true,
    noDefaultInfinity: true,
    max: 1,
    min: -1,
  });

  it('have a bit for each negative dimension', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const bits = [...signWords(vector)].map((word) => (word >>> 0).toString(2).padStart(32, '0'));
        const expected = [...vector].map((value) => (value < 0 ? '1' : '0'));
        expect(bits.map((word) => [...word].reverse().join('')).join('')).toBe(expected.join(''));
      }),
    );
  });

  it('differ in as many bits as a plain count finds', () => {
    fc.assert(
      fc.property(vectors, vectors, (one, other) => {
        const differing = [...one].filter((value, at) => value < 0 !== other[at]! < 0).length;
        const codes = Uint32Array.from([7, ...signWords(other)]);
        expect(hammingDistance(signWords(one), codes, { at: 1, count: 2 })).toBe(differing);
      }),
    );
    expect(bitCount(-1)).toBe(32);
  });

  it('are of a rotation that keeps angles', () => {
    const vector = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at));
    const twice = vector.slice();
    hadamard(twice);
    hadamard(twice);
    expect([...twice].map((value) => value / 64)).toEqual([...vector].map((value) => expect.closeTo(value, 5)));
    const flipped = vector.slice();
    flipSigns(flipped, 1, 0);
    flipSigns(flipped, 1, 1);
    expect([...flipped]).toEqual([...vector].map((value) => -value));
  });
});

it('top k is empty for k 0 and leaves out scores that are not above 0', () => {
  expect(topK([1, 2], 0)).toEqual([]);
  expect(topK([0, -1, 3, 3], 5)).toEqual([2, 3]);
});
