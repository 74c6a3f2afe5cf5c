/**
 * A memtable: the newest commits in memory. An arena holds the bytes, a hash index serves `get`, and sorted keys serve
 * ranges and the flush.
 *
 * - Each key has a number and one row. Its versions form a list from the newest to the oldest.
 * - Rows and bytes are in shared memory, so that the worker reads a frozen memtable without a copy. Readers get copies,
 *   because an arena is reused after its flush.
 */
import { decodeBatch, type EncodedChange } from '../batch.ts';
import { copyOut } from '../copies.ts';
import { compareWithPart, hashKey } from './bytes.ts';
import { type Chunk, SPAN, type WalkOrder } from './chunk.ts';
import { SharedBytes, SharedRows } from './shared-memory.ts';
import { type Leaf, SortedKeys } from './sorted-keys.ts';

/** Columns of a key row: start and end in the arena, hash, newest version. */
export const KEY_ROW = { width: 4, start: 0, end: 1, hash: 2, newest: 3 } as const;
/** Columns of a version row: next older version, start of the value, value code, sequence (low and high half). */
export const VERSION_ROW = { width: 5, older: 0, valueStart: 1, code: 2, low: 3, high: 4 } as const;
export const NO_VERSION = 0xffff_ffff;

const ARENA_BYTES_MIN = 65_536;
const IGNORE = (_hash: number): void => {};

/** A frozen memtable for the worker; all arrays are in shared memory. */
export interface MemtableImage {
  readonly arena: Uint8Array;
  /** Key numbers in byte order. */
  readonly order: Uint32Array;
  readonly keys: Uint32Array;
  readonly versions: Uint32Array;
}

/** A memtable that takes no more commits and waits for its flush; its last commit is `lastSequence`. */
export interface Frozen {
  readonly memtable: Memtable;
  readonly lastSequence: number;
}

/** The newest commits in memory, by key and version. */
export class Memtable {
  readonly #arena: SharedBytes;
  readonly #keys = new SharedRows(KEY_ROW.width);
  readonly #versions = new SharedRows(VERSION_ROW.width);
  readonly #sorted = new SortedKeys((key, number) => this.#compare(key, number));
  /** Hash index with open addressing: key number + 1, or 0 for a free slot. At most half full. */
  #slots = new Uint32Array(512);
  /** Sequence of the commit that is being applied. */
  #sequence = 0;
  #changed: (hash: number) => void = IGNORE;

  /** Number of iterators that read this memtable; it must not be cleared while there is one. */
  pins = 0;

  /** `arenaBytes`: initial size of the arena, which grows when needed. */
  constructor(arenaBytes = ARENA_BYTES_MIN) {
    this.#arena = new SharedBytes(arenaBytes);
  }

  get arenaBytes(): number {
    return this.#arena.bytes.length;
  }

  /** Bytes of allocated memory. */
  get capacity(): number {
    return this.#arena.bytes.length + this.#keys.numbers.byteLength + this.#versions.numbers.byteLength;
  }

  /** Approximate bytes of memory in use, for comparison with `memtable_bytes`. */
  get bytes(): number {
    return this.#arena.length + this.#keys.count * 28 + this.#versions.count * 20;
  }

  get isEmpty(): boolean {
    return this.#versions.count === 0;
  }

  /** Empties the memtable for reuse, which costs less than allocating a new one. */
  clear(): void {
    this.#arena.clear();
    this.#keys.clear();
    this.#versions.clear();
    this.#sorted.clear();
    this.#slots.fill(0);
  }

