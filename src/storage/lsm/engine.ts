/**
 * The `lsm` engine: write-ahead log, memtables, sorted tables in levels. docs/formats/lsm.md has the bytes and the
 * steps.
 *
 * - Reads are synchronous: memtables first, then tables from level 0 down.
 * - A commit becomes visible when it is applied to the memtable; a durable commit is applied after its sync.
 * - After the first failure of the log, a flush, a compaction or a manifest edit the engine is read-only.
 */
import { EventEmitter } from 'eventemitter3';
import { checkKey, checkRange } from '../checks.ts';
import type { Disk } from '../disk.ts';
import { diskError } from '../disk-error.ts';
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
import { nodeDisk } from '../node-disk.ts';
import { readMany } from '../read-many.ts';
import type { Wal } from '../wal.ts';
import { WalCommitQueue } from '../wal-commit-queue.ts';
import { type Background, backgroundFor } from './background.ts';
import { Backpressure } from './backpressure.ts';
import { backupStore } from './backup.ts';
import { BlockCache } from './block-cache.ts';
import { type LsmConfig, lsmConfig } from './config.ts';
import { Maintenance, NoRoom } from './maintenance.ts';
import { ManifestEditor } from './manifest-editor.ts';
import { MergeStopped } from './merge.ts';
import { type OpenedStore, openStore, type StorePlace } from './open.ts';
import { ReadState } from './state.ts';
import { verifyStore } from './verify.ts';
import { WalMaintenance } from './wal-maintenance.ts';

const MIB = 1_048_576;
/** A larger memtable is flushed at close, so that the next open has little to replay. */
const FLUSH_AT_CLOSE_BYTES = MIB;
/** `getMany` yields to the event loop after this many blocks from the disk. */
const COLD_READS_PER_TURN = 16;

export interface LsmOptions {
  readonly directory: string;
  readonly disk?: Disk;
  readonly config?: Partial<LsmConfig>;
}

/** Opens the store in `directory`, or creates it there. The caller must hold the directory's lock. */
export async function openLsm(options: LsmOptions): Promise<LsmEngine> {
  const config = lsmConfig(options.config);
  const place = { disk: options.disk ?? nodeDisk, directory: options.directory, config };
  try {
    return new LsmEngine(place, await openStore(place));
  } catch (error) {
    throw diskError(error, `Cannot open the store in ${options.directory}`);
  }
}

/** An open `lsm` store. */
export class LsmEngine implements KeyValueEngine {
  readonly backend = 'lsm';
  readonly #place: StorePlace;
  readonly #cache: BlockCache;
  readonly #wal: Wal;
  readonly #background: Background;
  readonly #editor: ManifestEditor;
  readonly #state: ReadState;
  readonly #maintenance: Maintenance;
  readonly #backpressure: Backpressure;
  readonly #queue: WalCommitQueue;
  readonly #log: WalMaintenance;
  readonly #events = new EventEmitter();
  #failure: StorageError | null = null;
  #unreadable: StorageError | null = null;
  #closing: Promise<void> | null = null;
  readonly #running = new Set<Promise<unknown>>();

