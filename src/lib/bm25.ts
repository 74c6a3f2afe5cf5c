/**
 * The parts of Okapi BM25: a document's score is the sum of `termScore` over the terms of the query.
 *
 * The parts are apart because rankings precompute them: the weight once per term, the norm once per document length.
 */

export interface Bm25 {
  /** Saturation: the weight of repetitions of a term. With 0 they add nothing. */
  readonly k1: number;
  /** Length normalisation: 0 is none, 1 is full. */
  readonly b: number;
}

/** Inverse document frequency of a term that stands in `containing` of `documents`; always above 0. */
export function inverseDocumentFrequency(documents: number, containing: number): number {
  return Math.log(1 + (Math.max(0, documents - containing) + 0.5) / (containing + 0.5));
}

/** The length-dependent part of the denominator; `average` is the mean length, in the same unit, above 0. */
export function lengthNorm({ k1, b }: Bm25, length: number, average: number): number {
  return k1 * (1 - b + (b * length) / average);
}

/**
 * The term's share of a score. `weight` is its inverse document frequency times `k1 + 1`, `count` how often it occurs.
 */
export function termScore(weight: number, count: number, norm: number): number {
  return (weight * count) / (count + norm);
}
