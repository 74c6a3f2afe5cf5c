/** The index block of a table in memory: bisects the last keys of the data blocks without copying one of them. */
import { compareWithPart, readVarint, varintBytes } from './bytes.ts';
import { CHECK_BYTES, corruptTable, type Footer } from './table-format.ts';

export class TableIndex {
  readonly count: number;
  readonly #payload: Uint8Array;
  readonly #keyStart: Uint32Array;
  readonly #keyEnd: Uint32Array;
  /** Offset of each block, and of the end of the last. */
  readonly #offsets: Uint32Array;

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
  }

  get memoryBytes(): number {
    return this.#payload.length + this.count * 12;
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

  /** The first block whose last key is not before `key`: the only one that can hold it; `count` when there is none. */
  blockFor(key: Uint8Array): number {
    let low = 0;
    let high = this.count;
    const payload = this.#payload;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareWithPart(key, payload, this.#keyStart[middle]!, this.#keyEnd[middle]!) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
