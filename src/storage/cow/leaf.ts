/**
 * A leaf: entries in a heap of bytes, found through sorted heads and offsets.
 *
 * - An entry is `u16 key size − 1 | u32 value size | key | value`, as on disk (`docs/formats/cow.md`). A value with a page
 *   of its own leaves 12 bytes here: while in memory their first four are its index in `values`.
 * - `heap[start, used)` holds the live entries and `dead` bytes of replaced ones; nothing outside is read.
 * - Only the tree changes a leaf, and only while nobody else can see it.
 */
import type { EncodedChange } from '../batch.ts';
import { copyOut, giveHeap, takeHeap } from './heaps.ts';
import { compareProbe, headOf, type Probe, sharedBytes } from './keys.ts';
import { ENTRY_HEADER_BYTES, IN_PAGE, LEAF_ENTRY_SLOT_BYTES, REFERENCE_BYTES, VALUE_INLINE_BYTES_MAX } from './format.ts';
import { ValuePage } from './page-ref.ts';

/** Extra room, as a share of what is needed, when a heap must grow: 1/8. */
const GROWTH_SHIFT = 3;

const scratch: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };
const scratch2: Probe = { bytes: new Uint8Array(), start: 0, end: 0 };

export class Leaf {
  readonly level = 0;
  heap: Uint8Array;
  start = 0;
  used = 0;
  dead = 0;
  count = 0;
  /** Bytes that all keys have in common; heads begin behind them. */
  prefix = 0;
  /** Heads in the first half, offsets in the second. */
  slots: Int32Array;
  values: (ValuePage | null)[] | null = null;
  /** Where the last entry was inserted, and how many in a row went right behind the one before. */
  lastInsert = -1;
  run = 0;

  constructor(heap: Uint8Array, capacity: number) {
    this.heap = heap;
    this.slots = new Int32Array(2 * capacity);
  }

  static empty(): Leaf {
    return new Leaf(takeHeap(1024), 8);
  }

  get capacity(): number {
    return this.slots.length >> 1;
  }

  /** Bytes of live entries. */
  get liveBytes(): number {
    return this.used - this.start - this.dead;
  }

  /** Bytes of memory, roughly. */
  get memoryBytes(): number {
    return this.heap.length + this.slots.length * 4 + 200;
  }

  offset(index: number): number {
    return this.slots[(this.slots.length >> 1) + index]!;
  }

  keySize(offset: number): number {
    return (this.heap[offset]! | (this.heap[offset + 1]! << 8)) + 1;
  }

  /** The value size as stored; negative when bit 31 marks a value with a page of its own. */
  valueSize(offset: number): number {
    const { heap } = this;
    return heap[offset + 2]! | (heap[offset + 3]! << 8) | (heap[offset + 4]! << 16) | (heap[offset + 5]! << 24);
  }

  /** Bytes the entry takes in the heap. */
  entryBytes(offset: number): number {
    const size = this.valueSize(offset);
    return ENTRY_HEADER_BYTES + this.keySize(offset) + (size < 0 ? REFERENCE_BYTES : size);
  }

  /** The key at `index` as a range; valid until the next call or change. */
  keyAt(index: number, into: Probe = scratch): Probe {
    const offset = this.offset(index);
    into.bytes = this.heap;
    into.start = offset + ENTRY_HEADER_BYTES;
    into.end = into.start + this.keySize(offset);
    return into;
  }

  /** Where the key is, or `~` of where it would be inserted. */
  find(probe: Probe): number {
    const { slots, count } = this;
    if (count === 0) return ~0;
    const side = this.#sideOfPrefix(probe);
    if (side !== 0) return side < 0 ? ~0 : ~count;
    const head = headOf(probe.bytes, probe.start + this.prefix, probe.end);
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slots[middle]! < head) low = middle + 1;
      else high = middle;
    }
    if (low === count || slots[low] !== head) return ~low;
    return this.#findAmongEqualHeads(probe, low, head);
  }

  /** The value at `index`, as a copy, or its page. */
  valueAt(index: number): Uint8Array | ValuePage {
    const offset = this.offset(index);
    const size = this.valueSize(offset);
    const at = offset + ENTRY_HEADER_BYTES + this.keySize(offset);
    return size < 0 ? this.values![this.#valueIndex(at)]! : copyOut(this.heap, at, at + size);
  }

  /** The page of the value at `index`, or null when the value lies in the leaf. */
  valuePageAt(index: number): ValuePage | null {
    if (this.values === null) return null;
    const offset = this.offset(index);
    if (this.valueSize(offset) >= 0) return null;
    return this.values[this.#valueIndex(offset + ENTRY_HEADER_BYTES + this.keySize(offset))]!;
  }

  insert(index: number, change: EncodedChange): void {
    const head = this.#headForInsert(index, change);
    const offset = this.#append(change);
    this.#makeSlot(index);
    const { slots, capacity } = this;
    slots[index] = head;
    slots[capacity + index] = offset;
    this.run = index === this.lastInsert + 1 ? this.run + 1 : 0;
    this.lastInsert = index;
  }

  /** Replaces the value at `index`; returns the page of the old value if it had one. */
  replace(index: number, change: EncodedChange): ValuePage | null {
    const offset = this.offset(index);
    const size = change.valueEnd - change.valueStart;
    if (this.valueSize(offset) === size && size <= VALUE_INLINE_BYTES_MAX) {
      this.#copyIn(offset + ENTRY_HEADER_BYTES + this.keySize(offset), change.bytes, { start: change.valueStart, end: change.valueEnd });
      return null;
    }
    const page = this.#drop(index);
    const fresh = this.#append(change);
    this.slots[this.capacity + index] = fresh;
    return page;
  }

  /** Removes the entry at `index`; returns the page of its value if it had one. */
  remove(index: number): ValuePage | null {
    const page = this.#drop(index);
    const { slots, capacity, count } = this;
    slots.copyWithin(index, index + 1, count);
    slots.copyWithin(capacity + index, capacity + index + 1, capacity + count);
    this.count = count - 1;
    this.lastInsert = -1;
    return page;
  }
}
