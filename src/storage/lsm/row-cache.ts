/**
 * Values of the keys that are read again and again, found by hash alone: spares the walk through the levels.
 *
 * - Holds what the tables say now, never what a memtable says: readers ask the memtables first. A flush changes what
 *   the tables say and clears it; a compaction does not.
 * - A key gets in at its second read in short order, so a scan of all keys does not wash it out.
 * - Rows come in pairs; the newer of a pair is first and pushes the older out.
 * - Small values only, copied: a row must not keep a whole block alive.
 */
import { compareBytes } from './bytes.ts';

const VALUE_BYTES_MAX = 512;
const KEY_BYTES_MAX = 256;
/** About what a row of a small value costs. */
const ROW_BYTES = 256;
const ROWS_MAX = 32_768;

interface Row {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export class RowCache {
  #rows: (Row | undefined)[] = [];
  /** Hash of the key last offered for each row. */
  #offered = new Uint32Array(0);
  #isEmpty = true;

  constructor(budget: number) {
    this.resize(budget);
  }

  /** Takes about an eighth of the budget of the block cache. */
  resize(budget: number): void {
    const wanted = Math.min(ROWS_MAX, budget / 8 / ROW_BYTES);
    const rows = wanted < 2 ? 0 : 2 ** Math.floor(Math.log2(wanted));
    this.#rows = Array.from({ length: rows });
    this.#offered = new Uint32Array(rows);
    this.#isEmpty = true;
  }

  get(key: Uint8Array, hash: number): Uint8Array | undefined {
    if (this.#isEmpty) return undefined;
    const pair = hash & (this.#rows.length - 2);
    const first = this.#rows[pair];
    if (first !== undefined && compareBytes(first.key, key) === 0) return first.value;
    const second = this.#rows[pair + 1];
    return second !== undefined && compareBytes(second.key, key) === 0 ? second.value : undefined;
  }

  /** Says that the tables hold `value` for `key`, which `get` did not find. */
  offer(key: Uint8Array, hash: number, value: Uint8Array): void {
    if (this.#rows.length === 0 || value.length > VALUE_BYTES_MAX || key.length > KEY_BYTES_MAX) return;
    const at = hash & (this.#rows.length - 1);
    if (this.#offered[at] !== hash) {
      this.#offered[at] = hash;
      return;
    }
    const pair = at & ~1;
    this.#rows[pair + 1] = this.#rows[pair];
    this.#rows[pair] = { key: key.slice(), value: value.slice() };
    this.#isEmpty = false;
  }

  clear(): void {
    if (this.#isEmpty) return;
    this.#rows.fill(undefined);
    this.#isEmpty = true;
  }
}
