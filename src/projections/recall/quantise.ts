/**
 * Scalar quantisation of the built-in vectors: three bits a dimension after a randomised rotation.
 *
 * - The rotation spreads every vector evenly over the dimensions, so one table of levels, that of a normal
 *   distribution, serves all.
 * - A code of 512 dimensions has 192 bytes: 16 words of signs, then 16 and 16 words of magnitude. The signs alone give
 *   a rough ranking.
 * - A code keeps the product of the vector with its own rounding. Estimates are divided by it, so the estimate of a
 *   vector with itself is 1.
 */
import { flipSigns, hadamard, hammingDistance, signWords } from '../../lib/sign-codes.ts';
import { VECTOR_DIMENSIONS } from './vector.ts';

/** 32-bit words of one code. */
export const CODE_WORDS = (VECTOR_DIMENSIONS * 3) / 32;
/** 32-bit words of the signs, at the head of a code. */
const SIGN_WORDS = VECTOR_DIMENSIONS / 32;
/** 32-bit words of signs that a scan over all documents compares first. */
export const HEAD_WORDS = 4;

const LEVELS = new Float32Array([0.2451, 0.756, 1.3439, 2.152]);
/** The value of the three bits of a dimension, by sign, then by magnitude. */
const VALUES = Float32Array.from([...LEVELS, ...LEVELS.map((level) => -level)]);
const BOUNDS = [0.5006, 1.05, 1.748] as const;
const SCALE = Math.sqrt(VECTOR_DIMENSIONS);
/** Codes on disk depend on it. */
const ROTATION_SEED = 0x9e3779b9;

export interface Code {
  readonly words: Uint32Array;
  /** The product of the vector with the decoded vector; 0 for the empty vector. */
  readonly self: number;
}

/** The vector after the rotation, scaled so that the dimensions of a vector of length 1 have a variance of about 1. */
export function rotated(vector: Float32Array): Float32Array {
  const out = vector.slice();
  flipSigns(out, ROTATION_SEED, 0);
  hadamard(out);
  return out;
}

export function encode(vector: Float32Array): Code {
  const values = rotated(vector);
  const words = new Uint32Array(CODE_WORDS);
  words.set(signWords(values));
  let self = 0;
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) {
    const size = Math.abs(values[at]!);
    const level = size < BOUNDS[1] ? (size < BOUNDS[0] ? 0 : 1) : size < BOUNDS[2] ? 2 : 3;
    const word = at >>> 5;
    const bit = 1 << (at & 31);
    if (level & 2) words[word + SIGN_WORDS] = words[word + SIGN_WORDS]! | bit;
    if (level & 1) words[word + 2 * SIGN_WORDS] = words[word + 2 * SIGN_WORDS]! | bit;
    self += size * LEVELS[level]!;
  }
  // Rounded as segments store it, so that a text scores the same before and after its segment is sealed.
  return { words, self: Math.fround(self / (SCALE * SCALE)) };
}

/** Estimates the cosine of a rotated vector with the vector of a code; `at` is the code's first word. */
export function estimate(query: Float32Array, codes: Uint32Array, code: { at: number; self: number }): number {
  if (code.self === 0) return 0;
  let sum = 0;
  for (let word = 0; word < SIGN_WORDS; word += 1) {
    const sign = codes[code.at + word]!;
    const high = codes[code.at + word + SIGN_WORDS]!;
    const low = codes[code.at + word + 2 * SIGN_WORDS]!;
    for (let bit = 0; bit < 32; bit += 1) sum += query[word * 32 + bit]! * VALUES[bitsAt(sign, high, low, bit)]!;
  }
  return Math.max(-1, Math.min(1, sum / (SCALE * SCALE) / code.self));
}

/** Adds `weight` times the decoded vector to a rotated vector; `at` is the code's first word. */
export function accumulate(codes: Uint32Array, at: number, sum: { into: Float32Array; weight: number }): void {
  const { into, weight } = sum;
  for (let word = 0; word < SIGN_WORDS; word += 1) {
    const sign = codes[at + word]!;
    const high = codes[at + word + SIGN_WORDS]!;
    const low = codes[at + word + 2 * SIGN_WORDS]!;
    for (let bit = 0; bit < 32; bit += 1) {
      const dimension = word * 32 + bit;
      into[dimension] = into[dimension]! + VALUES[bitsAt(sign, high, low, bit)]! * weight;
    }
  }
}

/** The three bits of a dimension as an index into `VALUES`. */
function bitsAt(sign: number, high: number, low: number, bit: number): number {
  return (((sign >>> bit) & 1) << 2) | (((high >>> bit) & 1) << 1) | ((low >>> bit) & 1);
}

/** The product of two rotated vectors, scaled to that of the vectors before the rotation. */
export function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) sum += one[at]! * other[at]!;
  return sum / (SCALE * SCALE);
}

/** In how many dimensions the signs differ: about 256 for unrelated vectors. `at` is the code's first word. */
export function signDistance(query: Uint32Array, codes: Uint32Array, at: number): number {
  return hammingDistance(query, codes, { at, count: SIGN_WORDS });
}

/** The slots whose heads differ from the query's in at most `far` dimensions. */
export function nearHeads(
  query: Uint32Array,
  heads: Uint32Array,
  { size, far }: { size: number; far: number },
): number[] {
  const near: number[] = [];
  for (let slot = 0; slot < size; slot += 1) {
    if (hammingDistance(query, heads, { at: slot * HEAD_WORDS, count: HEAD_WORDS }) <= far) near.push(slot);
  }
  return near;
}

/**
 * In how many dimensions the head of a vector at this cosine differs: the angle's share of half a turn, plus
 * `deviations` standard deviations. With 0, half of such vectors are within it; with 2, 39 of 40.
 */
export function headDistance(cosine: number, deviations: number): number {
  const dimensions = HEAD_WORDS * 32;
  const share = Math.acos(Math.max(-1, Math.min(1, cosine))) / Math.PI;
  return dimensions * share + deviations * Math.sqrt(dimensions * share * (1 - share));
}
