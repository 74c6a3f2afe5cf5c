/**
 * The index in memory: a cache over the tables of `tables.ts`, checked against them before every use.
 *
 * - Folds never write to the cache. Rows that a question reads in a transaction that is rolled back are read again,
 *   because the next transaction may write other rows under the same revision.
 * - Sealed segments are immutable per revision; a segment with another revision is read again.
 * - `warmNextPiece` reads one segment or a few unsealed documents in each call, so that the cache warms up between
 *   requests.
 */
import type { Transaction, Views } from '../views.ts';
import { createMutableSegment, type MutableSegment } from './mutable-segment.ts';
import { type RecallKind, readRevisions, readSegment } from './segment-rows.ts';
import { type IndexPart, segmentPart } from './segments.ts';
import { readState, readUnsealed, type State } from './tables.ts';

/** The index of one kind of text. Documents are numbered across parts: `n` is slot `n - bases[p]` of part `p`. */
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

interface CachedSegment {
  readonly revision: number;
  readonly part: IndexPart;
  /** The transaction in which the segment was read. */
  readonly within: Transaction;
}

interface CacheEntry {
  schema: number;
  segments: Map<number, CachedSegment>;
  mutable: MutableSegment;
  state: (State & { readonly within: Transaction }) | null;
  loaded: RecallIndex | null;
}

const caches = new WeakMap<Views, Map<RecallKind, CacheEntry>>();

/** The whole index of a kind, equal to the present rows of the views. */
export function loadIndex(views: Views, kind: RecallKind): RecallIndex {
  const own = cacheOf(views, kind);
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null && own.state?.added === state.added) return own.loaded;
  for (const entry of readUnsealed(views, kind, lastId(own.mutable))) own.mutable.add(entry);
  return completed(own, { ...state, within: views.transaction });
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

/** The document with a row number; undefined when the index has none. */
export function documentOf({ parts, bases }: RecallIndex, id: number): number | undefined {
  const index = parts.findIndex(({ ids, size }) => size > 0 && ids[0]! <= id && id <= ids[size - 1]!);
  const slot = index < 0 ? -1 : indexOf(parts[index]!.ids, id);
  return slot < 0 ? undefined : bases[index]! + slot;
}

/** Where a value is in ascending ones; -1 when it is not there. */
function indexOf(ids: ArrayLike<number>, id: number): number {
  let low = 0;
  let high = ids.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/** Reads a segment that is not in memory, else some unsealed documents. Returns false when all is in memory. */
export function warmNextPiece(views: Views, kind: RecallKind): boolean {
  const own = cacheOf(views, kind);
  const missing = readRevisions(views, kind).find((row) => !fits(own.segments, row));
  if (missing !== undefined) {
    readIntoCache(views, { kind, ...missing }, own);
    return true;
  }
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null && own.state?.added === state.added) return false;
  own.loaded = null;
  own.state = { ...state, within: views.transaction };
  const piece = readUnsealed(views, kind, lastId(own.mutable));
  for (const entry of piece) own.mutable.add(entry);
  if (piece.length === 0) completed(own, own.state);
  return piece.length > 0;
}

function completed(own: CacheEntry, state: NonNullable<CacheEntry['state']>): RecallIndex {
  own.state = state;
  own.loaded = measured([...own.segments.values()].map(({ part }) => part).concat(own.mutable));
  return own.loaded;
}

function cacheOf(views: Views, kind: RecallKind): CacheEntry {
  const kinds = caches.get(views) ?? new Map<RecallKind, CacheEntry>();
  caches.set(views, kinds);
  // A rebuild creates the tables again with row numbers from 1, to which cached rows do not belong.
  const schema = views.get<{ schema_version: number }>('PRAGMA schema_version')!.schema_version;
  const own = kinds.get(kind);
  if (own !== undefined && own.schema === schema) return own;
  const entry: CacheEntry = {
    schema,
    segments: new Map(),
    mutable: createMutableSegment(),
    state: null,
    loaded: null,
  };
  kinds.set(kind, entry);
  return entry;
}

/** Whether the cache agrees with the tables, except for documents added later. */
function isCurrent(views: Views, kind: RecallKind, { own, state }: { own: CacheEntry; state: State }): boolean {
  const before = own.state;
  if (before === null || before.within.isRolledBack || before.revision !== state.revision) return false;
  return before.added <= state.added && newestFits(views, kind, own);
}

/** Whether the newest cached document is still in the tables. */
function newestFits(views: Views, kind: RecallKind, { mutable }: CacheEntry): boolean {
  if (mutable.size === 0) return true;
  const sql = 'SELECT self FROM recall_tail WHERE kind = ? AND id = ?';
  return views.get<{ self: number }>(sql, kind, lastId(mutable))?.self === mutable.selves[mutable.size - 1];
}

function reload(views: Views, kind: RecallKind, own: CacheEntry): void {
  const known = own.segments;
  own.segments = new Map();
  for (const row of readRevisions(views, kind)) {
    if (fits(known, row)) own.segments.set(row.number, known.get(row.number)!);
    else readIntoCache(views, { kind, ...row }, own);
  }
  own.mutable = createMutableSegment();
  own.loaded = null;
}

function readIntoCache(
  views: Views,
  row: { kind: RecallKind; number: number; revision: number },
  own: CacheEntry,
): void {
  const segment = readSegment(views, row.kind, row.number);
  if (segment === undefined) return;
  own.segments.set(row.number, { revision: row.revision, part: segmentPart(segment), within: views.transaction });
}

function fits(segments: CacheEntry['segments'], row: { number: number; revision: number }): boolean {
  const known = segments.get(row.number);
  return known !== undefined && known.revision === row.revision && !known.within.isRolledBack;
}

function lastId(mutable: MutableSegment): number {
  return mutable.size === 0 ? 0 : mutable.ids[mutable.size - 1]!;
}

/** Removed documents do not count, so that averages are those of an index that never held them. */
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
