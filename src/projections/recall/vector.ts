/**
 * The embedded text vectors: 512 dimensions, hashed, no model and no training.
 *
 * - Three kinds of features: words (stems), parts of words (three letters, for other forms and slips of the pen) and
 *   pairs of neighbouring words; and, lightly, what the words are kinds of. Words that say nothing weigh a tenth.
 * - Every feature adds to two dimensions with a sign each, so that two features that meet in one dimension rarely
 *   meet in the other.
 * - Pure: the same text gives the same vector, bit for bit, everywhere.
 */
import { type Word, words } from './words.ts';

export const VECTOR_DIMENSIONS = 512;

const STOP_WEIGHT = 0.1;
const PART_WEIGHT = 0.5;
const PAIR_WEIGHT = 0.4;
const KIND_WEIGHT = 0.6;
/** Length 1, or all zeros when the text holds no word. */
export function localVector(text: string): Float32Array {
  return vectorOfWords(words(text));
}

/** The same, of the words of a text in order. */
export function vectorOfWords(text: readonly Word[]): Float32Array {
  const vector = new Float32Array(VECTOR_DIMENSIONS);
  const counts = new Map<Word, number>();
  let before: Word | null = null;
  for (const word of text) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    if (word.stop) continue;
    if (before !== null) add(vector, Math.imul(before.id, 31) ^ word.id, PAIR_WEIGHT);
    before = word;
  }
  for (const [word, count] of counts) addWord(vector, word, Math.sqrt(count));
  return normalise(vector);
}

/** The cosine of two vectors of length 1; 0 when one is empty or the dimensions differ. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return Math.max(-1, Math.min(1, sum));
}

/** In place. */
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
  const pieces = word.parts;
  const each = (weight * PART_WEIGHT) / Math.sqrt(Math.max(1, pieces.length));
  for (let at = 0; at < pieces.length; at += 1) add(vector, pieces[at]!, each);
  const kind = (weight * KIND_WEIGHT) / Math.sqrt(Math.max(1, word.kinds.length));
  for (const concept of word.kinds) add(vector, concept, kind);
}

function add(vector: Float32Array, hash: number, weight: number): void {
  const first = hash & 511;
  const second = (hash >>> 9) & 511;
  vector[first] = vector[first]! + (hash & 0x40000 ? weight : -weight);
  vector[second] = vector[second]! + (hash & 0x80000 ? weight : -weight);
}
