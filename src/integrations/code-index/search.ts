/**
 * Searches an index: the score of a chunk is a weighted sum of the cosine of its vector and BM25 of its words.
 *
 * - Each search reads all vectors from disk. The chunk table, the term table and the postings stay in memory.
 */
import { createHash } from 'node:crypto';
import { inverseDocumentFrequency, lengthNorm, termScore } from '../../lib/bm25.ts';
import { topK } from '../../lib/top-k.ts';
import type { SearchHit } from '../../ports/code-index.ts';
import { CHUNK_BYTES, DamagedIndex, decodeChunk, type FileRow, HASH_BYTES, TERM_BYTES, varints } from './format.ts';
import type { IndexReader } from './reader.ts';
import { questionWords, wordHash } from './terms.ts';

/** An index with the tables that every search needs. */
export interface OpenIndex {
  readonly reader: IndexReader;
  readonly chunks: Buffer;
  readonly terms: Buffer;
  readonly postings: Buffer;
  readonly files: readonly FileRow[];
}

export interface Question {
  readonly text: string;
  readonly vector: Float32Array;
  readonly k: number;
  /** Share of the cosine in the score, 0 to 1. */
  readonly vectorShare: number;
}

const BM25 = { k1: 1.2, b: 0.75 };

export async function load(reader: IndexReader): Promise<OpenIndex> {
  const [chunks, terms, postings] = [
    await reader.table('chunks'),
    await reader.table('terms'),
    await reader.table('postings'),
  ];
  return { reader, chunks, terms, postings, files: await reader.files() };
}

export async function searchIndex(index: OpenIndex, question: Question): Promise<readonly SearchHit[]> {
  const { chunks } = index.reader.header;
  if (chunks === 0) return [];
  const cosines = await cosinesOf(index.reader, question.vector);
  const words = wordScores(index, question.text);
  const closeness = closenessOf(cosines);
  const scores = new Float64Array(chunks);
  const { vectorShare } = question;
  for (let row = 0; row < chunks; row += 1) {
    scores[row] = vectorShare * closeness(cosines[row]!) + (1 - vectorShare) * words[row]!;
  }
  const hits: SearchHit[] = [];
  for (const row of topK(scores, question.k)) {
    hits.push(await hitOf(index, row, { score: scores[row]!, vector: cosines[row]!, words: words[row]! }));
  }
  return hits;
}

async function cosinesOf(reader: IndexReader, query: Float32Array): Promise<Float32Array> {
  const { dimension, chunks } = reader.header;
  const cosines = new Float32Array(chunks);
  let row = 0;
  for await (const block of reader.vectorBlocks()) {
    for (let at = 0; at < block.length; at += dimension) {
      cosines[row] = Math.max(-1, Math.min(1, product(block, at, query)));
      row += 1;
    }
  }
  return cosines;
}

function product(block: Float32Array, start: number, query: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < query.length; at += 1) sum += block[start + at]! * query[at]!;
  return sum;
}

/**
 * Maps a cosine to 0..1: half is the cosine itself, half its position between the mean and the best cosine of this
 * question, because with some models all cosines are above 0.5.
 */
function closenessOf(cosines: Float32Array): (cosine: number) => number {
  const mean = cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
  const spread = cosines.reduce((most, each) => Math.max(most, each), -1) - mean;
  return (cosine) => Math.max(0, cosine) / 2 + (spread <= 0 ? 0 : Math.max(0, cosine - mean) / spread / 2);
}

/** BM25 of every chunk relative to the best one; zeros when the index has none of the words. */
function wordScores(index: OpenIndex, text: string): Float64Array {
  const { chunks, words } = index.reader.header;
  const scores = new Float64Array(chunks);
  const meanWords = Math.max(1, words / chunks);
  for (const word of questionWords(text)) {
    const term = findTerm(index.terms, wordHash(word));
    if (term === undefined) continue;
    const weight = inverseDocumentFrequency(chunks, term.chunks) * (BM25.k1 + 1);
    for (const [row, count] of postingsOf(index, term)) {
      const length = index.chunks.readUInt32LE(row * CHUNK_BYTES + 24);
      scores[row]! += termScore(weight, count, lengthNorm(BM25, length, meanWords));
    }
  }
  const top = scores.reduce((most, score) => Math.max(most, score), 0);
  return top === 0 ? scores : scores.map((score) => score / top);
}

interface Term {
  readonly offset: number;
  readonly bytes: number;
  readonly chunks: number;
}

function findTerm(terms: Buffer, hash: bigint): Term | undefined {
  let low = 0;
  let high = terms.length / TERM_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (terms.readBigUInt64LE(middle * TERM_BYTES) < hash) low = middle + 1;
    else high = middle;
  }
  const at = low * TERM_BYTES;
  if (at >= terms.length || terms.readBigUInt64LE(at) !== hash) return undefined;
  return {
    offset: terms.readUInt32LE(at + 8),
    bytes: terms.readUInt32LE(at + 12),
    chunks: terms.readUInt32LE(at + 16),
  };
}

function* postingsOf({ postings }: OpenIndex, term: Term): Generator<readonly [row: number, count: number]> {
  let row = 0;
  let step: number | null = null;
  for (const number of varints(postings.subarray(term.offset, term.offset + term.bytes))) {
    if (step === null) {
      step = number;
      continue;
    }
    row += step;
    step = null;
    yield [row, number];
  }
}

async function hitOf(
  { reader, chunks, files }: OpenIndex,
  row: number,
  scores: { readonly score: number; readonly vector: number; readonly words: number },
): Promise<SearchHit> {
  const chunk = decodeChunk(chunks, row);
  const { text, symbol } = await reader.text(chunk);
  const file = files[chunk.file];
  if (file === undefined || !textHash(text).equals(chunk.hash)) throw new DamagedIndex('a text has another checksum');
  return {
    path: file[0],
    start_line: chunk.firstLine,
    end_line: chunk.lastLine,
    language: file[3],
    symbol,
    text,
    score: scores.score,
    vector_score: scores.vector,
    lexical_score: scores.words,
  };
}

/** Identifies a text: equal hashes, equal texts. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}