  /** Applies the payload of a commit's log record. `changed` is called with the hash of each key. */
  apply(sequence: number, payload: Uint8Array, changed = IGNORE): void {
    this.#changed = changed;
    const start = this.#arena.append(payload);
    this.#sequence = sequence;
    decodeBatch(this.#arena.bytes, { start, end: start + payload.length }, this.#insert);
  }

  /** The version of `key` visible at `sequence`, or -1. `value` returns its value. */
  find(key: Uint8Array, hash: number, sequence: number): number {
    const held = this.#slots[this.#slotOf(key, hash)]!;
    return held === 0 ? -1 : this.#visible(held - 1, sequence);
  }

  /** The value of a version, undefined for a tombstone. */
  value(version: number): Uint8Array | undefined {
    const row = version * VERSION_ROW.width;
    const code = this.#versions.numbers[row + VERSION_ROW.code]!;
    if (code === 0) return undefined;
    const start = this.#versions.numbers[row + VERSION_ROW.valueStart]!;
    return copyOut(this.#arena.bytes, start, start + code - 1);
  }

  /**
   * The entries visible at `sequence` by leaf (possibly none), from the leaf with `start` on. After each leaf the walk
   * continues at its last key rather than at an index, because leaves may have split meanwhile.
   */
  *chunks(start: Uint8Array | undefined, { sequence, reverse }: WalkOrder): Generator<Chunk> {
    const sorted = this.#sorted;
    for (let leaf = reverse ? sorted.leafUpTo(start) : sorted.leafFrom(start); leaf !== undefined; ) {
      const last = this.#key(leaf.keys[reverse ? 0 : leaf.count - 1]!);
      yield this.#chunk(leaf, sequence);
      leaf = reverse ? sorted.leafUpTo(last, true) : sorted.leafFrom(last, true);
    }
  }

  /** The content for the flush. The memtable must not change afterwards. */
  image(): MemtableImage {
    return {
      arena: this.#arena.bytes,
      order: this.#sorted.all(),
      keys: this.#keys.numbers,
      versions: this.#versions.numbers,
    };
  }

  readonly #insert = (change: EncodedChange): void => {
    const { keyStart: start, keyEnd: end, valueStart, valueEnd } = change;
    const version = this.#versions.count;
    const row = this.#versions.add();
    const versions = this.#versions.numbers;
    versions[row + VERSION_ROW.valueStart] = valueStart;
    versions[row + VERSION_ROW.code] = valueStart < 0 ? 0 : valueEnd - valueStart + 1;
    versions[row + VERSION_ROW.low] = this.#sequence % 2 ** 32;
    versions[row + VERSION_ROW.high] = Math.floor(this.#sequence / 2 ** 32);
    const key = this.#arena.bytes.subarray(start, end);
    const hash = hashKey(this.#arena.bytes, start, end);
    this.#changed(hash);
    const slot = this.#slotOf(key, hash);
    const held = this.#slots[slot]!;
    if (held === 0) {
      versions[row + VERSION_ROW.older] = NO_VERSION;
      this.#addKey(key, { start, end, hash, version, slot });
      return;
    }
    const newest = (held - 1) * KEY_ROW.width + KEY_ROW.newest;
    versions[row + VERSION_ROW.older] = this.#keys.numbers[newest]!;
    this.#keys.numbers[newest] = version;
  };

  #addKey(key: Uint8Array, of: { start: number; end: number; hash: number; version: number; slot: number }): void {
    const number = this.#keys.count;
    const row = this.#keys.add();
    const keys = this.#keys.numbers;
    keys[row + KEY_ROW.start] = of.start;
    keys[row + KEY_ROW.end] = of.end;
    keys[row + KEY_ROW.hash] = of.hash;
    keys[row + KEY_ROW.newest] = of.version;
    this.#slots[of.slot] = number + 1;
    if (this.#keys.count * 2 > this.#slots.length) this.#growSlots();
    this.#sorted.insert(key, number);
  }

  /** The slot of `key`, or the free slot for it. */
  #slotOf(key: Uint8Array, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const rows = this.#keys.numbers;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1;
      if (number < 0) return slot;
      if (rows[number * KEY_ROW.width + KEY_ROW.hash] === hash && this.#compare(key, number) === 0) return slot;
    }
  }

  #growSlots(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#keys.count; number += 1) {
      let slot = this.#keys.numbers[number * KEY_ROW.width + KEY_ROW.hash]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }

  #compare(key: Uint8Array, number: number): number {
    const row = number * KEY_ROW.width;
    const rows = this.#keys.numbers;
    return compareWithPart(key, this.#arena.bytes, rows[row + KEY_ROW.start]!, rows[row + KEY_ROW.end]!);
  }

  #visible(number: number, sequence: number): number {
    const versions = this.#versions.numbers;
    let version = this.#keys.numbers[number * KEY_ROW.width + KEY_ROW.newest]!;
    while (version !== NO_VERSION && sequenceOf(versions, version) > sequence) {
      version = versions[version * VERSION_ROW.width + VERSION_ROW.older]!;
    }
    return version === NO_VERSION ? -1 : version;
  }

  #chunk(leaf: Leaf, sequence: number): Chunk {
    const spans = new Uint32Array(leaf.count * SPAN);
    let count = 0;
    for (let at = 0; at < leaf.count; at += 1) {
      const number = leaf.keys[at]!;
      const version = this.#visible(number, sequence);
      if (version < 0) continue;
      const span = count * SPAN;
      spans[span] = this.#keys.numbers[number * KEY_ROW.width + KEY_ROW.start]!;
      spans[span + 1] = this.#keys.numbers[number * KEY_ROW.width + KEY_ROW.end]!;
      spans[span + 2] = this.#versions.numbers[version * VERSION_ROW.width + VERSION_ROW.valueStart]!;
      spans[span + 3] = this.#versions.numbers[version * VERSION_ROW.width + VERSION_ROW.code]!;
      count += 1;
    }
    const arena = this.#arena.bytes;
    return { count, keys: arena, values: arena, spans, copies: true };
  }

  #key(number: number): Uint8Array {
    const row = number * KEY_ROW.width;
    const rows = this.#keys.numbers;
    return this.#arena.bytes.subarray(rows[row + KEY_ROW.start]!, rows[row + KEY_ROW.end]!);
  }
}

/** The sequence of a version row. */
export function sequenceOf(versions: Uint32Array, version: number): number {
  const row = version * VERSION_ROW.width;
  return versions[row + VERSION_ROW.low]! + versions[row + VERSION_ROW.high]! * 2 ** 32;
}
