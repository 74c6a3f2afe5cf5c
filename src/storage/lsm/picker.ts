/**
 * Chooses the next compaction: the level that exceeds its target size most, and which of its tables move down.
 *
 * - For every key, versions that stay in the level are newer than those that move down. Hence level 0 gives its oldest
 *   table, with all tables of level 0 that overlap it directly or through others: they would be merged with the same
 *   tables next.
 */
import { compareBytes } from './bytes.ts';
import type { LsmConfig } from './config.ts';
import { LEVELS, type Levels } from './levels.ts';
import type { Table } from './table.ts';

export interface Compaction {
  /** The runs to merge, newest first; the tables of a run are disjoint and in key order. */
  readonly runs: readonly (readonly Table[])[];
  /** The level of the result. */
  readonly target: number;
}

/** Chooses compactions by the sizes of the levels. */
export class CompactionPicker {
  readonly #config: LsmConfig;
  /** By level, the largest key of the last compaction: the next one begins after it. */
  readonly #taken: (Uint8Array | undefined)[] = [];

  constructor(config: LsmConfig) {
    this.#config = config;
  }

  /** The next compaction, undefined while every level is within its target. */
  pick(levels: Levels): Compaction | undefined {
    let level = -1;
    let highest = 1;
    for (let candidate = 0; candidate < LEVELS - 1; candidate += 1) {
      const score = this.#score(levels, candidate);
      if (score < highest) continue;
      highest = score;
      level = candidate;
    }
    if (level < 0) return undefined;
    const upper = level === 0 ? oldestWithOverlaps(levels) : [this.#nextOf(levels, level)];
    const lower = levels.overlapping(level + 1, spanOf(upper));
    const runs = upper.map((table): readonly Table[] => [table]);
    if (lower.length > 0) runs.push(lower);
    return { runs, target: level + 1 };
  }

  /** Bytes that must move down before every level is within its target. */
  pendingBytes(levels: Levels): number {
    let pending = levels.tables[0]!.length >= this.#config.level_zero_tables ? levels.bytes(0) : 0;
    for (let level = 1; level < LEVELS - 1; level += 1) {
      pending += Math.max(0, levels.bytes(level) - this.#target(level));
    }
    return pending;
  }

  #score(levels: Levels, level: number): number {
    if (level === 0) return levels.tables[0]!.length / this.#config.level_zero_tables;
    return levels.bytes(level) / this.#target(level);
  }

  #target(level: number): number {
    return this.#config.level_one_bytes * this.#config.level_growth ** (level - 1);
  }

  #nextOf(levels: Levels, level: number): Table {
    const tables = levels.tables[level]!;
    const taken = this.#taken[level];
    const next = tables.find(({ meta }) => taken !== undefined && compareBytes(meta.smallest, taken) > 0) ?? tables[0]!;
    this.#taken[level] = next.meta.largest;
    return next;
  }
}

/** The compaction of all tables into the deepest level in use; undefined when there are no tables. */
export function wholeCompaction(levels: Levels): Compaction | undefined {
  const target = Math.max(
    1,
    levels.tables.findLastIndex((tables) => tables.length > 0),
  );
  const upper = levels.tables[0]!.map((table): readonly Table[] => [table]);
  const runs = [...upper, ...levels.tables.slice(1)].filter((run) => run.length > 0);
  return runs.length === 0 ? undefined : { runs, target };
}

function spanOf(tables: readonly Table[]): { readonly smallest: Uint8Array; readonly largest: Uint8Array } {
  let { smallest, largest } = tables[0]!.meta;
  for (const { meta } of tables) {
    if (compareBytes(meta.smallest, smallest) < 0) smallest = meta.smallest;
    if (compareBytes(meta.largest, largest) > 0) largest = meta.largest;
  }
  return { smallest, largest };
}

function oldestWithOverlaps(levels: Levels): Table[] {
  let chosen = [levels.tables[0]!.at(-1)!];
  for (;;) {
    const wider = levels.overlapping(0, spanOf(chosen));
    if (wider.length === chosen.length) return wider;
    chosen = wider;
  }
}
