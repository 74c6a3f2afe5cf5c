/**
 * A text as it is read for the index and for comparing: what is made of its words, once.
 *
 * - A new text is compared with others before its event is appended, and indexed right after: what was read last is
 *   remembered, so that the second reading costs nothing.
 */
import { type Analysed, analyse, readBlocks } from './analyse.ts';
import { localVector, vectorOfWords } from './vector.ts';

export interface Reading {
  readonly analysed: Analysed;
  /** The same as `localVector` of the text. */
  readonly vector: Float32Array;
}

/** Texts remembered; the pieces of a long one, or of several short ones, on their way through one commit. */
const READINGS_MAX = 512;
const REMEMBERED_CHARACTERS_MAX = 4_000;

const latest = new Map<string, Reading>();

export function readingOf(text: string): Reading {
  const known = latest.get(text);
  if (known !== undefined) return known;
  const blocks = readBlocks(text);
  const reading = { analysed: analyse(blocks), vector: vectorOfWords(blocks.flatMap((block) => block.words)) };
  if (text.length > REMEMBERED_CHARACTERS_MAX) return reading;
  const [oldest] = latest.keys();
  if (latest.size >= READINGS_MAX && oldest !== undefined) latest.delete(oldest);
  latest.set(text, reading);
  return reading;
}

/** The vector of a text, which may be on its way into the index. */
export function vectorOf(text: string): Float32Array {
  return text.length > REMEMBERED_CHARACTERS_MAX ? localVector(text) : readingOf(text).vector;
}
