/**
 * Iterates over the entries of one state in key order, forward or backward.
 *
 * - The state is acquired at the first step and released at the end, at `return`, or when a read fails.
 * - Bounds are looked up once per leaf, not compared with every entry.
 * - A leaf cannot change while its state is held, so its entries of the range are copied together.
 */
import { copyOut } from '../copies.ts';
import type { Bytes, Entry, RangeOptions } from '../engine.ts';
import type { Branch, NodeRef } from './branch.ts';
import { countRead } from './cache.ts';
import { entryBytesAt, keySizeAt, valueSizeAt } from './entries.ts';
import { ENTRY_HEADER_BYTES } from './format.ts';
import { type Probe, wholeKey } from './keys.ts';
import type { Leaf } from './leaf.ts';
import { findKey } from './leaf-search.ts';
import type { HeldState } from './reads.ts';

/** What a cursor reads. */
export interface RangeView {
  /** Called before each step; throws when nothing may be read any more. */
  check(): void;
  /** The state at the first step; `release` follows at the end. */
  hold(): HeldState;
}

/**
 * Up to this many entries of a leaf are copied one by one, which costs less than one copy of all. One copy of all makes
 * long ranges a tenth faster.
 */
const SINGLE_COPIES_MAX = 3;

/** A copy of the part `[from, end)` of a leaf's heap, which entries handed to callers refer to. */
interface Part {
  readonly bytes: ArrayBuffer;
  readonly from: number;
  readonly end: number;
}

interface Bound {
  readonly key: Probe;
  /** Whether the key itself is inside the range. */
  readonly inclusive: boolean;
}

/** The entries of one state between two bounds, in key order. */
export class Cursor implements IterableIterator<Entry> {
  readonly #view: RangeView;
  readonly #lower: Bound | null;
  readonly #upper: Bound | null;
  readonly #step: 1 | -1;
  #left: number;
  #state: HeldState | null = null;
  #isDone = false;
  readonly #branches: Branch[] = [];
  readonly #at: number[] = [];
  #leaf: Leaf | null = null;
  #index = 0;
  /** The index, exclusive, at which the range ends in this leaf. */
  #stop = 0;
  #part: Part | null = null;
  #isFirst = true;

  constructor(view: RangeView, options: RangeOptions) {
    this.#view = view;
    this.#lower = tighter(boundOf(options.gte, true), boundOf(options.gt, false), 1);
    this.#upper = tighter(boundOf(options.lte, true), boundOf(options.lt, false), -1);
    this.#step = options.reverse === true ? -1 : 1;
    this.#left = options.limit ?? Number.POSITIVE_INFINITY;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<Entry, undefined> {
    if (this.#isDone || this.#left <= 0) return this.return();
    try {
      this.#view.check();
      if (!this.#settle()) return this.return();
      this.#left -= 1;
      const index = this.#index;
      if (this.#part === null && !this.#isFirst) this.#part = this.#partFrom(this.#leaf!, index);
      this.#isFirst = false;
      this.#index += this.#step;
      return { done: false, value: this.#entry(this.#leaf!, index) };
    } catch (error) {
      this.return();
      throw error;
    }
  }

  return(): { done: true; value: undefined } {
    this.#isDone = true;
    this.#state?.release();
    this.#state = null;
    this.#leaf = null;
    this.#branches.length = 0;
    return { done: true, value: undefined };
  }

  /** Moves `#index` to an entry inside the range; false when none is left. */
  #settle(): boolean {
    if (this.#leaf === null) {
      this.#state = this.#view.hold();
      this.#enter(this.#descend(this.#state.root, this.#step > 0 ? this.#lower : this.#upper));
    }
    while (this.#index === this.#stop) {
      if (this.#isRangeEnd() || !this.#nextLeaf()) return false;
    }
    return true;
  }

  /** Whether the range ends in this leaf. */
  #isRangeEnd(): boolean {
    const leaf = this.#leaf!;
    return this.#step > 0 ? this.#stop < leaf.count : this.#stop >= 0;
  }

  #descend(from: NodeRef, bound: Bound | null): Leaf {
    const { store, counts } = this.#state!;
    const { cache } = store.tree;
    const loaded = cache.misses;
    let ref = from;
    while (ref.level > 0) {
      const branch = (ref.node ?? cache.load(ref)) as Branch;
      ref.hot = true;
      const outermost = this.#step > 0 ? 0 : branch.count - 1;
      const index = bound === null ? outermost : branch.childIndex(bound.key);
      this.#branches.push(branch);
      this.#at.push(index);
      ref = branch.children[index]!;
    }
    ref.hot = true;
    const leaf = (ref.node ?? cache.load(ref)) as Leaf;
    countRead(counts, cache.misses > loaded);
    return leaf;
  }

  #enter(leaf: Leaf): void {
    this.#leaf = leaf;
    const first = this.#lower === null ? 0 : placeOf(leaf, this.#lower.key, !this.#lower.inclusive);
    const end = this.#upper === null ? leaf.count : placeOf(leaf, this.#upper.key, this.#upper.inclusive);
    this.#index = this.#step > 0 ? first : end - 1;
    this.#stop = this.#step > 0 ? Math.max(first, end) : Math.min(first, end) - 1;
    this.#part = null;
  }

  #nextLeaf(): boolean {
    for (let depth = this.#branches.length - 1; depth >= 0; depth -= 1) {
      const index = this.#at[depth]! + this.#step;
      const child = this.#branches[depth]!.children[index];
      if (child === undefined) continue;
      this.#at[depth] = index;
      this.#branches.length = depth + 1;
      this.#at.length = depth + 1;
      this.#enter(this.#descend(child, null));
      return true;
    }
    return false;
  }

