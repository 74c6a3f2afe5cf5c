/**
 * What the best hits have in common and the others have not: a hit that is like them gains by it.
 *
 * It finds what answers a question in other words than the question's: those of the other answers.
 */
import { type Loaded, locate } from './loaded.ts';
import { CODE_WORDS, estimate, gather, product } from './quantise.ts';
import type { Settings } from './settings.ts';
import { VECTOR_DIMENSIONS } from './vector.ts';

/** The best hits that are compared with one another; further ones are like none. */
const COMPARED_MAX = 100;

interface Hit {
  readonly doc: number;
  readonly score: number;
}

/** For each of the hits, which are best first, how like the best ones it is: 0..1, relative to the most alike. */
export function likeness(loaded: Loaded, hits: readonly Hit[], { best, bestPower }: Settings): Float32Array {
  const out = new Float32Array(hits.length);
  const compared = hits.slice(0, COMPARED_MAX).map((hit, place) => ({ ...hit, ...codeOf(loaded, hit.doc), place }));
  const filled = compared.filter(({ code }) => code.self !== 0);
  const common = new Float32Array(VECTOR_DIMENSIONS);
  for (const { codes, code } of filled) gather(codes, code.at, { into: common, weight: 1 / filled.length });
  const direction = new Float32Array(VECTOR_DIMENSIONS);
  const leading = filled.slice(0, best).map((hit) => ({ ...hit, weight: (hit.score / hits[0]!.score) ** bestPower }));
  const weight = leading.reduce((sum, hit) => sum + hit.weight, 0);
  for (const hit of leading) gather(hit.codes, hit.code.at, { into: direction, weight: hit.weight / weight });
  for (let at = 0; at < VECTOR_DIMENSIONS; at += 1) direction[at] = direction[at]! - common[at]!;
  const usual = product(direction, common);
  let most = Number.MIN_VALUE;
  for (const { codes, code, place } of filled) {
    out[place] = Math.max(0, estimate(direction, codes, code) - usual);
    most = Math.max(most, out[place]!);
  }
  return out.map((value) => value / most);
}

function codeOf(loaded: Loaded, doc: number) {
  const { part, slot } = locate(loaded, doc);
  return { codes: part.codes, code: { at: slot * CODE_WORDS, self: part.selves[slot]! } };
}
