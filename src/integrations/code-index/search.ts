/**
 * Finds the chunks that answer a question: the cosine of the vectors and BM25 of the words, weighed together.
 *
 * - Vectors are read through, never kept; what stays in memory of an open index are its chunk and term tables.
 * - The words know names, the vectors know meanings: the built-in vectors, which only know words, count less.
 */
import { createHash } from 'node:crypto';
import type { SearchHit } from '../../ports/code-index.ts';
import {
  CHUNK_BYTES,
  type ChunkRow,
  DamagedIndex,
  decodeChunk,
  type FileRow,
  HASH_BYTES,
  TERM_BYTES,
  varints,
} from './format.ts';
import type { IndexReader } from './reader.ts';
import { questionWords, wordHash } from './terms.ts';

/** An index with what every search of it needs. */
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

const K1 = 1.2;
const B = 0.75;

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
  for (const row of best(scores, question.k)) {
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

/** Four sums at once: a processor need not wait for one to begin the next. */
function product(block: Float32Array, start: number, query: Float32Array): number {
  const whole = query.length - (query.length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < whole; at += 4) {
    a += block[start + at]! * query[at]!;
    b += block[start + at + 1]! * query[at + 1]!;
    c += block[start + at + 2]! * query[at + 2]!;
    d += block[start + at + 3]! * query[at + 3]!;
  }
  for (let at = whole; at < query.length; at += 1) a += block[start + at]! * query[at]!;
  return a + b + c + d;
}

/**
 * How close a cosine is, from 0 to 1. Models differ in what they call far: with some everything is above 0.5. So half
 * of it is the cosine, and half is where it stands between the mean and the best of this question.
 */
function closenessOf(cosines: Float32Array): (cosine: number) => number {
  const mean = cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
  const spread = cosines.reduce((most, each) => Math.max(most, each), -1) - mean;
  return (cosine) => Math.max(0, cosine) / 2 + (spread <= 0 ? 0 : Math.max(0, cosine - mean) / spread / 2);
}

/** BM25 of every chunk as a share of the best one's; zeros when no word is known. */
function wordScores(index: OpenIndex, text: string): Float64Array {
  const { chunks, words } = index.reader.header;
  const scores = new Float64Array(chunks);
  const meanWords = Math.max(1, words / chunks);
  for (const word of questionWords(text)) {
    const term = findTerm(index.terms, wordHash(word));
    if (term === undefined) continue;
    const idf = Math.log(1 + (chunks - term.chunks + 0.5) / (term.chunks + 0.5));
    for (const [row, often] of postingsOf(index, term)) {
      const length = index.chunks.readUInt32LE(row * CHUNK_BYTES + 24);
      scores[row]! += (idf * often * (K1 + 1)) / (often + K1 * (1 - B + (B * length) / meanWords));
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

function* postingsOf({ postings }: OpenIndex, term: Term): Generator<readonly [row: number, often: number]> {
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

/** The rows of the `k` highest scores above 0, best first; of equal ones the earlier. */
function best(scores: Float64Array, k: number): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < scores.length; row += 1) {
    const score = scores[row]!;
    if (score <= 0 || (rows.length === k && score <= scores[rows[k - 1]!]!)) continue;
    let at = rows.length;
    while (at > 0 && scores[rows[at - 1]!]! < score) at -= 1;
    rows.splice(at, 0, row);
    if (rows.length > k) rows.pop();
  }
  return rows;
}

async function hitOf(
  { reader, chunks, files }: OpenIndex,
  row: number,
  scores: { readonly score: number; readonly vector: number; readonly words: number },
): Promise<SearchHit> {
  const chunk = decodeChunk(chunks, row);
  const { text, symbol } = await reader.text(chunk);
  const file = files[chunk.file];
  if (file === undefined || !isText(chunk, text)) throw new DamagedIndex('a text has another checksum');
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

function isText({ hash }: ChunkRow, text: string): boolean {
  return textHash(text).equals(hash);
}

/** What tells that a text is the same as before. */
export function textHash(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
}
