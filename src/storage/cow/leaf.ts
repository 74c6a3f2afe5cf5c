/**
 * A leaf node: entries in a heap of bytes, located through sorted heads and offsets (`leaf-search.ts`).
 *
 * - Entries have the layout on disk (`entries.ts`), except that the 12 bytes of a value page begin with the page's
 *   index in `values`.
 * - `heap[start, used)` holds the live entries and `dead` bytes of replaced ones; nothing outside is read.
 * - Only the tree changes a leaf, and only while no reader can see it.
 */
import type { EncodedChange } from '../batch.ts';
import { copyOut, copyRange } from '../copies.ts';
import { readU32, writeU32 } from '../integers.ts';
import { changeBytes, entryBytesAt, hasOwnPage, keySizeAt, putEntry, valueSizeAt, valueStartAt } from './entries.ts';
import { ENTRY_HEADER_BYTES, OFFSET_BYTES, PAGE_HEADER_BYTES } from './format.ts';
import { borrowHeap, returnHeap } from './heap-pool.ts';
import { headOf, type Probe, sharedBytes } from './keys.ts';
import { ValueRef } from './value-ref.ts';

/** A leaf with at least this many sequential inserts is split at the insert position, not in the middle. */
const SEQUENTIAL_INSERTS_MIN = 6;
const SLOTS_MIN = 8;

const probeA: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
const probeB: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

/** A leaf node of the tree: its entries, in key order. */
export class Leaf {
  readonly level = 0;
  heap: Uint8Array;
  start = 0;
  used = 0;
  dead = 0;
  count = 0;
  /** Length of the prefix that all keys share; heads begin after it. */
  prefix = 0;
  /** Heads in the first half, heap offsets in the second, both in key order. */
  slots: Int32Array;
  /** Pages of long values. A replaced page leaves a hole until the heap is next compacted. */
  values: (ValueRef | undefined)[] | null = null;
  /** Index of the last insert, and how many inserts before it followed each other directly. */
  #lastInsert = -1;
  #sequentialInserts = 0;

  /** An empty leaf that uses `heap`, with slots for `capacity` entries. */
  constructor(heap: Uint8Array, capacity: number) {
    this.heap = heap;
    this.slots = new Int32Array(2 * Math.max(capacity, SLOTS_MIN));
  }

  /** Bytes of live entries. */
  get liveBytes(): number {
    return this.used - this.start - this.dead;
  }

  /** Length of this leaf's page. */
  get pageBytes(): number {
    return PAGE_HEADER_BYTES + OFFSET_BYTES * this.count + this.liveBytes;
  }

  /** Approximate bytes of memory, without values that wait to be written to their own page. */
  get memoryBytes(): number {
    return this.heap.length + this.slots.length * 4 + 256;
  }

  /** Offset of the entry at `index` in the heap. */
  offset(index: number): number {
    return this.slots[(this.slots.length >> 1) + index]!;
  }

  /** The key at `index` as a range of the heap; valid until the next call with the same `into`. */
  keyAt(index: number, into: Probe = probeA): Probe {
    const offset = this.offset(index);
    into.bytes = this.heap;
    into.start = offset + ENTRY_HEADER_BYTES;
    into.end = into.start + keySizeAt(this.heap, offset);
    return into;
  }

  /** The value at `index`: a copy, or its page. */
  valueAt(index: number): Uint8Array | ValueRef {
    const { heap } = this;
    const offset = this.offset(index);
    const size = valueSizeAt(heap, offset);
    const at = valueStartAt(heap, offset);
    return size < 0 ? this.values![readU32(heap, at)]! : copyOut(heap, at, at + size);
  }

  /** The page of the value at `index`, or null when the value lies in the leaf. */
  valueRefAt(index: number): ValueRef | null {
    if (this.values === null) return null;
    const offset = this.offset(index);
    if (valueSizeAt(this.heap, offset) >= 0) return null;
    return this.values[readU32(this.heap, valueStartAt(this.heap, offset))]!;
  }

  /** Bytes of the key and value at `index`. */
  dataBytes(index: number): number {
    const offset = this.offset(index);
    return keySizeAt(this.heap, offset) + (this.valueRefAt(index)?.size ?? valueSizeAt(this.heap, offset));
  }

