/**
 * Walks over the sources of a range (a memtable, or the tables of one level), chunk by chunk in key order.
 *
 * - `first` returns the chunk with the start of the range, or its neighbour; `next` returns the following chunk.
 * - A walk sees one state: it omits entries newer than its sequence, and tables never change.
 */
import { compareBytes } from './bytes.ts';
import type { Chunk } from './chunk.ts';
import type { Memtable, Piece } from './memtable.ts';
import type { Table } from './table.ts';

export interface Walk {
  first(start: Uint8Array | undefined): Chunk | undefined;
  next(): Chunk | undefined;
}

export interface WalkOrder {
  readonly sequence: number;
  readonly reverse: boolean;
}

/** Walks over a memtable. */
export class MemtableWalk implements Walk {
  readonly #memtable: Memtable;
  readonly #order: WalkOrder;
  #piece: Piece | undefined;

  constructor(memtable: Memtable, order: WalkOrder) {
    this.#memtable = memtable;
    this.#order = order;
  }

  first(start: Uint8Array | undefined): Chunk | undefined {
    const { sequence, reverse } = this.#order;
    this.#piece = reverse ? this.#memtable.pieceUpTo(start, sequence) : this.#memtable.pieceFrom(start, sequence);
    return this.#piece?.chunk;
  }

  /** Continues after the last key rather than at an index, because leaves may have split meanwhile. */
  next(): Chunk | undefined {
    const { sequence, reverse } = this.#order;
    if (this.#piece === undefined) return undefined;
    this.#piece = reverse
      ? this.#memtable.pieceBefore(this.#piece.low, sequence)
      : this.#memtable.pieceAfter(this.#piece.high, sequence);
    return this.#piece?.chunk;
  }
}

/** Walks over the tables of one level, which are disjoint and in key order. */
export class TablesWalk implements Walk {
  readonly #tables: readonly Table[];
  readonly #order: WalkOrder;
  #table = 0;
  #block = 0;

  /** `tables` are disjoint and in key order. */
  constructor(tables: readonly Table[], order: WalkOrder) {
    this.#tables = tables;
    this.#order = order;
  }

  first(start: Uint8Array | undefined): Chunk | undefined {
    if (this.#order.reverse) this.#seekDown(start);
    else this.#seekUp(start);
    return this.#chunk();
  }

  next(): Chunk | undefined {
    if (this.#order.reverse) this.#stepDown();
    else this.#stepUp();
    return this.#chunk();
  }

  #seekUp(start: Uint8Array | undefined): void {
    this.#table = start === undefined ? 0 : tableFor(this.#tables, start);
    const table = this.#tables[this.#table];
    this.#block = table === undefined || start === undefined ? 0 : table.blockFor(start);
  }

  #seekDown(start: Uint8Array | undefined): void {
    const last = this.#tables.length - 1;
    this.#table = start === undefined ? last : Math.min(last, tableFor(this.#tables, start));
    const table = this.#tables[this.#table];
    if (table === undefined) return;
    this.#block = start === undefined ? table.blockCount - 1 : Math.min(table.blockCount - 1, table.blockFor(start));
  }

  #stepUp(): void {
    this.#block += 1;
    if (this.#block < this.#tables[this.#table]!.blockCount) return;
    this.#table += 1;
    this.#block = 0;
  }

  #stepDown(): void {
    this.#block -= 1;
    if (this.#block >= 0) return;
    this.#table -= 1;
    this.#block = (this.#tables[this.#table]?.blockCount ?? 1) - 1;
  }

  #chunk(): Chunk | undefined {
    return this.#tables[this.#table]?.chunk(this.#block, this.#order.sequence);
  }
}

/** The first of the disjoint tables whose largest key is not before `key`; `tables.length` when there is none. */
export function tableFor(tables: readonly Table[], key: Uint8Array): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(key, tables[middle]!.meta.largest) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
