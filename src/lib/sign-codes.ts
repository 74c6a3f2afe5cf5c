/**
 * Sign codes: one bit a dimension, so that the Hamming distance of two codes estimates the angle of their vectors.
 *
 * - The estimate needs vectors whose dimensions are alike. A randomised Hadamard rotation (flip signs by a fixed random
 *   sequence, then transform) makes them so, whatever model made the vectors.
 * - Codes on disk depend on every function here: a change needs a new version of the files that hold them.
 */

/** Flips the sign of the dimensions that a xorshift32 sequence from `seed` selects by its low bit. In place. */
export function flipSigns(vector: Float32Array, seed: number, flipped: 0 | 1): void {
  let state = seed;
  for (let at = 0; at < vector.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    if ((state & 1) === flipped) vector[at] = -vector[at]!;
  }
}

/** The Walsh–Hadamard transform, not normalised: lengths grow by the root of the size, a power of two. In place. */
export function hadamard(vector: Float32Array): void {
  for (let half = 1; half < vector.length; half *= 2) {
    for (let block = 0; block < vector.length; block += half * 2) {
      for (let at = block; at < block + half; at += 1) {
        const one = vector[at]!;
        const other = vector[at + half]!;
        vector[at] = one + other;
        vector[at + half] = one - other;
      }
    }
  }
}

/** A set bit for each negative dimension, 32 to a word, the lowest bit first. The size is a multiple of 32. */
export function signWords(vector: Float32Array): Uint32Array {
  const words = new Uint32Array(vector.length / 32);
  for (let at = 0; at < vector.length; at += 1) {
    if (vector[at]! < 0) words[at >>> 5] = words[at >>> 5]! | (1 << (at & 31));
  }
  return words;
}

/**
 * The number of bits in which the first `count` words of a code differ from the words of `codes` that begin at `at`.
 */
export function hammingDistance(code: Uint32Array, codes: Uint32Array, place: { at: number; count: number }): number {
  const { at, count } = place;
  let differing = 0;
  for (let word = 0; word < count; word += 1) differing += bitCount(code[word]! ^ codes[at + word]!);
  return differing;
}

/** The number of set bits of a 32-bit word. */
export function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