  /** Inserts a new key before the entry at `index`. */
  insert(index: number, change: EncodedChange): void {
    const head = this.#headOfNew(index, change);
    const offset = this.#append(change);
    this.#reserveSlots(this.count + 1);
    const { slots, count } = this;
    const half = slots.length >> 1;
    if (index < count) {
      slots.copyWithin(index + 1, index, count);
      slots.copyWithin(half + index + 1, half + index, half + count);
    }
    slots[index] = head;
    slots[half + index] = offset;
    this.count = count + 1;
    this.#sequentialInserts = index === this.#lastInsert + 1 ? this.#sequentialInserts + 1 : 0;
    this.#lastInsert = index;
  }

  /** Replaces the value at `index`; returns the page of the old value if it had one. */
  replace(index: number, change: EncodedChange): ValueRef | null {
    const offset = this.offset(index);
    const old = this.valueRefAt(index);
    if (old === null && valueSizeAt(this.heap, offset) === change.valueEnd - change.valueStart) {
      const { bytes, valueStart: start, valueEnd: end } = change;
      copyRange(this.heap, valueStartAt(this.heap, offset), { bytes, start, end });
      return null;
    }
    this.#drop(offset);
    this.slots[(this.slots.length >> 1) + index] = -1;
    const fresh = this.#append(change);
    this.slots[(this.slots.length >> 1) + index] = fresh;
    return old;
  }

  /** Removes the entry at `index`; returns the page of its value if it had one. */
  remove(index: number): ValueRef | null {
    const page = this.valueRefAt(index);
    const { slots, count } = this;
    const half = slots.length >> 1;
    this.#drop(this.offset(index));
    slots.copyWithin(index, index + 1, count);
    slots.copyWithin(half + index, half + index + 1, half + count);
    this.count = count - 1;
    this.#lastInsert = -1;
    this.#sequentialInserts = 0;
    return page;
  }

  /** A copy that shares nothing that changes; value pages are immutable and shared. */
  copy(): Leaf {
    const copy = new Leaf(borrowHeap(this.liveBytes), this.count);
    copy.appendFrom(this, 0, this.count);
    copy.#lastInsert = this.#lastInsert;
    copy.#sequentialInserts = this.#sequentialInserts;
    return copy;
  }

  /**
   * Appends the entries `[from, to)` of another leaf; their keys must be greater than all here. A whole leaf without
   * holes is copied at once, in a quarter of the time.
   */
  appendFrom(other: Leaf, from: number, to: number): void {
    const isWhole = from === 0 && to === other.count && other.dead === 0 && other.values === null;
    let bytes = 0;
    if (isWhole) bytes = other.used - other.start;
    else for (let index = from; index < to; index += 1) bytes += entryBytesAt(other.heap, other.offset(index));
    this.#reserve(bytes);
    this.#reserveSlots(this.count + to - from);
    const at = (this.slots.length >> 1) + this.count - from;
    if (isWhole) {
      const shift = this.used - other.start;
      this.heap.set(other.heap.subarray(other.start, other.used), this.used);
      for (let index = 0; index < to; index += 1) this.slots[at + index] = other.offset(index) + shift;
      this.used += bytes;
    } else {
      for (let index = from; index < to; index += 1)
        this.slots[at + index] = this.#copyEntry(other, other.offset(index));
    }
    this.count += to - from;
    this.rebuildHeads();
  }

  /** Splits the leaf and returns a new leaf with the upper entries. */
  split(): Leaf {
    const at = this.#splitPoint();
    const isAppending = at === this.count - 1;
    const right = isAppending
      ? new Leaf(borrowHeap(this.liveBytes), this.count)
      : new Leaf(borrowHeap(this.liveBytes >> 1), (this.count * 3) >> 2);
    right.appendFrom(this, at, this.count);
    this.#cut(at, right.liveBytes);
    right.#lastInsert = right.count - 1;
    right.#sequentialInserts = this.#sequentialInserts;
    this.#lastInsert = at - 1;
    return right;
  }

  /** Returns the heap to the pool; the leaf must not be used any more. */
  discard(): void {
    returnHeap(this.heap);
  }

  /** Recomputes the common prefix and all heads from the offsets. */
  rebuildHeads(): void {
    if (this.count > 0) this.#usePrefix(sharedBytes(this.keyAt(0), this.keyAt(this.count - 1, probeB)));
  }

