/**
 * The key-value engine interface: ordered keys, atomic durable commits, snapshots. All engines implement it and pass
 * one contract suite (`tests/storage/engine-contract.ts`).
 *
 * - Keys are ordered as unsigned bytes. A key holds 1 to 65 536 bytes, a value 0 to 67 108 864 bytes.
 * - A commit is atomic: after a crash either all of it is there or nothing.
 * - Returned bytes may be shared with the engine's cache: callers must not change them. They stay valid, because an
 *   engine never reuses a buffer that it returned.
 * - An engine may keep the bytes of a commit: callers must not change them any more.
 */
import type { StorageError } from './errors.ts';

export type Bytes = Uint8Array;

export const KEY_BYTES_MAX = 65_536;
export const VALUE_BYTES_MAX = 67_108_864;

/** The names of `DAYBOOK_PERSISTENCE_BACKEND`, and `memory`, which stores nothing, for `--ephemeral` and tests. */
export type Backend = 'cow' | 'lsm' | 'embedded_kv' | 'memory';

/** One change of a batch: a value puts, `undefined` deletes. The last change of a key in a batch wins. */
export interface Change {
  readonly key: Bytes;
  readonly value: Bytes | undefined;
}

export interface Entry {
  readonly key: Bytes;
  readonly value: Bytes;
}

/** Bounds in byte order; `limit` is a number of entries, unlimited when absent. */
export interface RangeOptions {
  readonly gte?: Bytes;
  readonly gt?: Bytes;
  readonly lte?: Bytes;
  readonly lt?: Bytes;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Reads of a committed state. Damage throws `STORAGE_CORRUPT`, a closed store `STORAGE_CLOSED`. */
export interface Reader {
  /** The value of `key`, or undefined. Synchronous; reads at most a few pages from the disk. */
  get(key: Bytes): Bytes | undefined;
  /**
   * The entries within the bounds, lazily and in order, of the state at the first step. Leaving the loop early releases
   * that state. Once the store is closed or the snapshot released, the next step throws `STORAGE_CLOSED`.
   */
  range(options?: RangeOptions): IterableIterator<Entry>;
}

/** One committed state that stays readable while commits continue. */
export interface Snapshot extends Reader {
  /** Frees the snapshot; idempotent. Later reads of it throw `STORAGE_CLOSED`. */
  release(): void;
}

export interface CommitOptions {
  /**
   * true: resolves after fdatasync. false: resolves when the commit is visible and handed to the operating system; the
   * next durable commit or `close` makes it durable.
   */
  readonly durable: boolean;
  /** Number of callers that wait for this commit, 1 when absent. */
  readonly writers?: number;
  /**
   * true: the sync leaves the thread free, which has other work. false, as when left out: a commit that shares its sync
   * with no other is synced on the calling thread, which gives the lower latency.
   */
  readonly offThread?: boolean;
}

/** A fault found by `verify`: the file name inside the data directory, the byte offset if known, and a sentence. */
export interface Fault {
  readonly file: string;
  readonly offset: number | null;
  readonly what: string;
}

/** Figures of an engine. Sizes in bytes; hits and misses since the engine was opened, which never decrease. */
export interface EngineStats {
  readonly backend: Backend;
  /** Exact, or null when counting would cost a full scan. */
  readonly keys: number | null;
  readonly diskBytes: number;
  /** Bytes of live data, or null when the engine cannot tell. */
  readonly liveBytes: number | null;
  readonly cacheBytes: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly walBytes: number;
  /** Snapshots that are not released, and in some engines ranges that are being read. */
  readonly snapshots: number;
  readonly pendingCompactionBytes: number;
  /** Tables and bytes by level; empty except for `lsm`. */
  readonly levels: readonly { readonly tables: number; readonly bytes: number }[];
}

/** The events of an engine, for metrics. Durations in seconds, sizes in bytes. */
export interface EngineEvents {
  synced: (sync: { readonly seconds: number; readonly commits: number; readonly bytes: number }) => void;
  checkpointed: (checkpoint: { readonly seconds: number; readonly bytes: number }) => void;
  compacted: (compaction: {
    readonly seconds: number;
    readonly bytesRead: number;
    readonly bytesWritten: number;
  }) => void;
  stalled: (stall: { readonly seconds: number }) => void;
}

/** An open engine. Reads see the newest visible commit. */
export interface KeyValueEngine extends Reader {
  readonly backend: Backend;
  /** Why the engine refuses writes (a failed write or sync, a full disk, damage); null while it accepts them. */
  readonly failure: StorageError | null;
  /**
   * Values in the order of `keys`, all of the state at the call. Yields to the event loop between groups of uncached
   * reads.
   */
  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]>;
  /** A snapshot of the newest visible state; takes constant time. */
  snapshot(): Snapshot;
  /**
   * Applies the batch atomically; it is visible when the promise resolves. Commits are applied in the order of the
   * calls, and commits that wait together share one sync. When it rejects with a `StorageError`, nothing of it is
   * applied.
   */
  commit(batch: readonly Change[], options: CommitOptions): Promise<void>;
  /**
   * Writes a consistent copy to `directory`, which must be absent or empty, while writes continue. A close meanwhile may
   * end it with `STORAGE_CLOSED`.
   */
  backup(directory: string): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Reads every page or block and checks checksums, order and reachability. Does not reject for damage. */
  verify(progress?: (done: number, total: number) => void): Promise<readonly Fault[]>;
  /**
   * Damage without loss that opening found: in parts that are not needed any more, or that were restored from a second
   * copy. Absent in engines without such parts.
   */
  readonly repaired?: readonly Fault[];
  /**
   * Frees unused space. When it resolves, deleted bytes have left the disk; an engine with `scrub` keeps those of states
   * that are being read.
   */
  compact(progress?: (done: number, total: number) => void): Promise<void>;
  /**
   * Removes deleted and replaced bytes from the disk, all of them, and with no more work than that needs. Rejects with
   * `STORAGE_BUSY` while an earlier state is being read. Absent in engines whose `compact` does that for any readers.
   */
  scrub?(): Promise<void>;
  /**
   * Writes everything from the write-ahead log to the store: the next open has nothing to replay. Absent in engines
   * whose `close` does that.
   */
  settle?(): Promise<void>;
  /**
   * Changes the budget of the cache immediately. Absent in engines that cannot. Throws `STORAGE_CONFIG` unless `bytes`
   * is a whole number from 0.
   */
  resizeCache?(bytes: number): void;
  stats(): EngineStats;
  on<Name extends keyof EngineEvents>(name: Name, listener: EngineEvents[Name]): void;
  /** Refuses further calls, makes everything durable and closes the files; idempotent. */
  close(): Promise<void>;
}
