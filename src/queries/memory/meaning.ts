/**
 * Blends the vectors of an embedding model into a search by words.
 *
 * - The vector of a question is compared only with vectors of the same model and dimension. An entry without one keeps
 *   the cosine of its built-in vector in the same place of the same formula.
 * - Models differ in the cosine of unrelated texts. This background is subtracted before blending; the reported
 *   `vector` is the cosine itself.
 */
import type { VectorKind } from '../../ports/vector-files.ts';
import { type RecallHit, unit } from '../../projections/recall/recall.ts';

/** A question in the vector space of an embedding model. */
export interface Meaning {
  /** The cosine with an entry's vector of the same model; undefined when the entry has none. */
  cosineOf(kind: VectorKind, key: string): number | undefined;
  /** The nearest entries, best first. */
  nearest(kind: VectorKind, k: number): readonly { readonly key: string; readonly cosine: number }[];
  /** The cosine of an entry that is unrelated to the question; under 1. */
  readonly background: number;
}

/** The share of the vectors in the similarity; the words have the rest. */
const VECTOR_SHARE = 0.6;
const NEAREST_MIN = 100;
/** Candidates found by words for each result, so that vectors can reorder them. */
const CANDIDATES_PER_RESULT = 4;
const CANDIDATES_MIN = 40;

/** Candidates to find by words for `k` results. */
export function wordCandidates(meaning: Meaning | undefined, k: number): number {
  return meaning === undefined ? k : Math.max(CANDIDATES_MIN, k * CANDIDATES_PER_RESULT);
}

/** Hits by words and the nearest entries by meaning, best first. Without a meaning, the hits unchanged. */
export function blended(
  hits: readonly RecallHit[],
  meaning: Meaning | undefined,
  kind: VectorKind,
): readonly RecallHit[] {
  if (meaning === undefined) return hits;
  const bestByWords = hits[0]?.similarity ?? 0;
  const hitKeys = new Set(hits.map(({ key }) => key));
  const nearest = meaning
    .nearest(kind, Math.max(NEAREST_MIN, hits.length))
    .filter(({ key }) => !hitKeys.has(key))
    .map(({ key, cosine }) => ({ key, lexical: 0, vector: unit(cosine) }));
  const byWords = hits.map(({ key, lexical, vector }) => {
    const cosine = meaning.cosineOf(kind, key);
    return { key, lexical, vector: cosine === undefined ? vector : unit(cosine) };
  });
  return [...byWords, ...nearest]
    .map((hit) => {
      const words = (1 - VECTOR_SHARE) * hit.lexical * bestByWords;
      return { ...hit, similarity: words + vectorSimilarity(meaning, { kind, key: hit.key, vector: hit.vector }) };
    })
    .sort((one, other) => other.similarity - one.similarity || (one.key < other.key ? -1 : 1));
}

/** The contribution of a vector to the similarity. */
export function vectorSimilarity(
  meaning: Meaning,
  { kind, key, vector }: { readonly kind: VectorKind; readonly key: string; readonly vector: number },
): number {
  const background = meaning.cosineOf(kind, key) === undefined ? 0 : meaning.background;
  return VECTOR_SHARE * unit((vector - background) / (1 - background));
}
