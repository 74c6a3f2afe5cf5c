/**
 * Terms and vector of a text, from one pass over its words.
 *
 * - A new text is compared with others before its event is appended and indexed right after. A cache saves the second
 *   analysis; it holds texts that were compared and are not indexed yet.
 */
import { type Analysed, analyse, readBlocks } from './analyse.ts';
import { localVector, vectorOfWords } from './vector.ts';

export interface TextAnalysis {
  readonly analysed: Analysed;
  /** The same as `localVector` of the text. */
  readonly vector: Float32Array;
}

/** Cached texts: enough for all pieces of a request body of 1 MiB, which are one commit. */
const CACHED_TEXTS_MAX = 2_048;
const CACHED_CHARACTERS_MAX = 4_000;

const cache = new Map<string, TextAnalysis>();

export function analyseText(text: string): TextAnalysis {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const blocks = readBlocks(text);
  const analysis = { analysed: analyse(blocks), vector: vectorOfWords(blocks.flatMap((block) => block.words)) };
  if (text.length > CACHED_CHARACTERS_MAX) return analysis;
  const [oldest] = cache.keys();
  if (cache.size >= CACHED_TEXTS_MAX && oldest !== undefined) cache.delete(oldest);
  cache.set(text, analysis);
  return analysis;
}

/** The analysis of a text that is being indexed; the cache forgets it. */
export function takeAnalysis(text: string): TextAnalysis {
  const analysis = analyseText(text);
  cache.delete(text);
  return analysis;
}

/** The vector alone; caches the analysis of a text that may be indexed next. */
export function vectorOf(text: string): Float32Array {
  return text.length > CACHED_CHARACTERS_MAX ? localVector(text) : analyseText(text).vector;
}
