/**
 * Full-text and similarity search over memories and drawers.
 *
 * - What `tables.ts` exports writes and is for folds only; the other functions only read.
 * - The same texts and the same question give the same result, whether the index is in memory, read back or rebuilt.
 */
import { type Slicing, TimeSlices } from '../../lib/slices.ts';
import type { Views } from '../views.ts';
import { documentOf, loadIndex, locate, type RecallIndex, warmNextPiece } from './index-cache.ts';
import { rotated } from './quantise.ts';
import { parseQuestion } from './question.ts';
import { cosineOf, nearest, type Ranked, rank } from './rank.ts';
import type { RecallKind } from './segment-rows.ts';
import { SETTINGS, type Settings } from './settings.ts';
import { nameHash } from './tables.ts';
import { vectorOf } from './text-analysis.ts';
import { localVector } from './vector.ts';

export type { RecallKind } from './segment-rows.ts';
export {
  clearRemoved,
  indexText,
  RECALL_DDL,
  RECALL_TABLES,
  type RecallItem,
  unindexAll,
  unindexLater,
  unindexText,
} from './tables.ts';

export interface RecallQuery {
  readonly text: string;
  readonly kind: RecallKind;
  /** Number of results; at most `RECALL_RESULTS_MAX`. */
  readonly k: number;
  /** Only texts of this wing. */
  readonly wing?: string | null | undefined;
  /** Weights in place of the default ones, for measurements. */
  readonly settings?: Settings | undefined;
}

export interface RecallHit {
  readonly key: string;
  /** 0..1: the score that orders the hits. */
  readonly similarity: number;
  /** 0..1, relative to the best hit. */
  readonly lexical: number;
  /** 0..1: the estimated cosine of the vectors. */
  readonly vector: number;
}

export interface NearQuery {
  readonly text: string;
  readonly kind: RecallKind;
  readonly k: number;
  readonly min: number;
}

export interface NearHit {
  readonly key: string;
  /** The cosine estimated from three bits a dimension: within about 0.02, exactly 1 for an equal text. */
  readonly similarity: number;
}

export const RECALL_RESULTS_MAX = 1_000;

/** The texts that fit a question, best first. */
export function searchTexts(views: Views, query: RecallQuery): readonly RecallHit[] {
  const k = Math.min(RECALL_RESULTS_MAX, Math.floor(query.k));
  const loaded = loadIndex(views, query.kind);
  if (!(k > 0) || loaded.docs === 0) return [];
  const settings = query.settings ?? SETTINGS;
  const question = parseQuestion(query.text, loaded, settings);
  const vector = localVector(query.text);
  const ranked = rank(loaded, { question, vector, k, settings, allowed: filterOf(loaded, query) });
  const hits: RecallHit[] = [];
  const trust = trustIn(ranked[0], question.weight);
  const best = ranked[0]?.score ?? 1;
  const keys = keysOf(views, loaded, ranked.slice(0, k));
  for (const { doc, score, lexical, vector: cosine } of ranked) {
    if (hits.length >= k || score <= 0) break;
    const key = keys.get(doc) ?? keyOf(views, loaded, doc);
    if (key === undefined) continue;
    hits.push({ key, similarity: (score / best) * trust, lexical: unit(lexical), vector: unit(cosine) });
  }
  return hits;
}

/** The texts with the most similar vectors, best first, none below `min`. */
export function nearestTexts(views: Views, query: NearQuery): readonly NearHit[] {
  const loaded = loadIndex(views, query.kind);
  const k = Math.min(RECALL_RESULTS_MAX, Math.floor(query.k));
  if (!(k > 0) || loaded.docs === 0) return [];
  return nearest(loaded, vectorOf(query.text), { k, min: query.min }).flatMap((near) => {
    const key = keyOf(views, loaded, near.doc);
    return key === undefined ? [] : [{ key, similarity: near.similarity }];
  });
}

/** The estimated cosine of a question with the text of a key; 0 for one without words or that is not in the index. */
export function cosinesWith(views: Views, { text, kind }: Pick<RecallQuery, 'text' | 'kind'>): (key: string) => number {
  const loaded = loadIndex(views, kind);
  const vector = rotated(localVector(text));
  return (key) => {
    const row = views.get<{ id: number }>('SELECT id FROM recall_docs WHERE key = ?', key);
    const doc = row === undefined ? undefined : documentOf(loaded, row.id);
    return doc === undefined ? 0 : cosineOf(loaded, doc, vector);
  };
}

/** Reads a piece of the index into memory. Returns false when all is read. A search reads the missing pieces. */
export function warmRecall(views: Views): boolean {
  return warmNextPiece(views, 'memory') || warmNextPiece(views, 'drawer');
}

/** Reads the missing pieces in slices, so that the search that follows need not read them all in one turn. */
export async function readRecall(views: Views, slicing?: Slicing): Promise<void> {
  const slices = new TimeSlices(slicing);
  while (warmRecall(views)) if (slices.isOver) await slices.next();
}

/** How well the best hit fits in absolute terms, 0..1. Scores are relative, so the best of bad hits would look good. */
function trustIn(best: Ranked | undefined, weight: number): number {
  if (best === undefined) return 0;
  const covered = weight > 0 ? Math.min(1, best.covered / weight) : 0;
  return Math.min(1, Math.max(Math.sqrt(covered), best.vector));
}

function filterOf(loaded: RecallIndex, { wing }: RecallQuery): (doc: number) => boolean {
  if (wing == null) return () => true;
  const hash = nameHash(wing);
  return (doc) => {
    const { part, slot } = locate(loaded, doc);
    return part.wings[slot] === hash;
  };
}

/** Keys by document, without removed documents. */
function keysOf(
  views: Views,
  loaded: RecallIndex,
  docs: readonly { readonly doc: number }[],
): ReadonlyMap<number, string> {
  const byId = new Map(
    docs.map(({ doc }) => {
      const { part, slot } = locate(loaded, doc);
      return [part.ids[slot]!, doc];
    }),
  );
  const sql = 'SELECT id, key FROM recall_docs WHERE id IN (SELECT value FROM json_each(?))';
  const rows = views.all<{ id: number; key: string }>(sql, JSON.stringify([...byId.keys()]));
  return new Map(rows.map(({ id, key }) => [byId.get(id)!, key]));
}

function keyOf(views: Views, loaded: RecallIndex, doc: number): string | undefined {
  const { part, slot } = locate(loaded, doc);
  return views.get<{ key: string }>('SELECT key FROM recall_docs WHERE id = ?', part.ids[slot]!)?.key;
}

/** The value, at least 0 and at most 1. */
export function unit(value: number): number {
  return Math.max(0, Math.min(1, value));
}
