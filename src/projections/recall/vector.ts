/**
 * The built-in text vectors: feature hashing into 512 dimensions, without a model or training.
 *
 * - Features are stems, letter trigrams (for other forms and misspellings), pairs of neighbouring words and the
 *   concepts of words. Stop words weigh a tenth.
 * - Each feature adds to two dimensions, with a sign each, so that features that collide in one dimension rarely
 *   collide in both.
 * - Pure: the same text gives the same vector, bit for bit, on every machine.
 */
import { type Word, words } from './words.ts';

export const VECTOR_DIMENSIONS = 512;

const STOP_WEIGHT = 0.1;
const PART_WEIGHT = 0.5;
const PAIR_WEIGHT = 0.4;
const KIND_WEIGHT = 0.6;

/** A vector of length 1, or all zeros when the text has no words. */
export function localVector(text: string): Float32Array {
  return vectorOfWords(words(text));
}

/** `localVector` of a text that is already split into words. */
export function vectorOfWords(text: readonly Word[]): Float32Array {
  const vector = new Float32Array(VECTOR_DIMENSIONS);
  /** By spelling: the cache of words may be emptied within a text, and then has another object for the same word. */
  const counts = new Map<string, { readonly word: Word; count: number }>();
  let before: Word | null = null;
  for (const word of text) {
    const counted = counts.get(word.text);
    if (counted === undefined) counts.set(word.text, { word, count: 1 });
    else counted.count += 1;
    if (word.stop) continue;
    if (before !== null) add(vector, Math.imul(before.id, 31) ^ word.id, PAIR_WEIGHT);
    before = word;
  }
  for (const { word, count } of counts.values()) addWord(vector, word, Math.sqrt(count));
  return normalise(vector);
}

/** The cosine of two vectors of length 1; 0 when one is empty or the dimensions differ. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return Math.max(-1, Math.min(1, sum));
}

/** Scales to length 1, in place; zeros stay zeros. */
export function normalise(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += vector[at]! * vector[at]!;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at += 1) vector[at] = vector[at]! * scale;
  return vector;
}

function addWord(vector: Float32Array, word: Word, count: number): void {
  const weight = word.stop ? STOP_WEIGHT * count : count;
  add(vector, word.id, weight);
  if (word.stop) return;
  const each = (weight * PART_WEIGHT) / Math.sqrt(Math.max(1, word.parts.length));
  for (const part of word.parts) add(vector, part, each);
  const kind = (weight * KIND_WEIGHT) / Math.sqrt(Math.max(1, word.kinds.length));
  for (const concept of word.kinds) add(vector, concept, kind);
}

function add(vector: Float32Array, hash: number, weight: number): void {
  const first = hash & 511;
  const second = (hash >>> 9) & 511;
  vector[first] = vector[first]! + (hash & 0x40000 ? weight : -weight);
  vector[second] = vector[second]! + (hash & 0x80000 ? weight : -weight);
}
