/**
 * The iterator of `range`: merges memtables and levels into the entries visible at one sequence.
 *
 * - Sources are ordered newest first. Of equal keys the first source wins, and the others skip theirs.
 * - Memtables and tables are pinned at the first step and released at the end, at `return`, or when a read fails.
 */
import type { Bytes, Entry, RangeOptions } from '../engine.ts';
import { compareBytes, compareWithPart } from './bytes.ts';
import { type Chunk, chunkKey, chunkValue, countBefore, SPAN } from './chunk.ts';
import type { Walk } from './walk.ts';

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

/** Opens the sources of a range. */
export interface RangeOpener {
  /** Called before each step; throws when the store must not be read any more. */
  check(): void;
  open(): RangeSources;
}

/** The pinned sources of a running range. */
export interface RangeSources {
  readonly walks: readonly Walk[];
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

/** The entries of a range that are visible at one sequence. */
export class RangeIterator implements IterableIterator<Entry> {
  readonly #plan: RangePlan;
  readonly #opener: RangeOpener;
  #sources: RangeSources | undefined;
  #cursors: Cursor[] = [];
  #left: number;

  constructor(plan: RangePlan, opener: RangeOpener) {
    this.#plan = plan;
    this.#opener = opener;
    this.#left = plan.limit;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Entry> {
    if (this.#left <= 0) return this.return();
    try {
      this.#opener.check();
      if (this.#sources === undefined) this.#start();
      for (let cursor = this.#nearest(); cursor !== undefined; cursor = this.#nearest()) {
        if (this.#isPastEnd(cursor)) break;
        const entry = cursor.isTombstone ? undefined : cursor.entry();
        cursor.step();
        if (entry === undefined) continue;
        this.#left -= 1;
        return { done: false, value: entry };
      }
    } catch (error) {
      this.return();
      throw error;
    }
    return this.return();
  }

  return(): IteratorResult<Entry> {
    this.#left = 0;
    this.#cursors = [];
    this.#sources?.release();
    this.#sources = undefined;
    return { done: true, value: undefined };
  }

  #start(): void {
    this.#sources = this.#opener.open();
    const { start, reverse } = this.#plan;
    for (const walk of this.#sources.walks) {
      const cursor = new Cursor(walk, reverse);
      cursor.seek(start);
      if (!cursor.isDone) this.#cursors.push(cursor);
    }
  }

  /** The cursor with the next key. Other cursors at the same key have older versions and are advanced. */
  #nearest(): Cursor | undefined {
    const sign = this.#plan.reverse ? -1 : 1;
    let nearest: Cursor | undefined;
    for (const cursor of this.#cursors) {
      if (cursor.isDone) continue;
      const order = nearest === undefined ? -1 : compareHeads(cursor, nearest) * sign;
      if (order < 0) nearest = cursor;
      else if (order === 0) cursor.step();
    }
    return nearest;
  }

  #isPastEnd(cursor: Cursor): boolean {
    const { end, reverse } = this.#plan;
    if (end === undefined) return false;
    const order = cursor.compareTo(end.key);
    return order === 0 ? end.isOpen : reverse ? order < 0 : order > 0;
  }
}

/** A position in one source. */
class Cursor {
  isDone = false;
  keys: Uint8Array = new Uint8Array(0);
  keyStart = 0;
  keyEnd = 0;
  readonly #walk: Walk;
  readonly #step: 1 | -1;
  #chunk: Chunk | undefined;
  #index = 0;

  constructor(walk: Walk, reverse: boolean) {
    this.#walk = walk;
    this.#step = reverse ? -1 : 1;
  }

  get isTombstone(): boolean {
    return this.#chunk!.spans[this.#index * SPAN + 3] === 0;
  }

  entry(): Entry {
    return { key: chunkKey(this.#chunk!, this.#index), value: chunkValue(this.#chunk!, this.#index) };
  }

  /** Negative, zero or positive as this key sorts before, equal to or after `key`. */
  compareTo(key: Uint8Array): number {
    return -compareWithPart(key, this.keys, this.keyStart, this.keyEnd);
  }

  seek(start: Bound | undefined): void {
    const chunk = this.#walk.first(start?.key);
    if (chunk === undefined) {
      this.isDone = true;
      return;
    }
    this.#chunk = chunk;
    if (start === undefined) this.#index = this.#step === 1 ? 0 : chunk.count - 1;
    else this.#index = this.#step === 1 ? countBefore(chunk, start.key) : this.#lastUpTo(start.key);
    this.#settle();
    if (start?.isOpen && !this.isDone && this.compareTo(start.key) === 0) this.step();
  }

  step(): void {
    this.#index += this.#step;
    this.#settle();
  }

  #lastUpTo(key: Uint8Array): number {
    const index = countBefore(this.#chunk!, key);
    if (index >= this.#chunk!.count) return index - 1;
    const { keys, spans } = this.#chunk!;
    return compareWithPart(key, keys, spans[index * SPAN]!, spans[index * SPAN + 1]!) === 0 ? index : index - 1;
  }

  /** Moves to the next chunk while the index is outside the current one, then sets the key. */
  #settle(): void {
    while (this.#index < 0 || this.#index >= this.#chunk!.count) {
      this.#chunk = this.#walk.next();
      if (this.#chunk === undefined) {
        this.isDone = true;
        return;
      }
      this.#index = this.#step === 1 ? 0 : this.#chunk.count - 1;
    }
    const chunk = this.#chunk!;
    this.keys = chunk.keys;
    this.keyStart = chunk.spans[this.#index * SPAN]!;
    this.keyEnd = chunk.spans[this.#index * SPAN + 1]!;
  }
}

function compareHeads(a: Cursor, b: Cursor): number {
  const { keys, keyStart } = a;
  const { keys: others, keyStart: otherStart } = b;
  const length = a.keyEnd - keyStart;
  const otherLength = b.keyEnd - otherStart;
  const limit = length < otherLength ? length : otherLength;
  for (let at = 0; at < limit; at += 1) {
    const difference = keys[keyStart + at]! - others[otherStart + at]!;
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

/** The stricter of an inclusive and an exclusive bound; `side` is 1 for lower bounds, -1 for upper ones. */
function tighter(closed: Bytes | undefined, open: Bytes | undefined, side: 1 | -1): Bound | undefined {
  if (open === undefined) return closed === undefined ? undefined : { key: closed, isOpen: false };
  if (closed === undefined || compareBytes(open, closed) * side >= 0) return { key: open, isOpen: true };
  return { key: closed, isOpen: false };
}
