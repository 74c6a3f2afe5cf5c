/**
 * Ranks the documents of an index by how well they fit a question.
 *
 * 1. BM25 over whole texts finds candidates; only the postings of the question's terms are read.
 * 2. Candidates and their neighbours are scored block by block: terms that stand close together, blocks of a speaker
 *    that the question names and blocks beside a good one score higher.
 * 3. Vectors add similarity beyond shared words. They add candidates too, when the index lacks a word of the question
 *    or BM25 finds too few.
 * 4. Relevance feedback raises candidates that resemble the best ones.
 *
 * Pure: reads the index and keeps no state.
 */
import { lengthNorm, termScore } from '../../lib/bm25.ts';
import { bitCount, signWords } from '../../lib/sign-codes.ts';
import { topK } from '../../lib/top-k.ts';
import { scoreBlocks, withNeighbours } from './block-scores.ts';
import { locate, type RecallIndex } from './index-cache.ts';
import {
  accumulate,
  CODE_WORDS,
  estimate,
  headDistance,
  nearHeads,
  product,
  rotated,
  signDistance,
} from './quantise.ts';
import type { Question } from './question.ts';
import type { Settings } from './settings.ts';
import { VECTOR_DIMENSIONS } from './vector.ts';

export interface Ranked {
  /** Number among all documents of the kind. */
  readonly doc: number;
  readonly score: number;
  /** 0..1, relative to the best. */
  readonly lexical: number;
  /** Estimated cosine. */
  readonly vector: number;
  /** BM25 score of the whole text: about the weight of the words that it shares with the question. */
  readonly covered: number;
}

export interface RankRequest {
  readonly question: Question;
  readonly vector: Float32Array;
  readonly k: number;
  /** Whether a document may be in the result. */
  readonly allowed: (doc: number) => boolean;
  readonly settings: Settings;
}

/** Number of candidates that are scored block by block: this many, or two for each requested result. */
const CANDIDATES_MIN = 200;
/** Limit of candidates that vectors add, and of their head distance, which half of the vectors at cosine 0.4 pass. */
const CLOSE_MAX = 50;
const CLOSE_FAR = headDistance(0.4, 0);
/** Number of candidates whose cosine is estimated, by lexical score: this many, or two for each requested result. */
const COMPARED_MIN = 100;

export function rank(loaded: RecallIndex, request: RankRequest): readonly Ranked[] {
  const { question, settings, allowed, k } = request;
  const whole = scoreTexts(loaded, question, settings);
  favourSpeakers(loaded, question, { whole, share: settings.wholeSpeaker });
  const found = topK(whole, Math.max(CANDIDATES_MIN, k * 2), allowed);
  const vector = rotated(request.vector);
  const close = nearestBySigns(loaded, vector, {
    count: Math.max(CLOSE_MAX, k),
    allowed,
    far: farthest(found, request),
  });
  const candidates = withNeighbours(loaded, [...new Set([...found, ...close])], allowed);
  const best = scoreBlocks(loaded, candidates, { question, settings });
  const wholeMax = maxOf(candidates.map((doc) => whole[doc]!));
  const bestMax = maxOf(best);
  const share = settings.blockShare;
  const byWords = candidates
    .map((doc, at) => ({ doc, lexical: (1 - share) * (whole[doc]! / wholeMax) + share * (best[at]! / bestMax) }))
    .sort((one, other) => other.lexical - one.lexical || one.doc - other.doc);
  const compared = new Set([...byWords.slice(0, Math.max(COMPARED_MIN, k * 2)).map(({ doc }) => doc), ...close]);
  const ranked = byWords
    .map(({ doc, lexical }) => {
      const cosine = compared.has(doc) ? cosineOf(loaded, doc, vector) : 0;
      const score = lexical + settings.vector * Math.max(0, cosine);
      return { doc, lexical, vector: cosine, score, covered: whole[doc]! };
    })
    .sort(bestFirst);
  const feedback = feedbackScores(loaded, ranked, settings);
  return ranked
    .map((hit, at) => ({ ...hit, score: hit.score + (hit.score > 0 ? settings.feedback * feedback[at]! : 0) }))
    .sort(bestFirst);
}

function bestFirst(one: Ranked, other: Ranked): number {
  return other.score - one.score || one.doc - other.doc;
}

/** The documents nearest to a vector by estimated cosine alone, best first, without those under `min`. */
export function nearest(loaded: RecallIndex, vector: Float32Array, want: { k: number; min: number }): readonly Near[] {
  const query = rotated(vector);
  const far = headDistance(want.min, 2);
  return nearestBySigns(loaded, query, { count: Math.max(64, want.k * 4), allowed: () => true, far })
    .map((doc) => ({ doc, similarity: cosineOf(loaded, doc, query) }))
    .filter(({ similarity }) => similarity >= want.min && similarity > 0)
    .sort((one, other) => other.similarity - one.similarity || one.doc - other.doc)
    .slice(0, want.k);
}

export interface Near {
  readonly doc: number;
  readonly similarity: number;
}

/** The largest head distance of a candidate: any when BM25 finds too few, none when the index has all words. */
function farthest(found: readonly number[], { k, question }: RankRequest): number {
  if (found.length < k) return Number.POSITIVE_INFINITY;
  return question.unknown > 0 ? CLOSE_FAR : -1;
}