  #entry(leaf: Leaf, index: number): Entry {
    const { heap } = leaf;
    const offset = leaf.offset(index);
    const keyStart = offset + ENTRY_HEADER_BYTES;
    const keySize = keySizeAt(heap, offset);
    const valueSize = valueSizeAt(heap, offset);
    if (valueSize < 0) {
      const key = copyOut(heap, keyStart, keyStart + keySize);
      return { key, value: this.#state!.store.readValue(leaf.valueRefAt(index)!) };
    }
    const part = this.#part;
    if (part !== null && offset >= part.from && keyStart + keySize + valueSize <= part.end) {
      return entryAt(part.bytes, keyStart - part.from, keySize, valueSize);
    }
    const both = copyOut(heap, keyStart, keyStart + keySize + valueSize);
    return entryAt(both.buffer, both.byteOffset, keySize, valueSize);
  }

  /**
   * Copies the heap part with the wanted entries from `index` on. They are adjacent in a leaf that was read from disk.
   */
  #partFrom(leaf: Leaf, index: number): Part | null {
    const wanted = Math.min(Math.abs(this.#stop - index), this.#left + 1);
    if (wanted <= SINGLE_COPIES_MAX) return null;
    const last = leaf.offset(index + (wanted - 1) * this.#step);
    const first = leaf.offset(index);
    const from = Math.min(first, last);
    const highest = Math.max(first, last);
    const end = highest + entryBytesAt(leaf.heap, highest);
    return { bytes: leaf.heap.slice(from, end).buffer as ArrayBuffer, from, end };
  }
}

function entryAt(bytes: ArrayBufferLike, at: number, keySize: number, valueSize: number): Entry {
  return { key: new Uint8Array(bytes, at, keySize), value: new Uint8Array(bytes, at + keySize, valueSize) };
}

/** Index of the first entry that is not before the key, or with `after` of the first that is after it. */
function placeOf(leaf: Leaf, key: Probe, after: boolean): number {
  const index = findKey(leaf, key);
  if (index < 0) return ~index;
  return after ? index + 1 : index;
}

function boundOf(key: Bytes | undefined, inclusive: boolean): Bound | null {
  return key === undefined ? null : { key: wholeKey(key.slice()), inclusive };
}

/** The stricter of two bounds; `side` is 1 for lower bounds, -1 for upper ones. */
function tighter(inclusive: Bound | null, exclusive: Bound | null, side: 1 | -1): Bound | null {
  if (inclusive === null || exclusive === null) return inclusive ?? exclusive;
  const order = Buffer.compare(inclusive.key.bytes, exclusive.key.bytes) * side;
  return order > 0 ? inclusive : exclusive;
}
