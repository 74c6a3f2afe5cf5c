/**
 * Vectors in three bits a dimension: turned at random, then rounded to the levels that suit a normal distribution.
 *
 * - The turn (fixed signs, then a Walsh-Hadamard transform) spreads every vector evenly over the dimensions, so one
 *   table of levels serves all.
 * - 512 dimensions are 192 bytes: 16 words of signs, then 16 and 16 words of magnitude. The signs alone rank roughly.
 * - A code keeps the product of the vector with its own rounding; estimates are divided by it, so the estimate of a
 *   vector with itself is 1.
 */
import { VECTOR_DIMENSIONS } from './vector.ts';

/** 32-bit words of one code. */
export const CODE_WORDS = (VECTOR_DIMENSIONS * 3) / 32;
/** 32-bit words of the signs, at the head of a code. */
export const SIGN_WORDS = VECTOR_DIMENSIONS / 32;
/** 32-bit words of signs that a scan over everything looks at first. */
export const HEAD_WORDS = 4;

const LEVELS = new Float32Array([0.2451, 0.756, 1.3439, 2.152]);
/** By sign, then by size: what the three bits of a dimension stand for. */
const VALUES = Float32Array.from([...LEVELS, ...LEVELS.map((level) => -level)]);
const BOUNDS = [0.5006, 1.05, 1.748] as const;
const SCALE = Math.sqrt(VECTOR_DIMENSIONS);
const TURN = signs();

export interface Code {
  readonly words: Uint32Array;
  /** The product of the vector with what its code stands for; 0 for the empty vector. */
  readonly self: number;
}

/** The vector as seen after the turn, scaled so that a dimension of a vector of length 1 varies by about 1. */
export function turned(vector: Float32Array): Float32Array {
  const out = new Float32Array(VECTOR_DIMENSIONS);
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) out[at] = vector[at]! * TURN[at]!;
  for (let half = 1; half < VECTOR_DIMENSIONS; half *= 2) {
    for (let block = 0; block < VECTOR_DIMENSIONS; block += half * 2) {
      for (let at = block; at < block + half; at += 1) {
        const a = out[at]!;
        const b = out[at + half]!;
        out[at] = a + b;
        out[at + half] = a - b;
      }
    }
  }
  return out;
}

export function encode(vector: Float32Array): Code {
  const seen = turned(vector);
  const words = new Uint32Array(CODE_WORDS);
  let self = 0;
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) {
    const value = seen[at]!;
    const size = Math.abs(value);
    const level = size < BOUNDS[1] ? (size < BOUNDS[0] ? 0 : 1) : size < BOUNDS[2] ? 2 : 3;
    const word = at >>> 5;
    const bit = 1 << (at & 31);
    if (value < 0) words[word] = words[word]! | bit;
    if (level & 2) words[word + SIGN_WORDS] = words[word + SIGN_WORDS]! | bit;
    if (level & 1) words[word + 2 * SIGN_WORDS] = words[word + 2 * SIGN_WORDS]! | bit;
    self += size * LEVELS[level]!;
  }
  // As precise as segments keep it: a text answers alike before and after it is sealed.
  return { words, self: Math.fround(self / (SCALE * SCALE)) };
}

/** About the cosine of a turned vector with the vector of a code; `at` is the code's first word. */
export function estimate(query: Float32Array, codes: Uint32Array, code: { at: number; self: number }): number {
  if (code.self === 0) return 0;
  let sum = 0;
  for (let word = 0; word < SIGN_WORDS; word += 1) {
    const sign = codes[code.at + word]!;
    const high = codes[code.at + word + SIGN_WORDS]!;
    const low = codes[code.at + word + 2 * SIGN_WORDS]!;
    for (let bit = 0; bit < 32; bit += 1) {
      const value = VALUES[(((sign >>> bit) & 1) << 2) | (((high >>> bit) & 1) << 1) | ((low >>> bit) & 1)]!;
      sum += query[word * 32 + bit]! * value;
    }
  }
  return Math.max(-1, Math.min(1, sum / (SCALE * SCALE) / code.self));
}

/** Adds what a code stands for, so many times, to a turned vector; `at` is the code's first word. */
export function gather(codes: Uint32Array, at: number, sum: { into: Float32Array; weight: number }): void {
  const { into, weight } = sum;
  for (let word = 0; word < SIGN_WORDS; word += 1) {
    const sign = codes[at + word]!;
    const high = codes[at + word + SIGN_WORDS]!;
    const low = codes[at + word + 2 * SIGN_WORDS]!;
    for (let bit = 0; bit < 32; bit += 1) {
      const value = VALUES[(((sign >>> bit) & 1) << 2) | (((high >>> bit) & 1) << 1) | ((low >>> bit) & 1)]!;
      into[word * 32 + bit] = into[word * 32 + bit]! + value * weight;
    }
  }
}

/** The product of two turned vectors, as that of the vectors before the turn. */
export function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) sum += one[at]! * other[at]!;
  return sum / (SCALE * SCALE);
}

/** The signs of a turned vector, to compare with the heads of codes. */
export function signsOf(query: Float32Array): Uint32Array {
  const words = new Uint32Array(SIGN_WORDS);
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) {
    if (query[at]! < 0) words[at >>> 5] = words[at >>> 5]! | (1 << (at & 31));
  }
  return words;
}

/** In how many dimensions the signs differ: 256 for unrelated vectors. `at` is the code's first word. */
export function signDistance(query: Uint32Array, codes: Uint32Array, at: number): number {
  let differing = 0;
  for (let word = 0; word < SIGN_WORDS; word += 1) differing += bitsOf(query[word]! ^ codes[at + word]!);
  return differing;
}

/** The slots whose heads differ from the query's in at most `far` dimensions. It reads everything, so it is fast. */
export function nearHeads(
  query: Uint32Array,
  heads: Uint32Array,
  { size, far }: { size: number; far: number },
): number[] {
  const [first, second, third, fourth] = query as unknown as [number, number, number, number];
  const near: number[] = [];
  for (let slot = 0, at = 0; slot < size; slot += 1, at += HEAD_WORDS) {
    const half = foursOf(first ^ heads[at]!) + foursOf(second ^ heads[at + 1]!);
    const other = foursOf(third ^ heads[at + 2]!) + foursOf(fourth ^ heads[at + 3]!);
    const bytes =
      (half & 0x0f0f0f0f) + ((half >>> 4) & 0x0f0f0f0f) + (other & 0x0f0f0f0f) + ((other >>> 4) & 0x0f0f0f0f);
    if (Math.imul(bytes, 0x01010101) >>> 24 <= far) near.push(slot);
  }
  return near;
}

/** The bits of every four of a word. */
function foursOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}

export function bitsOf(word: number): number {
  const fours = foursOf(word);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * In how many of the head's dimensions the signs of a vector at this cosine differ: the angle's share of a half turn,
 * and as many standard deviations more. With none, half of such vectors are within it; with two, 39 of 40.
 */
export function headDistance(cosine: number, deviations: number): number {
  const dimensions = HEAD_WORDS * 32;
  const share = Math.acos(Math.max(-1, Math.min(1, cosine))) / Math.PI;
  return dimensions * share + deviations * Math.sqrt(dimensions * share * (1 - share));
}

/** The same signs for ever: codes on disk depend on them. */
function signs(): Int8Array {
  const out = new Int8Array(VECTOR_DIMENSIONS);
  let state = 0x9e3779b9;
  for (let at = 0; at < out.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    out[at] = state & 1 ? 1 : -1;
  }
  return out;
}
