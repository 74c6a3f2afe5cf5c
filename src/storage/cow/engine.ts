/**
 * The `cow` engine: a copy-on-write B+ tree behind a write-ahead log. Bytes and crash cases in docs/formats/cow.md.
 *
 * - Reads never wait. They see the newest applied commit, or the state of their snapshot.
 * - Checkpoints, compactions and verifications run one at a time, concurrently with commits. Commits wait only when the
 *   log has grown to twice its limit while a checkpoint is under way.
 * - After a failed write or sync the engine is read-only. After a commit that was applied only in part, reads fail too.
 */
import { EventEmitter } from 'eventemitter3';
import { type ByteRange, decodeBatch, type EncodedChange } from '../batch.ts';
import { checkKey, checkRange } from '../checks.ts';
import type { Disk } from '../disk.ts';
import type {
  Bytes,
  Change,
  CommitOptions,
  EngineEvents,
  EngineStats,
  Entry,
  Fault,
  KeyValueEngine,
  RangeOptions,
  Snapshot,
} from '../engine.ts';
import { readOnly, StorageError, storeClosed } from '../errors.ts';
import { HotEntries, hashOf } from '../hot-entries.ts';
import { readMany } from '../read-many.ts';
import { type SnapshotSource, snapshotOf } from '../snapshot.ts';
import type { Wal } from '../wal.ts';
import { WalCommitQueue } from '../wal-commit-queue.ts';
import { RECORD_HEADER_BYTES } from '../wal-format.ts';
import { backupStore } from './backup.ts';
import type { ReadCounts } from './cache.ts';
import { type CheckpointOwner, Checkpoints } from './checkpoints.ts';
import { compactStore } from './compact.ts';
import { type CowConfig, checkedConfig } from './config.ts';
import { Cursor } from './cursor.ts';
import { UNIT_BYTES } from './format.ts';
import { type OpenFiles, openFiles, type Place } from './open.ts';
import { type HeldState, readKey } from './reads.ts';
import type { Store } from './store.ts';
import { verifyTree } from './verify.ts';

/** `getMany` yields to the event loop after this many reads from the disk. */
const COLD_READS_PER_TURN = 32;

/** Opens the store in `directory`, or creates it there. Rejects with a `StorageError`. */
export async function openCow(options: {
  readonly directory: string;
  readonly disk: Disk;
  readonly config?: CowConfig;
}): Promise<KeyValueEngine> {
  const { directory, disk } = options;
  const place = { directory, disk, config: checkedConfig(options.config ?? {}) };
  return new CowEngine(place, await openFiles(place));
}

class CowEngine implements KeyValueEngine {
  readonly backend = 'cow';
  readonly #place: Place;
  readonly #wal: Wal;
  readonly #queue: WalCommitQueue;
  readonly repaired: readonly Fault[];
  readonly #events = new EventEmitter();
  #store: Store;
  #failure: StorageError | null = null;
  /** Why reads are refused: the engine is closed, or a commit was applied only in part. */
  #unreadable: StorageError | null = null;
  #closing: Promise<void> | null = null;
  readonly #backups = new Set<Promise<unknown>>();
  /** Sequence of the newest applied commit. */
  #sequence: number;
  readonly #checkpoints: Checkpoints;
  /** The end of the queue of checkpoints, compactions and verifications. */
  #maintenance: Promise<unknown> = Promise.resolve();
  #follower: ((payload: Uint8Array) => void) | null = null;
  readonly #hot: HotEntries;
  readonly #counts: ReadCounts = { hits: 0, misses: 0 };
  /** The states that ranges and snapshots read. */
  readonly #held = new Set<HeldState>();

