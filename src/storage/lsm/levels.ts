/**
 * The tables of one state by level. Immutable: a reader keeps its state while flushes and compactions create new ones.
 *
 * - Level 0 is ordered newest first and its tables may overlap. Deeper levels are disjoint and in key order.
 * - A table that no state contains any more is reported as unused; its file may then be removed.
 */
import { compareBytes } from './bytes.ts';
import type { Chunk, WalkOrder } from './chunk.ts';
import type { Table } from './table.ts';

export const LEVELS = 7;

/** The change of a flush or compaction. Removed tables are removed from any level. */
export interface LevelChange {
  readonly remove: readonly Table[];
  readonly add: readonly { readonly level: number; readonly table: Table }[];
}

export type OnUnused = (tables: readonly Table[]) => void;

/** The tables of one state, by level. */
export class Levels {
  /** One list per level, `LEVELS` in all. */
  readonly tables: readonly (readonly Table[])[];
  #pins = 1;
  readonly #onUnused: OnUnused;

  /** Begins with one pin, which belongs to the creator. */
  constructor(tables: readonly (readonly Table[])[], onUnused: OnUnused) {
    this.tables = Array.from({ length: LEVELS }, (_, level) => tables[level] ?? []);
    this.#onUnused = onUnused;
    for (const table of tables.flat()) table.references += 1;
  }

  /** Keeps the tables of this state in use until the matching `unpin`. */
  pin(): this {
    this.#pins += 1;
    return this;
  }

  unpin(): void {
    this.#pins -= 1;
    if (this.#pins > 0) return;
    const unused: Table[] = [];
    for (const table of this.tables.flat()) {
      table.references -= 1;
      if (table.references === 0) unused.push(table);
    }
    this.#onUnused(unused);
  }

  /** The next state. Tables added to level 0 must be newer than all tables there. */
  changed(change: LevelChange): Levels {
    const removed = new Set(change.remove);
    const tables = this.tables.map((level) => level.filter((table) => !removed.has(table)));
    for (const { level, table } of change.add.toReversed()) tables[level]!.unshift(table);
    for (const level of tables.slice(1)) level.sort((a, b) => compareBytes(a.meta.smallest, b.meta.smallest));
    return new Levels(tables, this.#onUnused);
  }

  /** The value of `key` visible at `sequence`; null for a tombstone, undefined when no table has the key. */
  get(key: Uint8Array, hash: number, sequence: number): Uint8Array | null | undefined {
    for (const table of this.tables[0]!) {
      if (!table.covers(key)) continue;
      const value = table.get(key, hash, sequence);
      if (value !== undefined) return value;
    }
    for (let level = 1; level < LEVELS; level += 1) {
      const tables = this.tables[level]!;
      const table = tables[tableFor(tables, key)];
      if (table === undefined || compareBytes(key, table.meta.smallest) < 0) continue;
      const value = table.get(key, hash, sequence);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  bytes(level: number): number {
    return this.tables[level]!.reduce((sum, table) => sum + table.meta.fileBytes, 0);
  }

  /** Tables of `level` that share keys with the span from `smallest` to `largest`. */
  overlapping(level: number, span: { readonly smallest: Uint8Array; readonly largest: Uint8Array }): Table[] {
    return this.tables[level]!.filter(
      ({ meta }) => compareBytes(meta.largest, span.smallest) >= 0 && compareBytes(meta.smallest, span.largest) <= 0,
    );
  }
}

/** The entries of disjoint tables in key order, visible at a sequence, by block, from the block with `start` on. */
export function* chunksOf(
  tables: readonly Table[],
  start: Uint8Array | undefined,
  { sequence, reverse }: WalkOrder,
): Generator<Chunk> {
  const step = reverse ? -1 : 1;
  const last = tables.length - 1;
  const first = start === undefined ? (reverse ? last : 0) : tableFor(tables, start);
  for (let at = reverse ? Math.min(last, first) : first; at >= 0 && at <= last; at += step) {
    const table = tables[at]!;
    const end = table.blockCount - 1;
    const from = at === first && start !== undefined ? table.blockFor(start) : reverse ? end : 0;
    for (let block = Math.min(end, from); block >= 0 && block <= end; block += step) yield table.chunk(block, sequence);
  }
}

/** The first of the disjoint tables whose largest key is not before `key`; `tables.length` when there is none. */
function tableFor(tables: readonly Table[], key: Uint8Array): number {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(key, tables[middle]!.meta.largest) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
