/**
 * What the vectors of an embedding model add to a search by words.
 *
 * - A question's vector is only ever compared with vectors of the same model and dimension. An entry that has none yet
 *   keeps its built-in vector's cosine in the same place of the same formula.
 * - Models differ in what cosine two texts have that have nothing in common; that much is taken off before blending.
 *   What is reported as `vector` is the cosine as it is.
 */
import type { RecallHit } from '../recall/recall.ts';

/** A question, as a model sees it. */
export interface Meaning {
  /** The cosine with an entry's vector of the same model; undefined when it has none. */
  cosineOf(kind: 'memory' | 'drawer', key: string): number | undefined;
  /** The nearest entries, best first. */
  nearest(kind: 'memory' | 'drawer', k: number): readonly { readonly key: string; readonly cosine: number }[];
  /** The cosine of an entry that has nothing to do with the question; under 1. */
  readonly background: number;
}

/** The share of the vectors in the similarity; the words have the rest. */
const MEANING_SHARE = 0.6;
/** Entries that the model's vectors name beside those found by words; more when more are asked for. */
const NEAREST_MIN = 100;
/** Found by words for each one wanted, so that vectors have something to choose from. */
const FOUND_PER_WANTED = 4;
const FOUND_MIN = 40;

/** How many to find by words when so many are wanted in the end. */
export function foundByWords(meaning: Meaning | undefined, k: number): number {
  return meaning === undefined ? k : Math.max(FOUND_MIN, k * FOUND_PER_WANTED);
}

/** The hits of a search by words and the nearest by meaning, best first; without a meaning the hits as they are. */
export function blended(
  hits: readonly RecallHit[],
  meaning: Meaning | undefined,
  kind: 'memory' | 'drawer',
): readonly RecallHit[] {
  if (meaning === undefined) return hits;
  const byWords = hits[0]?.similarity ?? 0;
  const known = new Set(hits.map(({ key }) => key));
  const beside = meaning
    .nearest(kind, Math.max(NEAREST_MIN, hits.length))
    .filter(({ key }) => !known.has(key))
    .map(({ key, cosine }) => ({ key, lexical: 0, vector: unit(cosine) }));
  const found = hits.map(({ key, lexical, vector }) => {
    const cosine = meaning.cosineOf(kind, key);
    return { key, lexical, vector: cosine === undefined ? vector : unit(cosine) };
  });
  return [...found, ...beside]
    .map((hit) => {
      const words = (1 - MEANING_SHARE) * hit.lexical * byWords;
      return { ...hit, similarity: words + similarByVector(meaning, { kind, key: hit.key, vector: hit.vector }) };
    })
    .sort((one, other) => other.similarity - one.similarity || (one.key < other.key ? -1 : 1));
}

/** What a vector alone gives of the similarity. */
export function similarByVector(
  meaning: Meaning,
  { kind, key, vector }: { readonly kind: 'memory' | 'drawer'; readonly key: string; readonly vector: number },
): number {
  const background = meaning.cosineOf(kind, key) === undefined ? 0 : meaning.background;
  return MEANING_SHARE * unit((vector - background) / (1 - background));
}

function unit(value: number): number {
  return Math.max(0, Math.min(1, value));
}
