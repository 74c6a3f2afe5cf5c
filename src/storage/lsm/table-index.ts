/**
 * The index block of a table in memory: binary search over the last keys of the data blocks, without copies.
 *
 * - A table has at least one block.
 */
import { compareWithPart, readVarint, varintBytes } from './bytes.ts';
import { CHECK_BYTES, corruptTable, type Footer } from './table-format.ts';

/** Finds the data block of a key. */
export class TableIndex {
  readonly count: number;
  readonly #payload: Uint8Array;
  readonly #keyStart: Uint32Array;
  readonly #keyEnd: Uint32Array;
  /** Offset of each block, and the end of the last one. */
  readonly #offsets: Uint32Array;
  /** Length of the prefix that all last keys share. */
  readonly #shared: number;
  /** The four bytes of each last key after that prefix, as sortable numbers: they decide most searches. */
  readonly #heads: Uint32Array;

  constructor(payload: Uint8Array, footer: Footer) {
    this.#payload = payload;
    this.count = footer.blocks;
    this.#keyStart = new Uint32Array(this.count);
    this.#keyEnd = new Uint32Array(this.count);
    this.#offsets = new Uint32Array(this.count + 1);
    let at = 0;
    for (let block = 0; block < this.count && at < payload.length; block += 1) {
      const length = readVarint(payload, at);
      at += varintBytes(length);
      this.#keyStart[block] = at;
      at += length;
      this.#keyEnd[block] = at;
      const bytes = readVarint(payload, at);
      at += varintBytes(bytes);
      this.#offsets[block + 1] = this.#offsets[block]! + bytes + CHECK_BYTES;
    }
    if (at !== payload.length || this.#offsets[this.count] !== footer.bloomOffset) {
      throw corruptTable(footer.id, footer.indexOffset, 'the index does not cover the data blocks');
    }
    this.#shared = this.#sharedBytes();
    this.#heads = new Uint32Array(this.count);
    for (let block = 0; block < this.count; block += 1) {
      this.#heads[block] = headAt(payload, this.#keyStart[block]! + this.#shared, this.#keyEnd[block]!);
    }
  }

  offset(block: number): number {
    return this.#offsets[block]!;
  }

  /** Length of the payload of a block. */
  payloadBytes(block: number): number {
    return this.#offsets[block + 1]! - this.#offsets[block]! - CHECK_BYTES;
  }

  lastKey(block: number): Uint8Array {
    return this.#payload.subarray(this.#keyStart[block]!, this.#keyEnd[block]!);
  }

  /** The first block whose last key is not before `key`, the only one that may hold it; `count` when there is none. */
  blockFor(key: Uint8Array): number {
    const side = this.#sideOf(key);
    if (side !== 0) return side < 0 ? 0 : this.count;
    const heads = this.#heads;
    const head = headAt(key, this.#shared, key.length);
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (heads[middle]! < head) low = middle + 1;
      else high = middle;
    }
    // Blocks with equal heads, mostly one, are compared by their whole keys.
    high = low;
    while (high < this.count && heads[high] === head) high += 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareWithPart(key, this.#payload, this.#keyStart[middle]!, this.#keyEnd[middle]!);
      if (order > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Negative or positive when `key` sorts before or after all keys with the shared prefix; zero when it has the
   * prefix.
   */
  #sideOf(key: Uint8Array): number {
    const start = this.#keyStart[0]!;
    for (let at = 0; at < this.#shared; at += 1) {
      if (at >= key.length) return -1;
      const difference = key[at]! - this.#payload[start + at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** The length of the prefix that all last keys share; since they are sorted, the first and the last decide. */
  #sharedBytes(): number {
    const first = this.lastKey(0);
    const last = this.lastKey(this.count - 1);
    let shared = 0;
    while (shared < first.length && shared < last.length && first[shared] === last[shared]) shared += 1;
    return shared;
  }
}

/** The four bytes from `start` on as a number that sorts like them, padded with zeros. */
function headAt(bytes: Uint8Array, start: number, end: number): number {
  const byte = (at: number): number => (at < end ? bytes[at]! : 0);
  return ((byte(start) << 24) | (byte(start + 1) << 16) | (byte(start + 2) << 8) | byte(start + 3)) >>> 0;
}
