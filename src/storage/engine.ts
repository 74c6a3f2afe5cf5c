/**
 * The key-value engine: ordered bytes, atomic durable commits, snapshots. Every engine of `src/storage` implements it
 * and passes one contract suite (`tests/storage/engine-contract.ts`).
 *
 * - Order is unsigned byte order of the keys. Keys hold 1 to 65 536 bytes, values 0 to 67 108 864 bytes.
 * - A commit is atomic: after any crash all of it is there or nothing.
 * - What `get` and `range` return may be shared with the engine's cache: read it, never write into it. It stays valid
 *   for ever (engines never reuse a buffer they handed out).
 */
import type { StorageError } from './errors.ts';

export type Bytes = Uint8Array;

export const KEY_BYTES_MAX = 65_536;
export const VALUE_BYTES_MAX = 67_108_864;

/** The names of `DAYBOOK_PERSISTENCE_BACKEND`; `memory` keeps nothing and serves `--ephemeral` and tests. */
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

/** Bounds in byte order; `limit` counts entries and is unbounded when absent. */
export interface RangeOptions {
  readonly gte?: Bytes;
  readonly gt?: Bytes;
  readonly lte?: Bytes;
  readonly lt?: Bytes;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Reads of one committed state. */
export interface Reader {
  /** The value of `key`, or undefined. Synchronous; touches at most a few pages of the disk. */
  get(key: Bytes): Bytes | undefined;
  /** Entries in order, lazily, as they stood when iteration began; leaving the loop early frees everything it held. */
  range(options?: RangeOptions): IterableIterator<Entry>;
}

export interface Snapshot extends Reader {
  /** Frees the snapshot; idempotent. Reading it afterwards throws `STORAGE_CLOSED`. */
  release(): void;
}

export interface CommitOptions {
  /**
   * true: resolve after fdatasync. false: resolve once atomic in memory and handed to the file; a later durable commit
   * or close makes it durable.
   */
  readonly durable: boolean;
  /** How many callers wait for this one commit, 1 when absent. */
  readonly writers?: number;
  /**
   * The caller has batched what belongs together, and has other work: the commit sets out at once, and its sync leaves
   * the thread. Without it a commit waits for others that are made in the same turn, and a lone one is synced on the
   * spot, which serves it sooner.
   */
  readonly batched?: boolean;
}

/**
 * One fault found by `verify`: the file (name inside the data directory), the byte offset when known, and a sentence.
 */
export interface Fault {
  readonly file: string;
  readonly offset: number | null;
  readonly what: string;
}

export interface EngineStats {
  readonly backend: Backend;
  /** Exact, or null when counting would cost a full scan. */
  readonly keys: number | null;
  readonly diskBytes: number;
  readonly liveBytes: number | null;
  readonly cacheBytes: number;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly walBytes: number;
  readonly snapshots: number;
  readonly pendingCompactionBytes: number;
  /** Bytes and tables by level, lsm only. */
  readonly levels: readonly { readonly tables: number; readonly bytes: number }[];
}

/** What an engine reports while it works; `observe` feeds the metrics. Durations in seconds, sizes in bytes. */
export interface EngineEvents {
  synced: (sync: { readonly seconds: number; readonly commits: number; readonly bytes: number }) => void;
  checkpointed: (checkpoint: { readonly seconds: number; readonly bytes: number }) => void;
  compacted: (compaction: {
    readonly seconds: number;
    readonly bytesRead: number;
    readonly bytesWritten: number;
  }) => void;
  stalled: (stall: { readonly seconds: number }) => void;
  failed: (reason: StorageError) => void;
}

export interface KeyValueEngine extends Reader {
  readonly backend: Backend;
  /** Why the engine refuses writes since a failed fsync, a full disk or corruption; null while it is well. */
  readonly failure: StorageError | null;
  /** Values in the order of `keys`; yields to the event loop between groups of cold reads. */
  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]>;
  /** O(1); sees exactly one committed state however long it lives. */
  snapshot(): Snapshot;
  /**
   * Applies the batch atomically. Reads see it when the promise resolves, never half of it. Commits are applied in the
   * order of the calls; those waiting together share one sync. Rejects with a `StorageError` and applies nothing.
   */
  commit(batch: readonly Change[], options: CommitOptions): Promise<void>;
  /** A consistent copy into `directory` (absent or empty), while writes go on; a plain file copy restores it. */
  backup(directory: string): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Reads every page or block: checksums, order, reachability. Never throws for what it finds. */
  verify(progress?: (done: number, total: number) => void): Promise<readonly Fault[]>;
  /** Gives back space that nothing can reach; deleted bytes have left the disk when it resolves. */
  compact(progress?: (done: number, total: number) => void): Promise<void>;
  stats(): EngineStats;
  on<Name extends keyof EngineEvents>(name: Name, listener: EngineEvents[Name]): void;
  /** Makes everything durable and frees the directory; idempotent. */
  close(): Promise<void>;
}
