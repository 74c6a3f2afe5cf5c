/**
 * A model's vector in eight bits a dimension, and its 512 signs after a turn at random.
 *
 * - A code is the scale (four bytes, little endian), then one signed byte a dimension. Cosines of codes are divided by
 *   the length of the code, so a vector and its own code are as near as rounding lets them be.
 * - The turn (fixed signs and a Walsh-Hadamard transform, twice) makes each sign a coin that falls like the question's
 *   the more often the nearer the two are: few differing signs mean a high cosine, whatever the model.
 */

export const SIGN_WORDS = 16;
const SIGN_BITS = SIGN_WORDS * 32;
const SCALE_BYTES = 4;
const STEPS = 127;

export function codeBytes(dimension: number): number {
  return SCALE_BYTES + dimension;
}

export function encoded(vector: Float32Array): Buffer {
  let largest = 0;
  for (const each of vector) largest = Math.max(largest, Math.abs(each));
  const scale = largest / STEPS;
  const code = Buffer.alloc(codeBytes(vector.length));
  code.writeFloatLE(scale, 0);
  if (scale === 0) return code;
  for (let at = 0; at < vector.length; at += 1) code.writeInt8(Math.round(vector[at]! / scale), SCALE_BYTES + at);
  return code;
}

/** The cosine of a question of length 1 with a code. */
export function codeCosine(question: Float32Array, code: Uint8Array): number {
  const bytes = new Int8Array(code.buffer, code.byteOffset + SCALE_BYTES, question.length);
  let product = 0;
  let square = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const value = bytes[at]!;
    product += value * question[at]!;
    square += value * value;
  }
  return square === 0 ? 0 : Math.max(-1, Math.min(1, product / Math.sqrt(square)));
}

/** The first 512 dimensions of the vector after the turn. */
export function turned(vector: Float32Array): Float32Array {
  const seen = new Float32Array(paddedSize(vector.length));
  seen.set(vector);
  for (const seed of TURNS) turn(seen, seed);
  return seen.subarray(0, SIGN_BITS);
}

export function signsOf(seen: Float32Array): Uint32Array {
  const words = new Uint32Array(SIGN_WORDS);
  for (let at = 0; at < SIGN_BITS; at += 1) {
    if (seen[at]! < 0) words[at >>> 5] = words[at >>> 5]! | (1 << (at & 31));
  }
  return words;
}

/** Files depend on these: other numbers need another `SIGNS_VERSION`. */
const TURNS = [0x9e3779b9, 0x85ebca6b];
export const SIGNS_VERSION = 1;

function paddedSize(dimension: number): number {
  let size = SIGN_BITS;
  while (size < dimension) size *= 2;
  return size;
}

function turn(vector: Float32Array, seed: number): void {
  let state = seed;
  for (let at = 0; at < vector.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    if (state & 1) vector[at] = -vector[at]!;
  }
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

export function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
