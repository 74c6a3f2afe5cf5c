/**
 * The index in memory: read from the views when it is first asked, kept up with them at every question.
 *
 * - Never written to by folds, so a transaction that is rolled back leaves nothing behind here: what is held is
 *   compared with the rows before it is used.
 * - Segments are immutable; one that changed has another revision and is read again.
 * - `warmNext` reads one piece at a time (a segment, some of the tail), so that a program can warm up between requests.
 */
import type { Views } from '../views.ts';
import { createTail, type Part, segmentPart, type Tail } from './parts.ts';
import {
  type RecallKind,
  readRevisions,
  readSegment,
  readState,
  readTail,
  SEGMENT_DOCS,
  type State,
} from './tables.ts';

/** The parts of one kind of text, end to end: document `n` of all is slot `n - bases[p]` of part `p`. */
export interface Loaded {
  readonly parts: readonly Part[];
  readonly bases: readonly number[];
  /** Slots, removed documents included. */
  readonly size: number;
  /** Documents that are there and have words. */
  readonly docs: number;
  readonly words: number;
  readonly blocks: number;
}

interface Held {
  schema: number;
  segments: Map<number, { revision: number; part: Part }>;
  tail: Tail;
  state: State | null;
  loaded: Loaded | null;
}

const held = new WeakMap<Views, Map<RecallKind, Held>>();

/** Everything of a kind, as the views are now. */
export function load(views: Views, kind: RecallKind): Loaded {
  const own = holdings(views, kind);
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null && own.state?.added === state.added) return own.loaded;
  for (const entry of readTail(views, kind, { after: lastId(own.tail), limit: SEGMENT_DOCS })) own.tail.add(entry);
  return completed(own, state);
}

/** The part and the slot of a document. */
export function locate({ parts, bases }: Loaded, doc: number): { part: Part; slot: number } {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (bases[middle]! <= doc) low = middle;
    else high = middle - 1;
  }
  return { part: parts[low]!, slot: doc - bases[low]! };
}

/** Reads one segment that is not in memory yet, else a piece of the tail; whether there was something to read. */
export function warmNext(views: Views, kind: RecallKind): boolean {
  const own = holdings(views, kind);
  const missing = readRevisions(views, kind).find((row) => !fits(own, row));
  if (missing !== undefined) {
    hold(views, { kind, ...missing }, own);
    return true;
  }
  const state = readState(views, kind);
  if (!isCurrent(views, kind, { own, state })) reload(views, kind, own);
  else if (own.loaded !== null) return false;
  own.state = state;
  const piece = readTail(views, kind, { after: lastId(own.tail), limit: TAIL_AT_ONCE });
  for (const entry of piece) own.tail.add(entry);
  if (piece.length === 0) completed(own, state);
  return piece.length > 0;
}

/** Texts of the tail that are read at once while warming up: a few milliseconds. */
const TAIL_AT_ONCE = 128;

function completed(own: Held, state: State): Loaded {
  own.state = state;
  own.loaded = measured([...own.segments.values()].map(({ part }) => part).concat(own.tail));
  return own.loaded;
}

function holdings(views: Views, kind: RecallKind): Held {
  const kinds = held.get(views) ?? new Map<RecallKind, Held>();
  held.set(views, kinds);
  // Tables made anew count their rows anew: nothing that was read before is worth keeping.
  const schema = views.get<{ schema_version: number }>('PRAGMA schema_version')!.schema_version;
  const own = kinds.get(kind);
  if (own !== undefined && own.schema === schema) return own;
  const made: Held = { schema, segments: new Map(), tail: createTail(SEGMENT_DOCS), state: null, loaded: null };
  kinds.set(kind, made);
  return made;
}

/** Whether what is held is of the rows as they are, though some of the newest may be missing. */
function isCurrent(views: Views, kind: RecallKind, { own, state }: { own: Held; state: State }): boolean {
  const before = own.state;
  if (before === null || before.revision !== state.revision || before.segments !== state.segments) return false;
  return before.added <= state.added && tailFits(views, kind, own);
}

/** Whether the newest document held is still the one in the rows. */
function tailFits(views: Views, kind: RecallKind, { tail }: Held): boolean {
  if (tail.size === 0) return true;
  const sql = 'SELECT self FROM recall_tail WHERE kind = ? AND id = ?';
  return views.get<{ self: number }>(sql, kind, lastId(tail))?.self === tail.selves[tail.size - 1];
}

function reload(views: Views, kind: RecallKind, own: Held): void {
  const before = own.segments;
  own.segments = new Map();
  for (const row of readRevisions(views, kind)) {
    const known = before.get(row.number);
    if (known?.revision === row.revision) own.segments.set(row.number, known);
    else hold(views, { kind, ...row }, own);
  }
  own.tail = createTail(SEGMENT_DOCS);
  own.loaded = null;
}

function hold(views: Views, row: { kind: RecallKind; number: number; revision: number }, own: Held): void {
  const segment = readSegment(views, row.kind, row.number);
  if (segment !== undefined) own.segments.set(row.number, { revision: row.revision, part: segmentPart(segment) });
}

function fits(own: Held, row: { number: number; revision: number }): boolean {
  return own.segments.get(row.number)?.revision === row.revision;
}

function lastId(tail: Tail): number {
  return tail.size === 0 ? 0 : tail.ids[tail.size - 1]!;
}

/** What was taken out counts for nothing: averages are those of an index that never had it. */
function measured(parts: readonly Part[]): Loaded {
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
