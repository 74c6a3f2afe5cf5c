/**
 * The entries of `range`: merges memtables and levels into the entries visible at one sequence.
 *
 * - Sources are ordered newest first. Of equal keys the first source wins, and the others skip theirs.
 * - Memtables and tables are pinned at the first step and released at the end, when the loop is left, or when a read
 *   fails.
 */
import type { Bytes, Entry, RangeOptions } from '../engine.ts';
import { compareBytes, compareKeys, compareWithPart, type KeyRange } from './bytes.ts';
import { type Chunk, chunkKey, chunkValue, countUpTo, NO_CHUNK, SPAN } from './chunk.ts';

export interface Bound {
  readonly key: Bytes;
  readonly isOpen: boolean;
}

/** A range with at most one bound per side; `start` is the bound where the iteration begins. */
export interface RangePlan {
  readonly start: Bound | undefined;
  readonly end: Bound | undefined;
  readonly reverse: boolean;
  readonly limit: number;
}

/** The pinned sources of a running range, newest first. */
export interface RangeSources {
  /** The entries of each source by chunk, in the direction of the range, from the chunk with its start on. */
  readonly chunks: readonly Iterator<Chunk>[];
  release(): void;
}

/** Where a range begins and ends, in its direction. */
export function planRange(options: RangeOptions): RangePlan {
  const low = tighter(options.gte, options.gt, 1);
  const high = tighter(options.lte, options.lt, -1);
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const reverse = options.reverse === true;
  return reverse ? { start: high, end: low, reverse, limit } : { start: low, end: high, reverse, limit };
}

/**
 * The entries of a range that are visible at one sequence. `open` opens its sources at the first step; `check` is called
 * before each step, and throws when the store must not be read any more.
 */
export function* entriesOf(plan: RangePlan, open: () => RangeSources, check: () => void): Generator<Entry> {
  let left = plan.limit;
  if (left <= 0) return;
  check();
  const sources = open();
  try {
    const cursors = sources.chunks.map((chunks) => new Cursor(chunks, plan)).filter(({ isDone }) => !isDone);
    for (let cursor = nearest(cursors, plan); cursor !== undefined; cursor = nearest(cursors, plan)) {
      if (isPastEnd(cursor, plan)) return;
      const entry = cursor.isTombstone ? undefined : cursor.entry();
      cursor.step();
      if (entry === undefined) continue;
      yield entry;
      left -= 1;
      if (left <= 0) return;
      check();
    }
  } finally {
    sources.release();
  }
}

/** The cursor with the next key. Other cursors at the same key have older versions and are advanced. */
function nearest(cursors: readonly Cursor[], { reverse }: RangePlan): Cursor | undefined {
  let first: Cursor | undefined;
  for (const cursor of cursors) {
    if (cursor.isDone) continue;
    const order = first === undefined ? -1 : reverse ? compareKeys(first, cursor) : compareKeys(cursor, first);
    if (order < 0) first = cursor;
    else if (order === 0) cursor.step();
  }
  return first;
}

function isPastEnd(cursor: Cursor, { end, reverse }: RangePlan): boolean {
  if (end === undefined) return false;
  const order = cursor.compareTo(end.key);
  return order === 0 ? end.isOpen : reverse ? order < 0 : order > 0;
}

/** A position in one source, at first the start of the range. */
class Cursor implements KeyRange {
  isDone = false;
  keyBytes = NO_CHUNK.keys;
  keyStart = 0;
  keyEnd = 0;
  readonly #chunks: Iterator<Chunk>;
  readonly #step: 1 | -1;
  #chunk = NO_CHUNK;
  #index = 0;

  constructor(chunks: Iterator<Chunk>, { start, reverse }: RangePlan) {
    this.#chunks = chunks;
    this.#step = reverse ? -1 : 1;
    this.#nextChunk();
    if (start !== undefined) {
      const count = countUpTo(this.#chunk, start.key, reverse !== start.isOpen);
      this.#index = reverse ? count - 1 : count;
    }
    this.#settle();
  }

  get isTombstone(): boolean {
    return this.#chunk.spans[this.#index * SPAN + 3] === 0;
  }

  entry(): Entry {
    return { key: chunkKey(this.#chunk, this.#index), value: chunkValue(this.#chunk, this.#index) };
  }

  /** Negative, zero or positive as this key sorts before, equal to or after `key`. */
  compareTo(key: Uint8Array): number {
    return -compareWithPart(key, this.keyBytes, this.keyStart, this.keyEnd);
  }

  step(): void {
    this.#index += this.#step;
    this.#settle();
  }

  /** Moves to the next chunk while the index is outside the current one, then sets the key. */
  #settle(): void {
    while (this.#index < 0 || this.#index >= this.#chunk.count) {
      if (this.isDone) return;
      this.#nextChunk();
    }
    const { keys, spans } = this.#chunk;
    this.keyBytes = keys;
    this.keyStart = spans[this.#index * SPAN]!;
    this.keyEnd = spans[this.#index * SPAN + 1]!;
  }

  #nextChunk(): void {
    const { done = false, value } = this.#chunks.next();
    this.isDone = done;
    this.#chunk = done ? NO_CHUNK : value;
    this.#index = this.#step === 1 ? 0 : this.#chunk.count - 1;
  }
}

/** The stricter of an inclusive and an exclusive bound; `side` is 1 for lower bounds, -1 for upper ones. */
function tighter(closed: Bytes | undefined, open: Bytes | undefined, side: 1 | -1): Bound | undefined {
  if (open === undefined) return closed === undefined ? undefined : { key: closed, isOpen: false };
  if (closed === undefined || compareBytes(open, closed) * side >= 0) return { key: open, isOpen: true };
  return { key: closed, isOpen: false };
}
