/**
 * Pseudo-relevance feedback: hits gain score for features that they share with the best hits and that the other hits
 * lack.
 *
 * It finds answers that use the words of other answers instead of the question's.
 */
import { locate, type RecallIndex } from './index-cache.ts';
import { accumulate, CODE_WORDS, estimate, product } from './quantise.ts';
import type { Settings } from './settings.ts';
import { VECTOR_DIMENSIONS } from './vector.ts';

/** The best hits are compared with each other; hits after these get 0. */
const COMPARED_MAX = 100;

interface Hit {
  readonly doc: number;
  readonly score: number;
}

/** The similarity of each hit to the best ones, 0..1 relative to the most similar. Hits come best first. */
export function feedbackScores(loaded: RecallIndex, hits: readonly Hit[], { best, bestPower }: Settings): Float32Array {
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
