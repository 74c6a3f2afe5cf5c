/**
 * Encodes a model's vector as two codes: eight bits per dimension for the cosine, and 512 signs for the search.
 *
 * - The cosine code is the scale (four bytes, little endian), then one signed byte per dimension. Cosines are divided
 *   by the length of the code, so that a vector and its own code differ by rounding only.
 * - Signs are taken after two randomised Hadamard rotations. The share of signs that differ then estimates the angle,
 *   whatever model made the vectors.
 */
import { flipSigns, hadamard } from '../../lib/sign-codes.ts';

export const SIGN_WORDS = 16;
const SIGN_BITS = SIGN_WORDS * 32;
const SCALE_BYTES = 4;
const STEPS = 127;

export function codeBytes(dimension: number): number {
  return SCALE_BYTES + dimension;
}

export function encode(vector: Float32Array): Buffer {
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

/** The first 512 dimensions of the vector after the rotations. */
export function rotated(vector: Float32Array): Float32Array {
  const padded = new Float32Array(paddedSize(vector.length));
  padded.set(vector);
  for (const seed of ROTATION_SEEDS) {
    flipSigns(padded, seed, 1);
    hadamard(padded);
  }
  return padded.subarray(0, SIGN_BITS);
}

/** Files depend on these numbers: raise `SIGNS_VERSION` when they change. */
const ROTATION_SEEDS = [0x9e3779b9, 0x85ebca6b];
export const SIGNS_VERSION = 1;

function paddedSize(dimension: number): number {
  let size = SIGN_BITS;
  while (size < dimension) size *= 2;
  return size;
}
