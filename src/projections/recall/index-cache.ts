/**
 * The index in memory: a cache over the tables of `tables.ts`, checked against them before every use.
 *
 * - Folds never write to the cache, so a transaction that is rolled back leaves no trace in it.
 * - Sealed segments are immutable per revision; a segment with another revision is read again.
 * - `warmNextPiece` reads one segment or a few unsealed documents a call, so that a program can warm up between
 *   requests.
 */
import type { Views } from '../views.ts';
import { createMutableSegment, type MutableSegment } from './mutable-segment.ts';
import { type IndexPart, segmentPart } from './segments.ts';
import {
  type RecallKind,
  readRevisions,
  readSegment,
  readState,
  readUnsealed,
  SEGMENT_DOCS,
  type State,
} from './tables.ts';

/** The index of one kind of text. Its parts are numbered through: document `n` is slot `n - bases[p]` of part `p`. */
export interface RecallIndex {
  readonly parts: readonly IndexPart[];
  readonly bases: readonly number[];
  /** Slots, removed documents included. */
  readonly size: number;
  /** Documents with words, without removed ones. */
  readonly docs: number;
  readonly words: number;
  readonly blocks: number;
}

interface CacheEntry {
  schema: number;
  segments: Map<number, { revision: number; part: IndexPart }>;
  mutable: MutableSegment;
  state: State | null;
  loaded: RecallIndex | null;
}

const caches = new WeakMap<Views, Map<RecallKind, CacheEntry>>();

/** The whole index of a kind, equal to the present rows of the views. */
export function loadIndex(views: Views, kind: RecallKind): RecallIndex {
  const own = cacheOf(views, kind);
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null && own.state?.added === state.added) return own.loaded;
  for (const entry of readUnsealed(views, kind, { after: lastId(own.mutable), limit: SEGMENT_DOCS }))
    own.mutable.add(entry);
  return completed(own, state);
}

/** The part and the slot of a document. */
export function locate({ parts, bases }: RecallIndex, doc: number): { part: IndexPart; slot: number } {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (bases[middle]! <= doc) low = middle;
    else high = middle - 1;
  }
  return { part: parts[low]!, slot: doc - bases[low]! };
}

/** Reads one segment that is not in memory, else some unsealed documents. False when all is in memory. */
export function warmNextPiece(views: Views, kind: RecallKind): boolean {
  const own = cacheOf(views, kind);
  const missing = readRevisions(views, kind).find((row) => !fits(own, row));
  if (missing !== undefined) {
    readIntoCache(views, { kind, ...missing }, own);
    return true;
  }
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null) return false;
  own.state = state;
  const piece = readUnsealed(views, kind, { after: lastId(own.mutable), limit: UNSEALED_AT_ONCE });
  for (const entry of piece) own.mutable.add(entry);
  if (piece.length === 0) completed(own, state);
  return piece.length > 0;
}

/** Unsealed documents read a call while warming up: a few milliseconds. */
const UNSEALED_AT_ONCE = 128;

function completed(own: CacheEntry, state: State): RecallIndex {
  own.state = state;
  own.loaded = measured([...own.segments.values()].map(({ part }) => part).concat(own.mutable));
  return own.loaded;
}

function cacheOf(views: Views, kind: RecallKind): CacheEntry {
  const kinds = caches.get(views) ?? new Map<RecallKind, CacheEntry>();
  caches.set(views, kinds);
  // A rebuild creates the tables again, with row numbers from 1: cached rows do not belong to them.
  const schema = views.get<{ schema_version: number }>('PRAGMA schema_version')!.schema_version;
  const own = kinds.get(kind);
  if (own !== undefined && own.schema === schema) return own;
  const made: CacheEntry = {
    schema,
    segments: new Map(),
    mutable: createMutableSegment(SEGMENT_DOCS),
    state: null,
    loaded: null,
  };
  kinds.set(kind, made);
  return made;
}

/** Whether the cache agrees with the tables, except for documents added later. */
function isCurrent(views: Views, kind: RecallKind, { own, state }: { own: CacheEntry; state: State }): boolean {
  const before = own.state;
  if (before === null || before.revision !== state.revision || before.segments !== state.segments) return false;
  return before.added <= state.added && newestFits(views, kind, own);
}

/** Whether the newest cached document is still in the tables. */
function newestFits(views: Views, kind: RecallKind, { mutable }: CacheEntry): boolean {
  if (mutable.size === 0) return true;
  const sql = 'SELECT self FROM recall_tail WHERE kind = ? AND id = ?';
  return views.get<{ self: number }>(sql, kind, lastId(mutable))?.self === mutable.selves[mutable.size - 1];
}

function reload(views: Views, kind: RecallKind, own: CacheEntry): void {
  const before = own.segments;
  own.segments = new Map();
  for (const row of readRevisions(views, kind)) {
    const known = before.get(row.number);
    if (known?.revision === row.revision) own.segments.set(row.number, known);
    else readIntoCache(views, { kind, ...row }, own);
  }
  own.mutable = createMutableSegment(SEGMENT_DOCS);
  own.loaded = null;
}

function readIntoCache(
  views: Views,
  row: { kind: RecallKind; number: number; revision: number },
  own: CacheEntry,
): void {
  const segment = readSegment(views, row.kind, row.number);
  if (segment !== undefined) own.segments.set(row.number, { revision: row.revision, part: segmentPart(segment) });
}

function fits(own: CacheEntry, row: { number: number; revision: number }): boolean {
  return own.segments.get(row.number)?.revision === row.revision;
}

function lastId(mutable: MutableSegment): number {
  return mutable.size === 0 ? 0 : mutable.ids[mutable.size - 1]!;
}

/** Removed documents do not count: averages are those of an index that never held them. */
function measured(parts: readonly IndexPart[]): RecallIndex {
  const bases: number[] = [];
  let size = 0;
  let docs = 0;
  let words = 0;
  let blocks = 0;
  for (const part of parts) {
    bases.push(size);
    size += part.size;
    for (let slot = 0; slot < part.size; slot += 1) {
      const length = part.lengths[slot]!;
      if (length === 0) continue;
      docs += 1;
      words += length;
      blocks += part.blockStarts[slot + 1]! - part.blockStarts[slot]!;
    }
  }
  return { parts, bases, size, docs, words, blocks };
}
