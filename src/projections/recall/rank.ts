/**
 * Ranking: which documents fit a question best, by words first.
 *
 * 1. BM25 over whole texts finds candidates; only terms of the question are touched.
 * 2. Candidates and their neighbours are looked at block by block: what stands together counts, what the named one
 *    says counts more, and an answer profits from the question that was asked just before it.
 * 3. Vectors add what words miss; they alone find candidates when a word of the question is unknown.
 * 4. What is like the best ones gains by it.
 *
 * Pure: reads what was loaded, keeps nothing.
 */
import { scoreBlocks } from './blocks.ts';
import { likeness } from './likeness.ts';
import { type Loaded, locate } from './loaded.ts';
import { withNeighbours } from './neighbours.ts';
import { bitsOf, CODE_WORDS, estimate, headDistance, nearHeads, signDistance, signsOf, turned } from './quantise.ts';
import type { Question } from './question.ts';
import type { Settings } from './settings.ts';
import { topOf } from './top.ts';

export interface Ranked {
  /** Its number among all documents of the kind. */
  readonly doc: number;
  readonly score: number;
  /** 0..1, relative to the best. */
  readonly lexical: number;
  /** About the cosine. */
  readonly vector: number;
  /** BM25: about the weight of the words it shares with the question. */
  readonly covered: number;
}

export interface Wanted {
  readonly question: Question;
  readonly vector: Float32Array;
  readonly k: number;
  /** Which documents may be answered at all. */
  readonly allowed: (doc: number) => boolean;
  readonly settings: Settings;
}

/** Candidates looked at closely: this many, or two for each result asked for. */
const CANDIDATES_MIN = 200;
/** Candidates that the vectors name when a word is unknown, and how near they must be: half of those at cosine 0.4. */
const CLOSE_MAX = 50;
const CLOSE_FAR = headDistance(0.4, 0);
/** Candidates whose vectors are compared, best words first: this many, or two for each result asked for. */
const COMPARED_MIN = 100;

export function rank(loaded: Loaded, wanted: Wanted): readonly Ranked[] {
  const { question, settings, allowed, k } = wanted;
  const whole = scoreTexts(loaded, question, settings);
  favourSpeakers(loaded, question, { whole, share: settings.wholeSpeaker });
  const found = topOf(whole, Math.max(CANDIDATES_MIN, k * 2), allowed);
  const seen = turned(wanted.vector);
  const close = bySigns(loaded, seen, { count: Math.max(CLOSE_MAX, k), allowed, far: farthest(found, wanted) });
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
      const vector = compared.has(doc) ? vectorOf(loaded, doc, seen) : 0;
      return { doc, lexical, vector, score: lexical + settings.vector * Math.max(0, vector), covered: whole[doc]! };
    })
    .sort(bestFirst);
  const alike = likeness(loaded, ranked, settings);
  return ranked
    .map((hit, at) => ({ ...hit, score: hit.score + (hit.score > 0 ? settings.likeness * alike[at]! : 0) }))
    .sort(bestFirst);
}

function bestFirst(one: Ranked, other: Ranked): number {
  return other.score - one.score || one.doc - other.doc;
}

/** The documents nearest to a vector by cosine alone, best first, those under `min` left out. */
export function nearest(loaded: Loaded, vector: Float32Array, want: { k: number; min: number }): readonly Near[] {
  const seen = turned(vector);
  const far = headDistance(want.min, 2);
  return bySigns(loaded, seen, { count: Math.max(64, want.k * 4), allowed: () => true, far })
    .map((doc) => ({ doc, similarity: vectorOf(loaded, doc, seen) }))
    .filter(({ similarity }) => similarity >= want.min && similarity > 0)
    .sort((one, other) => other.similarity - one.similarity || one.doc - other.doc)
    .slice(0, want.k);
}

export interface Near {
  readonly doc: number;
  readonly similarity: number;
}

/** How far the vectors are looked for: everywhere when words do not find enough, nowhere when they know it all. */
function farthest(found: readonly number[], { k, question }: Wanted): number {
  if (found.length < k) return Number.POSITIVE_INFINITY;
  return question.unknown > 0 ? CLOSE_FAR : -1;
}

/** Lengths whose norms are computed once for a question. */
const USUAL_LENGTHS = 1_024;

/** BM25 of every document; how often a term occurs is in how many blocks. */
function scoreTexts(loaded: Loaded, question: Question, { k1, b }: Settings): Float32Array {
  const scores = new Float32Array(loaded.size);
  const average = Math.max(1, loaded.words / Math.max(1, loaded.docs));
  const normOf = (length: number): number => k1 * (1 - b + (b * length) / average);
  const norms = Float64Array.from({ length: USUAL_LENGTHS }, (_, length) => normOf(length));
  for (const { spans, weight } of question.terms) {
    const full = weight * (k1 + 1);
    for (const [index, part] of loaded.parts.entries()) {
      const span = spans[index];
      if (span === undefined) continue;
      const base = loaded.bases[index]!;
      const { docs, masks, to } = span;
      const { lengths } = part;
      for (let at = span.from; at < to; at += 1) {
        const slot = docs[at]!;
        const often = bitsOf(masks[at]!);
        const length = lengths[slot]!;
        const norm = length < USUAL_LENGTHS ? norms[length]! : normOf(length);
        scores[base + slot] = scores[base + slot]! + (full * often) / (often + norm);
      }
    }
  }
  return scores;
}

/** Texts in which the ones it is about speak count more, the more of their blocks are theirs. */
function favourSpeakers(
  loaded: Loaded,
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
        whole[base + slot] = score * (1 + (share * weight * bitsOf(masks[at]!)) / blocks);
      }
    }
  }
}

/** The documents whose signs are nearest to those of the vector, best first, of those whose heads are not too far. */
function bySigns(
  loaded: Loaded,
  seen: Float32Array,
  { count, allowed, far }: { count: number; allowed: Wanted['allowed']; far: number },
): number[] {
  if (far < 0) return [];
  const signs = signsOf(seen);
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

function vectorOf(loaded: Loaded, doc: number, seen: Float32Array): number {
  const { part, slot } = locate(loaded, doc);
  return estimate(seen, part.codes, { at: slot * CODE_WORDS, self: part.selves[slot]! });
}

function maxOf(values: ArrayLike<number>): number {
  let max = Number.MIN_VALUE;
  for (let at = 0; at < values.length; at += 1) max = Math.max(max, values[at]!);
  return max;
}