/** BM25 of every document. A term occurs once in each block it stands in. */
function scoreTexts(loaded: RecallIndex, question: Question, settings: Settings): Float32Array {
  const scores = new Float32Array(loaded.size);
  const average = Math.max(1, loaded.words / Math.max(1, loaded.docs));
  for (const { spans, weight } of question.terms) {
    const scaled = weight * (settings.k1 + 1);
    for (const [index, part] of loaded.parts.entries()) {
      const span = spans[index];
      if (span === undefined) continue;
      const base = loaded.bases[index]!;
      const { docs, masks, to } = span;
      const { lengths } = part;
      for (let at = span.from; at < to; at += 1) {
        const slot = docs[at]!;
        const norm = lengthNorm(settings, lengths[slot]!, average);
        scores[base + slot] = scores[base + slot]! + termScore(scaled, bitCount(masks[at]!), norm);
      }
    }
  }
  return scores;
}

/** Raises texts of a speaker that the question is about, by the speaker's share of their blocks. */
function favourSpeakers(
  loaded: RecallIndex,
  { speakers }: Question,
  { whole, share }: { readonly whole: Float32Array; readonly share: number },
): void {
  for (const { spans, weight } of speakers) {
    for (const [index, part] of loaded.parts.entries()) {
      const span = spans[index];
      if (span === undefined) continue;
      const base = loaded.bases[index]!;
      const { docs, masks, to } = span;
      const { blockStarts } = part;
      for (let at = span.from; at < to; at += 1) {
        const slot = docs[at]!;
        const score = whole[base + slot]!;
        if (score === 0) continue;
        const blocks = blockStarts[slot + 1]! - blockStarts[slot]!;
        whole[base + slot] = score * (1 + (share * weight * bitCount(masks[at]!)) / blocks);
      }
    }
  }
}

/** The documents whose signs are nearest to those of a rotated vector, best first, among heads within `far`. */
function nearestBySigns(
  loaded: RecallIndex,
  vector: Float32Array,
  { count, allowed, far }: { count: number; allowed: RankRequest['allowed']; far: number },
): number[] {
  if (far < 0) return [];
  const signs = signWords(vector);
  const near: { doc: number; distance: number }[] = [];
  for (const [index, part] of loaded.parts.entries()) {
    for (const slot of nearHeads(signs, part.heads, { size: part.size, far })) {
      const doc = loaded.bases[index]! + slot;
      if (part.selves[slot] === 0 || !allowed(doc)) continue;
      near.push({ doc, distance: signDistance(signs, part.codes, slot * CODE_WORDS) });
    }
  }
  near.sort((one, other) => one.distance - other.distance || one.doc - other.doc);
  return near.slice(0, count).map(({ doc }) => doc);
}

/** The estimated cosine of a rotated vector with that of a document. */
export function cosineOf(loaded: RecallIndex, doc: number, vector: Float32Array): number {
  const { part, slot } = locate(loaded, doc);
  return estimate(vector, part.codes, { at: slot * CODE_WORDS, self: part.selves[slot]! });
}

function maxOf(values: ArrayLike<number>): number {
  let max = Number.MIN_VALUE;
  for (let at = 0; at < values.length; at += 1) max = Math.max(max, values[at]!);
  return max;
}

/** The best hits are compared with each other; hits after these get 0. */
const COMPARED_MAX = 100;

interface Hit {
  readonly doc: number;
  readonly score: number;
}

/**
 * Pseudo-relevance feedback: the similarity of each hit to the best ones, 0..1 relative to the most similar, by
 * features that they share and that the other hits lack. It finds answers that use the words of other answers instead
 * of the question's. Hits come best first.
 */
function feedbackScores(loaded: RecallIndex, hits: readonly Hit[], { best, bestPower }: Settings): Float32Array {
  const out = new Float32Array(hits.length);
  const compared = hits.slice(0, COMPARED_MAX).map((hit, place) => ({ ...hit, ...codeOf(loaded, hit.doc), place }));
  const filled = compared.filter(({ code }) => code.self !== 0);
  const common = new Float32Array(VECTOR_DIMENSIONS);
  for (const { codes, code } of filled) accumulate(codes, code.at, { into: common, weight: 1 / filled.length });
  const direction = new Float32Array(VECTOR_DIMENSIONS);
  const leading = filled.slice(0, best).map((hit) => ({ ...hit, weight: (hit.score / hits[0]!.score) ** bestPower }));
  const weight = leading.reduce((sum, hit) => sum + hit.weight, 0);
  for (const hit of leading) accumulate(hit.codes, hit.code.at, { into: direction, weight: hit.weight / weight });
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) direction[at] = direction[at]! - common[at]!;
  const usual = product(direction, common);
  let most = Number.MIN_VALUE;
  for (const { codes, code, place } of filled) {
    out[place] = Math.max(0, estimate(direction, codes, code) - usual);
    most = Math.max(most, out[place]!);
  }
  return out.map((value) => value / most);
}

function codeOf(loaded: RecallIndex, doc: number) {
  const { part, slot } = locate(loaded, doc);
  return { codes: part.codes, code: { at: slot * CODE_WORDS, self: part.selves[slot]! } };
}
