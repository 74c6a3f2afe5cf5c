/**
 * The index in memory: read from the views when it is first asked, kept up with them at every question.
 *
 * - Never written to by folds, so a transaction that is rolled back leaves nothing behind here: what is held is
 *   compared with the rows before it is used.
 * - Segments are immutable; one that changed has another revision and is read again.
 * - `warmNext` reads one segment at a time, so that a program can warm up between requests.
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
  if (own.loaded !== null && own.state !== null && same(own.state, state) && tailFits(views, kind, own)) {
    if (own.state.added === state.added) return own.loaded;
  } else {
    reload(views, kind, own);
  }
  for (const entry of readTail(views, kind, lastId(own.tail))) own.tail.add(entry);
  own.state = state;
  own.loaded = measured([...own.segments.values()].map(({ part }) => part).concat(own.tail));
  return own.loaded;
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

/** How many of the segments of a kind are in memory. */
export function warmth(views: Views, kind: RecallKind): { held: number; all: number } {
  const own = holdings(views, kind);
  const revisions = readRevisions(views, kind);
  return { held: revisions.filter((row) => fits(own, row)).length, all: revisions.length };
}

/** Reads one segment that is not in memory yet; whether there was one. */
export function warmNext(views: Views, kind: RecallKind): boolean {
  const own = holdings(views, kind);
  const missing = readRevisions(views, kind).find((row) => !fits(own, row));
  if (missing === undefined) return false;
  hold(views, { kind, ...missing }, own);
  return true;
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

function same(before: State, now: State): boolean {
  return before.revision === now.revision && before.segments === now.segments && before.added <= now.added;
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
