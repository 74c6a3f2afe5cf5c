/**
 * Terms and vector of a text, from one pass over its words.
 *
 * - A new text is compared with others before its event is appended, and indexed right after. A cache saves the second
 *   analysis; it holds texts that were compared and are not indexed yet.
 */
import { type Slicing, TimeSlices } from '../../lib/slices.ts';
import { type Analysed, analyse, type Block, blocksOf } from './analyse.ts';
import { vectorOfWords } from './vector.ts';

export interface TextAnalysis {
  readonly analysed: Analysed;
  /** The same as `localVector` of the text. */
  readonly vector: Float32Array;
}

/** Limit of cached texts: enough for all pieces of a request body of 1 MiB, which are one commit. */
const CACHED_TEXTS_MAX = 2_048;
const CACHED_CHARACTERS_MAX = 8_000_000;
/** Shorter texts are analysed at once, in about a millisecond. */
const PREPARED_CHARACTERS_MIN = 10_000;

const cache = new Map<string, TextAnalysis>();
let cachedCharacters = 0;

export function analyseText(text: string): TextAnalysis {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const blocks = [...blocksOf(text)];
  return keep(text, { analysed: analyse(blocks), vector: vectorOfBlocks(blocks) });
}

/**
 * Analyses a long text in slices of a few milliseconds, for `analyseText`, `takeAnalysis` and `vectorOf` that follow.
 */
export async function prepareAnalysis(text: string, slicing?: Slicing): Promise<void> {
  if (text.length < PREPARED_CHARACTERS_MIN || cache.has(text)) return;
  const slices = new TimeSlices(slicing);
  const blocks: Block[] = [];
  for (const block of blocksOf(text)) {
    blocks.push(block);
    if (slices.isOver) await slices.next();
  }
  const analysed = analyse(blocks);
  await slices.next();
  keep(text, { analysed, vector: vectorOfBlocks(blocks) });
}

/** The analysis of a text that is being indexed; removes it from the cache. */
export function takeAnalysis(text: string): TextAnalysis {
  const analysis = analyseText(text);
  forget(text);
  return analysis;
}

/** The vector alone; caches the analysis of a text that may be indexed next. */
export function vectorOf(text: string): Float32Array {
  return analyseText(text).vector;
}

function vectorOfBlocks(blocks: readonly Block[]): Float32Array {
  return vectorOfWords(blocks.flatMap(({ words }) => words));
}

function keep(text: string, analysis: TextAnalysis): TextAnalysis {
  if (text.length > CACHED_CHARACTERS_MAX) return analysis;
  for (const oldest of cache.keys()) {
    if (cache.size < CACHED_TEXTS_MAX && cachedCharacters + text.length <= CACHED_CHARACTERS_MAX) break;
    forget(oldest);
  }
  cache.set(text, analysis);
  cachedCharacters += text.length;
  return analysis;
}

function forget(text: string): void {
  if (cache.delete(text)) cachedCharacters -= text.length;
}
