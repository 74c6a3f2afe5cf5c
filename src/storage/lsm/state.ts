/**
 * The state that reads use: the active memtable, the frozen ones, and the tables by level, searched in this order.
 *
 * - Every change of the state is synchronous, so between two turns of the event loop it is one committed state.
 */
import type { Bytes, Entry, RangeOptions, Snapshot } from '../engine.ts';
import { HotEntries } from '../hot-entries.ts';
import { type SnapshotSource, snapshotOf } from '../snapshot.ts';
import { compareBytes, hashKey } from './bytes.ts';
import { chunksOf, type Levels } from './levels.ts';
import { type Frozen, Memtable } from './memtable.ts';
import type { ReplayedMemtables } from './open.ts';
import { entriesOf, planRange, type RangePlan, type RangeSources } from './range.ts';
import type { Table } from './table.ts';

const LATEST = Number.MAX_SAFE_INTEGER;
/** Cleared memtables kept for reuse. */
const SPARES_MAX = 1;
/** A memtable that has grown larger is not reused. */
const SPARE_BYTES_MAX = 67_108_864;
/** A new memtable begins with the arena size of the last one, up to this limit. */
const ARENA_BYTES_MAX = 16_777_216;

/** The view of a range: `sequence` is called once, at the first step; `check` throws when the view is closed. */
export interface RangeView {
  sequence(): number;
  check(): void;
}

/** What reads search: memtables, then tables. */
export class ReadState {
  memtable: Memtable;
  /** Newest first. */
  frozen: readonly Frozen[];
  readonly #tables: { readonly levels: Levels };
  readonly #spares: Memtable[] = [];
  /** Sequence of the last commit applied. */
  sequence: number;
  /** Number of live snapshots, and of ranges that are being read. */
  readers = 0;
  /** Number of live snapshots by sequence, ascending: a later snapshot never has a lower one. */
  readonly #snapshots = new Map<number, number>();
  /** The releases of the ranges that are being read. */
  readonly #ranges = new Set<() => void>();
  #hot: HotEntries;

  constructor(tables: { readonly levels: Levels }, replayed: ReplayedMemtables, cacheBytes: number) {
    this.#hot = new HotEntries(cacheBytes);
    this.#tables = tables;
    this.memtable = replayed.active;
    this.frozen = replayed.frozen;
    this.sequence = replayed.lastSequence;
  }

  /** The tables of the last durable edit. */
  get levels(): Levels {
    return this.#tables.levels;
  }

  /** Applies the payload of a commit. */
  apply(sequence: number, payload: Uint8Array): void {
    this.memtable.apply(sequence, payload, this.#changed);
    this.sequence = sequence;
  }

  /** The newest value of `key`. */
  getLatest(key: Bytes): Bytes | undefined {
    const hash = hashKey(key, 0, key.length);
    const hot = this.#hot.get(key, hash);
    if (hot !== null) return hot;
    const value = this.#find(key, hash, LATEST);
    if (value !== undefined) this.#hot.offer(key, hash, value);
    return value;
  }

  /** Replaces the cache of hot entries by an empty one that fits a block cache of `cacheBytes`. */
  resizeHot(cacheBytes: number): void {
    this.#hot = new HotEntries(cacheBytes);
  }

  /** The value of `key` visible at `sequence`. */
  #find(key: Bytes, hash: number, sequence: number): Bytes | undefined {
    const version = this.memtable.find(key, hash, sequence);
    if (version >= 0) return this.memtable.value(version);
    for (const { memtable } of this.frozen) {
      const older = memtable.find(key, hash, sequence);
      if (older >= 0) return memtable.value(older);
    }
    return this.levels.get(key, hash, sequence) ?? undefined;
  }

  /** The entries of a range, of the state at the first step. */
  range(options: RangeOptions, view: RangeView): IterableIterator<Entry> {
    const plan = planRange(options);
    return entriesOf(plan, () => this.#sources(plan, view.sequence()), view.check);
  }

  /** Sequences of live snapshots, ascending: flushes and compactions keep the versions that these see. */
  get snapshotSequences(): readonly number[] {
    return [...this.#snapshots.keys()];
  }

  /** A snapshot of the current state. `checkReadable` throws when the store must not be read. */
  snapshot(checkReadable: () => void): Snapshot {
    const { sequence } = this;
    this.#snapshots.set(sequence, (this.#snapshots.get(sequence) ?? 0) + 1);
    this.readers += 1;
    const source: SnapshotSource = {
      get: (key) => this.#find(key, hashKey(key, 0, key.length), sequence),
      range: (options, check) => this.range(options, { sequence: () => sequence, check }),
      release: () => this.#release(sequence),
    };
    return snapshotOf(source, checkReadable);
  }

  /** Freezes the active memtable unless it is empty. */
  freeze(): void {
    if (this.memtable.isEmpty) return;
    this.frozen = [{ memtable: this.memtable, lastSequence: this.sequence }, ...this.frozen];
    this.memtable = this.#spares.pop() ?? new Memtable(Math.min(this.memtable.arenaBytes, ARENA_BYTES_MAX));
  }

  /** Removes a memtable that was flushed. Its memory is reused unless an iterator still reads it. */
  drop(flushed: Frozen): void {
    const { memtable } = flushed;
    this.frozen = this.frozen.filter((other) => other !== flushed);
    if (memtable.pins > 0 || this.#spares.length >= SPARES_MAX || memtable.capacity > SPARE_BYTES_MAX) return;
    memtable.clear();
    this.#spares.push(memtable);
  }

  /** Ends all ranges: the close of the store does not wait for their readers. */
  releaseRanges(): void {
    for (const release of this.#ranges) release();
  }

  readonly #changed = (hash: number): void => this.#hot.invalidate(hash);

  #release(sequence: number): void {
    this.readers -= 1;
    const others = this.#snapshots.get(sequence)! - 1;
    if (others === 0) this.#snapshots.delete(sequence);
    else this.#snapshots.set(sequence, others);
  }

  #sources(plan: RangePlan, sequence: number): RangeSources {
    const order = { sequence, reverse: plan.reverse };
    const levels = this.levels.pin();
    const memtables = [this.memtable, ...this.frozen.map(({ memtable }) => memtable)].filter((each) => !each.isEmpty);
    for (const memtable of memtables) memtable.pins += 1;
    this.readers += 1;
    const start = plan.start?.key;
    const [levelZero, ...deeper] = levels.tables;
    const runs = [...levelZero!.filter((table) => overlaps(table, plan)).map((table) => [table]), ...deeper];
    const chunks = [
      ...memtables.map((memtable) => memtable.chunks(start, order)),
      ...runs.map((tables) => chunksOf(tables, start, order)),
    ];
    const release = (): void => {
      if (!this.#ranges.delete(release)) return;
      this.readers -= 1;
      for (const memtable of memtables) memtable.pins -= 1;
      levels.unpin();
    };
    this.#ranges.add(release);
    return { chunks, release };
  }
}

/** Whether a key of the table may be in the range. */
function overlaps(table: Table, plan: RangePlan): boolean {
  const low = plan.reverse ? plan.end : plan.start;
  const high = plan.reverse ? plan.start : plan.end;
  if (low !== undefined && compareBytes(table.meta.largest, low.key) < 0) return false;
  return high === undefined || compareBytes(table.meta.smallest, high.key) <= 0;
}