  constructor(place: StorePlace, opened: OpenedStore) {
    const { disk, directory, config } = place;
    this.#place = place;
    this.#wal = opened.wal;
    this.#cache = new BlockCache(config.block_cache_mb * MIB);
    this.#background = backgroundFor(disk);
    const host = { disk, directory, cache: this.#cache };
    const fail = (error: unknown): void => this.#fail(error);
    this.#editor = new ManifestEditor({ host, background: this.#background, fail }, opened.manifest);
    this.#state = new ReadState(this.#editor, opened.memtables, config.block_cache_mb * MIB);
    this.#backpressure = new Backpressure(this.#state, config, (stall) => this.#events.emit('stalled', stall));
    this.#maintenance = this.#startMaintenance();
    this.#queue = this.#startQueue();
    this.#log = new WalMaintenance({ wal: this.#wal, queue: this.#queue, editor: this.#editor, fail });
    this.#maintenance.wake();
  }

  get failure(): StorageError | null {
    return this.#failure;
  }

  get repaired(): readonly Fault[] {
    return this.#wal.damaged;
  }

  get(key: Bytes): Bytes | undefined {
    this.#checkReadable();
    checkKey(key);
    return this.#state.getLatest(key);
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return readMany(this, keys, { readsPerTurn: COLD_READS_PER_TURN, cache: this.#cache });
  }

  range(options: RangeOptions = {}): IterableIterator<Entry> {
    this.#checkReadable();
    checkRange(options);
    return this.#state.range(options, { sequence: () => this.#state.sequence, check: () => this.#checkReadable() });
  }

  snapshot(): Snapshot {
    this.#checkReadable();
    return this.#state.snapshot(() => this.#checkReadable());
  }

  commit(batch: readonly Change[], options: CommitOptions): Promise<void> {
    if (this.#closing !== null) return Promise.reject(storeClosed());
    return this.#queue.commit(batch, options);
  }

  backup(directory: string): Promise<{ readonly files: number; readonly bytes: number }> {
    return this.#runMaintenance(async () => {
      this.#checkWritable();
      await this.#flush();
      return backupStore({ place: this.#place, background: this.#background, editor: this.#editor }, directory);
    });
  }

  verify(progress?: (done: number, total: number) => void): Promise<readonly Fault[]> {
    const parts = { place: this.#place, background: this.#background, editor: this.#editor, wal: this.#wal };
    return this.#runMaintenance(() => verifyStore(parts, progress));
  }

  compact(progress?: (done: number, total: number) => void): Promise<void> {
    return this.#runMaintenance(async () => {
      this.#checkWritable();
      await this.#flush();
      await this.#maintenance.compactAll(progress);
      await this.#queue.exclusively(() => this.#emptyLog());
      await this.#editor.removed();
    });
  }

  /**
   * A compaction that keeps no version for a snapshot: the snapshots that are taken during it are newer. A range that
   * begins during it may read the old tables.
   */
  async scrub(): Promise<void> {
    this.#checkReadable();
    if (this.#state.readers > 0) throw earlierStateRead();
    await this.compact();
    if (this.#editor.isEarlierRead) throw earlierStateRead();
  }

  /** Flushes everything from the log to tables, without compaction: the next open has nothing to replay. */
  settle(): Promise<void> {
    return this.#runMaintenance(async () => {
      this.#checkWritable();
      await this.#queue.exclusively(() => this.#emptyLog());
      await this.#editor.removed();
    });
  }

  /** Keys and live bytes are null: only a merge of all levels could tell overwritten versions from live ones. */
  stats(): EngineStats {
    const { levels, readers } = this.#state;
    const sizes = levels.tables.map((tables, level) => ({ tables: tables.length, bytes: levels.bytes(level) }));
    return {
      backend: this.backend,
      keys: null,
      diskBytes: sizes.reduce((sum, { bytes }) => sum + bytes, this.#wal.diskBytes),
      liveBytes: null,
      cacheBytes: this.#cache.bytes,
      cacheHits: this.#cache.hits,
      cacheMisses: this.#cache.misses,
      walBytes: this.#wal.bytes,
      snapshots: readers,
      pendingCompactionBytes: this.#maintenance.pendingBytes,
      levels: sizes,
    };
  }

  on<Name extends keyof EngineEvents>(name: Name, listener: EngineEvents[Name]): void {
    this.#events.on(name, listener);
  }

  /**
   * Changes the budget of the block cache immediately. Throws `STORAGE_CONFIG` unless `bytes` is a whole number from 0.
   */
  resizeCache(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new StorageError('STORAGE_CONFIG', `The block cache cannot hold ${bytes} bytes.`);
    }
    this.#cache.resize(bytes);
    this.#state.resizeHot(bytes);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#maintenance.stopCompactions();
    this.#backpressure.turnOff();
    await Promise.allSettled(this.#running);
    await this.#queue.close(storeClosed());
    const hadFailed = this.#failure !== null;
    try {
      await this.#settleLog();
      await this.#maintenance.stop();
      await this.#log.settled();
      this.#editor.stop();
      await this.#editor.settled();
      await this.#wal.close();
    } finally {
      this.#state.releaseRanges();
      this.#editor.levels.unpin();
    }
    // Nobody was told so far that acknowledged commits may be lost.
    const isDurable = this.#wal.durableSequence === this.#wal.lastSequence;
    if (!hadFailed && this.#failure !== null && !isDurable) throw this.#failure;
  }

  /** Flushes a large memtable; otherwise adds a record to the log that proves its last commits durable. */
  async #settleLog(): Promise<void> {
    if (this.#failure !== null) return;
    const isLarge = this.#state.memtable.bytes > FLUSH_AT_CLOSE_BYTES || this.#state.frozen.length > 0;
    try {
      const isInTables = isLarge && (await this.#tryEmptyLog());
      if (!isInTables && !this.#state.memtable.isEmpty) await this.#wal.seal();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Moves all commits from the log to tables; false when the disk has no room for them. */
  async #tryEmptyLog(): Promise<boolean> {
    try {
      await this.#emptyLog();
      return true;
    } catch (error) {
      if (error instanceof NoRoom) return false;
      throw error;
    }
  }

  async #flush(): Promise<void> {
    this.#state.freeze();
    await this.#maintenance.flush();
    if (this.#failure !== null) throw this.#failure;
  }

  async #emptyLog(): Promise<void> {
    await this.#flush();
    await this.#log.scrub();
    this.#state.sequence = this.#wal.lastSequence;
  }

  /** Runs work that `close` waits for, and converts its errors to storage errors. */
  async #runMaintenance<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#checkReadable();
    const done = work();
    this.#running.add(done);
    try {
      return await done;
    } catch (error) {
      throw error instanceof MergeStopped ? storeClosed() : diskError(error, 'Cannot keep the store in order');
    } finally {
      this.#running.delete(done);
    }
  }

  #startMaintenance(): Maintenance {
    return new Maintenance({
      state: this.#state,
      directory: this.#place.directory,
      background: this.#background,
      editor: this.#editor,
      config: this.#place.config,
      snapshots: () => this.#state.snapshotSequences,
      syncLog: () => this.#wal.sync(),
      flushed: (sequence) => this.#log.release(sequence),
      relieved: () => {
        this.#freezeIfFull();
        this.#backpressure.relieve();
      },
      refused: (reason) => this.#backpressure.refuse(reason),
      checkpointed: (checkpoint) => void this.#events.emit('checkpointed', checkpoint),
      compacted: (compaction) => void this.#events.emit('compacted', compaction),
      fail: (error) => this.#fail(error),
    });
  }

  #startQueue(): WalCommitQueue {
    return new WalCommitQueue({
      wal: this.#wal,
      apply: (sequence, bytes, { start, end }) => {
        this.#state.apply(sequence, bytes.subarray(start, end));
        this.#freezeIfFull();
      },
      broken: (reason) => {
        this.#unreadable = reason;
      },
      backpressure: () => this.#backpressure.next(),
      fail: (reason) => this.#fail(reason),
      synced: (sync) => void this.#events.emit('synced', sync),
    });
  }

  #freezeIfFull(): void {
    if (!this.#backpressure.shouldFreeze) return;
    this.#state.freeze();
    this.#maintenance.wake();
  }

  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = diskError(error, 'Cannot write the store');
    this.#editor.stop();
    this.#backpressure.turnOff();
    this.#queue.refuse(readOnly(this.#failure));
  }

  #checkReadable(): void {
    if (this.#closing !== null) throw storeClosed();
    if (this.#unreadable !== null) throw this.#unreadable;
  }

  #checkWritable(): void {
    if (this.#failure !== null) throw readOnly(this.#failure);
  }
}

function earlierStateRead(): StorageError {
  return new StorageError('STORAGE_BUSY', 'An earlier state of the store is being read.');
}