  #usePrefix(prefix: number): void {
    this.prefix = prefix;
    for (let index = 0; index < this.count; index += 1) {
      const key = this.keyAt(index);
      this.slots[index] = headOf(key.bytes, key.start + prefix, key.end);
    }
  }

  /** Removes the entries from `at` on, which take `bytes`, and compacts the heap. */
  #cut(at: number, bytes: number): void {
    const isNewest = at === this.count - 1 && this.offset(at) + bytes === this.used;
    this.count = at;
    if (isNewest) this.used -= bytes;
    else this.dead += bytes;
    this.#compact(0);
    const prefix = sharedBytes(this.keyAt(0), this.keyAt(at - 1, probeB));
    if (prefix !== this.prefix) this.#usePrefix(prefix);
  }

  /** The head of a key that will be inserted at `index`. A new first or last key may shorten the common prefix. */
  #headOfNew(index: number, change: EncodedChange): number {
    const key = probeB;
    key.bytes = change.bytes;
    key.start = change.keyStart;
    key.end = change.keyEnd;
    if (this.count === 0) this.prefix = key.end - key.start;
    else if (index === 0 || index === this.count) {
      const shared = sharedBytes(key, this.keyAt(0));
      if (shared < this.prefix) this.#usePrefix(shared);
    }
    return headOf(key.bytes, key.start + this.prefix, key.end);
  }

  /** Writes the entry of a change at the end of the heap and returns its offset. */
  #append(change: EncodedChange): number {
    const size = changeBytes(change);
    this.#reserve(size);
    const at = this.used;
    const ownPage = hasOwnPage(change)
      ? this.#addValue(ValueRef.of(change.bytes.slice(change.valueStart, change.valueEnd)))
      : -1;
    putEntry(this.heap, at, change, ownPage);
    this.used = at + size;
    return at;
  }

  #copyEntry(other: Leaf, offset: number): number {
    const at = this.used;
    const size = entryBytesAt(other.heap, offset);
    copyRange(this.heap, at, { bytes: other.heap, start: offset, end: offset + size });
    if (valueSizeAt(other.heap, offset) < 0) {
      const value = other.values![readU32(other.heap, valueStartAt(other.heap, offset))]!;
      writeU32(this.heap, valueStartAt(this.heap, at), this.#addValue(value));
    }
    this.used = at + size;
    return at;
  }

  /** Marks the entry at `offset` as dead. */
  #drop(offset: number): void {
    this.dead += entryBytesAt(this.heap, offset);
    if (valueSizeAt(this.heap, offset) < 0)
      this.values![readU32(this.heap, valueStartAt(this.heap, offset))] = undefined;
  }

  #addValue(value: ValueRef): number {
    this.values ??= [];
    return this.values.push(value) - 1;
  }

  #reserve(bytes: number): void {
    if (this.used + bytes > this.heap.length) this.#compact(bytes);
  }

  /** Moves the live entries to a new heap with room for `extra` bytes and an eighth more. */
  #compact(extra: number): void {
    const size = this.liveBytes + extra;
    const old = new Leaf(this.heap, 0);
    old.values = this.values;
    const [start, used, half] = [this.start, this.used, this.slots.length >> 1];
    const isWhole = this.dead === 0;
    this.heap = borrowHeap(size + (extra === 0 ? 0 : size >> 3));
    Object.assign(this, { start: 0, used: 0, dead: 0 });
    if (isWhole) {
      this.heap.set(old.heap.subarray(start, used));
      this.used = used - start;
      for (let slot = half; slot < half + this.count; slot += 1) this.slots[slot] = this.slots[slot]! - start;
    } else {
      this.values = null;
      for (let slot = half; slot < half + this.count; slot += 1) {
        if (this.slots[slot]! >= 0) this.slots[slot] = this.#copyEntry(old, this.slots[slot]!);
      }
    }
    old.discard();
  }

  #reserveSlots(count: number): void {
    const half = this.slots.length >> 1;
    if (count <= half) return;
    const capacity = count + (count >> 2);
    const grown = new Int32Array(2 * capacity);
    grown.set(this.slots.subarray(0, this.count));
    grown.set(this.slots.subarray(half, half + this.count), capacity);
    this.slots = grown;
  }

  /**
   * Index of the first entry of the right half: the insert position of sequential inserts, else the middle by bytes.
   */
  #splitPoint(): number {
    if (this.#sequentialInserts >= SEQUENTIAL_INSERTS_MIN)
      return this.#lastInsert === this.count - 1 ? this.count - 1 : this.#lastInsert + 1;
    let bytes = 0;
    let at = 0;
    while (bytes * 2 < this.liveBytes) bytes += entryBytesAt(this.heap, this.offset(at++));
    return Math.max(1, Math.min(this.count - 1, at));
  }
}