  constructor(place: Place, files: OpenFiles) {
    this.#place = place;
    this.repaired = files.repaired;
    this.#hot = new HotEntries(place.config.cache_bytes);
    this.#store = files.store;
    this.#wal = files.wal;
    this.#sequence = files.wal.lastSequence;
    this.#queue = new WalCommitQueue({
      wal: files.wal,
      apply: (sequence, bytes, range) => this.#apply(sequence, bytes, range),
      backpressure: () => this.#checkpoints.backpressure(),
      fail: (reason) => this.#fail(reason),
      broken: (reason) => {
        this.#unreadable = reason;
      },
      synced: (sync) => void this.#events.emit('synced', sync),
    });
    this.#checkpoints = new Checkpoints(this.#checkpointOwner(), files.replayedBytes);
  }

  get failure(): StorageError | null {
    return this.#failure;
  }

  get(key: Bytes): Bytes | undefined {
    if (this.#unreadable !== null) throw this.#unreadable;
    checkKey(key);
    const hash = hashOf(key, 0, key.length);
    const hot = this.#hot.get(key, hash);
    if (hot !== null) {
      this.#counts.hits += 1;
      return hot;
    }
    const value = readKey({ store: this.#store, root: this.#store.tree.root, counts: this.#counts }, key);
    if (value !== undefined) this.#hot.offer(key, hash, value);
    return value;
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return readMany(this, keys, { readsPerTurn: COLD_READS_PER_TURN, cache: this.#store.tree.cache });
  }

  range(options: RangeOptions = {}): IterableIterator<Entry> {
    this.#checkReadable();
    checkRange(options);
    return new Cursor({ check: () => this.#checkReadable(), hold: () => this.#hold() }, options);
  }

  snapshot(): Snapshot {
    this.#checkReadable();
    const state = this.#hold();
    const source: SnapshotSource = {
      get: (key) => readKey(state, key),
      range: (options, check) => new Cursor({ check, hold: () => ({ ...state, release: () => {} }) }, options),
      release: state.release,
    };
    return snapshotOf(source, () => this.#checkReadable());
  }

  commit(batch: readonly Change[], options: CommitOptions): Promise<void> {
    return this.#queue.commit(batch, options);
  }

  async backup(directory: string): Promise<{ readonly files: number; readonly bytes: number }> {
    this.#checkReadable();
    // A close ends the copy instead of waiting for it.
    const copied = backupStore(this.#store, { ...this.#place, directory }, () => this.#checkReadable());
    this.#backups.add(copied);
    return copied.finally(() => this.#backups.delete(copied));
  }

  async verify(progress: (done: number, total: number) => void = () => {}): Promise<readonly Fault[]> {
    this.#checkReadable();
    return this.#queueMaintenance(async () => {
      const store = this.#store;
      const others = store.pagesOutsideTree();
      const state = store.acquireReader();
      try {
        const { file, units } = store;
        const faults = await verifyTree({ file, units, state, others, progress });
        return [...store.verifyFrame(), ...faults, ...(await this.#wal.verify())];
      } finally {
        store.releaseReader(state);
      }
    });
  }

  async compact(progress: (done: number, total: number) => void = () => {}): Promise<void> {
    this.#checkReadable();
    if (this.#failure !== null) throw readOnly(this.#failure);
    const began = performance.now();
    await this.#queueMaintenance(async () => {
      const from = this.#store;
      const bytesRead = from.units.used * UNIT_BYTES;
      const bytesWritten = await this.#compactFrom(from, (done, total) => {
        // The store is unchanged so far, so a close need not wait for the compaction.
        this.#checkReadable();
        progress(done, total);
      });
      const seconds = (performance.now() - began) / 1000;
      this.#events.emit('compacted', { seconds, bytesRead, bytesWritten });
    });
  }

  stats(): EngineStats {
    this.#checkReadable();
    const { units, tree, file } = this.#store;
    const { cache } = tree;
    return {
      backend: this.backend,
      keys: tree.keys,
      diskBytes: file.size() + this.#wal.diskBytes,
      liveBytes: tree.bytes,
      cacheBytes: cache.cleanBytes + cache.dirtyBytes,
      cacheHits: this.#counts.hits,
      cacheMisses: this.#counts.misses,
      walBytes: this.#wal.bytes,
      snapshots: this.#held.size,
      pendingCompactionBytes: (units.length - units.used) * UNIT_BYTES,
      levels: [],
    };
  }

  on<Name extends keyof EngineEvents>(name: Name, listener: EngineEvents[Name]): void {
    this.#events.on(name, listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = storeClosed();
    this.#unreadable ??= closed;
    await this.#queue.close(closed);
    await Promise.allSettled(this.#backups);
    await this.#queueMaintenance(async () => {
      try {
        if (this.#failure === null) await this.#checkpoints.write();
      } catch (error) {
        if (!this.#isInLog(error)) throw error;
      } finally {
        // A compaction leaves the file of an earlier state open for its readers.
        for (const { release } of this.#held) release();
        this.#store.file.close();
        await this.#wal.close();
      }
    });
  }

  /** Whether a full disk failed the checkpoint but the log holds every commit durably, so the next open replays it. */
  #isInLog(error: unknown): boolean {
    const isFull = error instanceof StorageError && error.code === 'STORAGE_FULL';
    return isFull && this.#wal.durableSequence === this.#wal.lastSequence;
  }

  /** The newest state. The close of the store releases it too. */
  #hold(): HeldState {
    const store = this.#store;
    const reader = store.acquireReader();
    const held: HeldState = {
      store,
      root: reader.root,
      counts: this.#counts,
      release: () => {
        if (this.#held.delete(held)) store.releaseReader(reader);
      },
    };
    this.#held.add(held);
    return held;
  }

  #apply(sequence: number, bytes: Uint8Array, range: ByteRange): void {
    decodeBatch(bytes, range, this.#applyChange);
    this.#sequence = sequence;
    if (this.#follower !== null) this.#follower(bytes.slice(range.start, range.end));
    this.#checkpoints.count(range.end - range.start + RECORD_HEADER_BYTES);
  }

  readonly #applyChange = (change: EncodedChange): void => {
    this.#hot.invalidate(hashOf(change.bytes, change.keyStart, change.keyEnd));
    this.#store.tree.apply(change);
  };

  #checkpointOwner(): CheckpointOwner {
    return {
      wal: this.#wal,
      queue: this.#queue,
      config: this.#place.config,
      store: () => this.#store,
      freeBytes: () => this.#place.disk.freeBytes(this.#place.directory),
      sequence: () => this.#sequence,
      hasFailed: () => this.#failure !== null,
      queueMaintenance: (work) => this.#queueMaintenance(work),
      fail: (reason) => this.#fail(reason),
      checkpointed: (checkpoint) => void this.#events.emit('checkpointed', checkpoint),
      stalled: (stall) => void this.#events.emit('stalled', stall),
    };
  }

  #compactFrom(from: Store, progress: (done: number, total: number) => void): Promise<number> {
    const compaction = {
      place: this.#place,
      from,
      queue: this.#queue,
      wal: this.#wal,
      progress,
      sequence: () => this.#sequence,
      follow: (sink: ((payload: Uint8Array) => void) | null) => {
        this.#follower = sink;
      },
      current: () => this.#store,
      replace: (store: Store) => {
        this.#store = store;
      },
      scrubbed: () => {
        this.#sequence = this.#wal.lastSequence;
        this.#checkpoints.logEmptied();
      },
      fail: (reason: StorageError) => this.#fail(reason),
    };
    return compactStore(compaction);
  }

  /** Runs `work` after all maintenance that was queued before. */
  #queueMaintenance<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#maintenance.then(work);
    this.#maintenance = done.catch(() => {});
    return done;
  }

  #checkReadable(): void {
    if (this.#unreadable !== null) throw this.#unreadable;
  }

  #fail(reason: StorageError): void {
    if (this.#failure !== null) return;
    this.#failure = reason;
    this.#queue.refuse(readOnly(reason));
  }
}
