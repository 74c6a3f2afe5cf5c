/**
 * The `lsm` engine: write-ahead log, memtables, sorted tables in levels. docs/formats/lsm.md has the bytes and the steps.
 *
 * - Reads are synchronous: memtables first, then tables from the newest level down.
 * - A commit is visible when it is applied to the memtable, after its sync if it asked for one.
 * - After the first failure of the log, a flush, a compaction or an edit every write is refused with its reason.
 */
import { EventEmitter } from 'eventemitter3';
import { checkKey, checkRange } from '../checks.ts';
import { CommitQueue } from '../commit-queue.ts';
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
import { StorageError } from '../errors.ts';
import { nodeDisk } from '../node-disk.ts';
import { RecordGroup, type Wal } from '../wal.ts';
import { type Background, backgroundFor } from './background.ts';
import { Backpressure } from './backpressure.ts';
import { backupStore } from './backup.ts';
import { BlockCache } from './block-cache.ts';
import { type LsmConfig, lsmConfig } from './config.ts';
import { Editor } from './editor.ts';
import { Maintenance } from './maintenance.ts';
import { type OpenedStore, openStore, type StorePlace } from './open.ts';
import { Snapshots } from './snapshots.ts';
import { ReadState } from './state.ts';
import { statsOf } from './stats.ts';
import { verifyStore } from './verify.ts';

const MIB = 1_048_576;
/** A memtable larger than this is flushed at close, so that the next open has little to replay. */
const FLUSH_AT_CLOSE_BYTES = MIB;
/** Cold blocks `getMany` reads before it lets others run. */
const COLD_READS_PER_TURN = 16;

export interface LsmOptions {
  readonly directory: string;
  readonly disk?: Disk;
  readonly config?: Partial<LsmConfig>;
}

/** Opens the store in `directory`, or makes one there. The caller holds the lock of the directory. */
export async function openLsm(options: LsmOptions): Promise<LsmEngine> {
  const config = lsmConfig(options.config);
  const place = { disk: options.disk ?? nodeDisk, directory: options.directory, config };
  try {
    return new LsmEngine(place, openStore(place));
  } catch (error) {
    throw diskError(error, `Cannot open the store in ${options.directory}`);
  }
}

export class LsmEngine implements KeyValueEngine {
  readonly backend = 'lsm';
  readonly #place: StorePlace;
  readonly #cache: BlockCache;
  readonly #wal: Wal;
  readonly #background: Background;
  readonly #editor: Editor;
  readonly #state: ReadState;
  readonly #maintenance: Maintenance;
  readonly #backpressure: Backpressure;
  readonly #queue: CommitQueue;
  readonly #events = new EventEmitter();
  readonly #snapshots: Snapshots;
  #failure: StorageError | null = null;
  #broken: StorageError | null = null;
  #closing: Promise<void> | null = null;
  #releasing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(place: StorePlace, opened: OpenedStore) {
    const { disk, directory, config } = place;
    this.#place = place;
    this.#wal = opened.wal;
    this.#cache = new BlockCache(config.block_cache_mb * MIB);
    this.#background = backgroundFor(disk);
    const host = { disk, directory, cache: this.#cache };
    const fail = (error: unknown): void => this.#fail(error);
    this.#editor = new Editor({ host, background: this.#background, fail }, opened.manifest);
    this.#state = new ReadState(this.#editor, opened.memtables, config.block_cache_mb * MIB);
    this.#snapshots = new Snapshots(this.#state, () => this.#checkReadable());
    const limits = { memtableBytes: config.memtable_bytes, levelZeroTables: config.level_zero_tables };
    this.#backpressure = new Backpressure(this.#state, limits, (stall) => this.#events.emit('stalled', stall));
    this.#maintenance = this.#startMaintenance();
    this.#queue = this.#startQueue();
    this.#maintenance.wake();
  }

  get failure(): StorageError | null {
    return this.#failure;
  }

  get(key: Bytes): Bytes | undefined {
    this.#checkReadable();
    checkKey(key);
    return this.#state.getLatest(key);
  }

  async getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    const snapshot = this.snapshot();
    try {
      const values: (Bytes | undefined)[] = [];
      let cold = this.#cache.misses;
      for (const key of keys) {
        values.push(snapshot.get(key));
        if (this.#cache.misses - cold < COLD_READS_PER_TURN) continue;
        await new Promise((resolve) => setImmediate(resolve));
        cold = this.#cache.misses;
      }
      return values;
    } finally {
      snapshot.release();
    }
  }

  range(options: RangeOptions = {}): IterableIterator<Entry> {
    this.#checkReadable();
    checkRange(options);
    return this.#state.range(options, { sequence: () => this.#state.sequence, check: () => this.#checkReadable() });
  }

  snapshot(): Snapshot {
    this.#checkReadable();
    return this.#snapshots.take();
  }

  commit(batch: readonly Change[], options: CommitOptions): Promise<void> {
    if (this.#closing !== null) return Promise.reject(closedError());
    return this.#queue.commit(batch, options);
  }

  async backup(directory: string): Promise<{ readonly files: number; readonly bytes: number }> {
    this.#checkReadable();
    this.#checkWell();
    await this.#flush();
    return backupStore({ place: this.#place, background: this.#background, editor: this.#editor }, directory);
  }

  async verify(progress?: (done: number, total: number) => void): Promise<readonly Fault[]> {
    this.#checkReadable();
    return verifyStore({ place: this.#place, background: this.#background, editor: this.#editor }, progress);
  }

  async compact(progress?: (done: number, total: number) => void): Promise<void> {
    this.#checkReadable();
    this.#checkWell();
    try {
      await this.#flush();
      await this.#maintenance.compactAll(progress);
      await this.#queue.exclusively(() => this.#scrubLog());
      await this.#editor.removed();
    } catch (error) {
      throw diskError(error, 'Cannot compact the store');
    }
    this.#checkWell();
  }

  stats(): EngineStats {
    return statsOf({
      state: this.#state,
      wal: this.#wal,
      cache: this.#cache,
      maintenance: this.#maintenance,
      snapshots: this.#snapshots,
    });
  }

  on<Name extends keyof EngineEvents>(name: Name, listener: EngineEvents[Name]): void {
    this.#events.on(name, listener);
  }

  /** Gives the block cache a new budget, at once. */
  resizeCache(bytes: number): void {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new StorageError('STORAGE_CONFIG', `The block cache cannot hold ${bytes} bytes.`);
    }
    this.#cache.resize(bytes);
    this.#state.rows.resize(bytes);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#backpressure.turnOff();
    await this.#queue.close(closedError());
    if (this.#failure === null) await this.#settleLog();
    await this.#maintenance.stop();
    await this.#releasing;
    this.#editor.stop();
    await this.#editor.settled();
    await this.#wal.close();
    this.#isClosed = true;
    this.#editor.levels.unpin();
  }

  /** Leaves little to replay, and a log whose last commits are proven durable by a record behind them. */
  async #settleLog(): Promise<void> {
    const isLarge = this.#state.memtable.bytes > FLUSH_AT_CLOSE_BYTES || this.#state.frozen.length > 0;
    try {
      if (isLarge) await this.#scrubLog();
      else if (!this.#state.memtable.isEmpty) this.#sealLog();
    } catch (error) {
      this.#fail(error);
    }
  }

  #sealLog(): void {
    const seal = new RecordGroup();
    seal.reserve(0);
    this.#wal.syncNow();
    this.#wal.write(seal);
    this.#wal.syncNow();
  }

  async #flush(): Promise<void> {
    this.#state.freeze();
    await this.#maintenance.flush();
    this.#checkWell();
  }

  /** Removes every payload from the log; the manifest must cover all its records first, also those without payload. */
  async #scrubLog(): Promise<void> {
    await this.#flush();
    await this.#editor.cover(this.#wal.lastSequence);
    try {
      await this.#wal.scrub();
      this.#state.sequence = this.#wal.lastSequence;
    } catch (error) {
      this.#fail(diskError(error, 'Cannot rewrite the write-ahead log'));
      throw error;
    }
  }

  #startMaintenance(): Maintenance {
    return new Maintenance({
      state: this.#state,
      directory: this.#place.directory,
      background: this.#background,
      editor: this.#editor,
      config: this.#place.config,
      snapshots: () => this.#snapshots.sequences(),
      syncLog: () => this.#wal.sync(),
      flushed: (sequence) => this.#releaseLog(sequence),
      relieved: () => {
        this.#freezeIfFull();
        this.#backpressure.relieve();
      },
      checkpointed: (checkpoint) => void this.#events.emit('checkpointed', checkpoint),
      compacted: (compaction) => void this.#events.emit('compacted', compaction),
      fail: (error) => this.#fail(error),
    });
  }

  #startQueue(): CommitQueue {
    return new CommitQueue({
      wal: this.#wal,
      apply: (sequence, bytes, { start, end }) => {
        this.#state.memtable.apply(sequence, bytes.subarray(start, end));
        this.#state.sequence = sequence;
        this.#freezeIfFull();
      },
      broken: (reason) => {
        this.#broken = reason;
      },
      backpressure: () => this.#backpressure.next(),
      fail: (reason) => this.#fail(reason),
      synced: (sync) => void this.#events.emit('synced', sync),
    });
  }

  /** Between two groups of commits: a segment must not go while one is being synced. */
  #releaseLog(sequence: number): void {
    const released = this.#queue.exclusively(() => this.#wal.release(sequence));
    this.#releasing = released.catch((error: unknown) => this.#fail(error));
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
    this.#queue.refuse(this.#failure);
    this.#events.emit('failed', this.#failure);
  }

  #checkReadable(): void {
    if (this.#isClosed || this.#closing !== null) throw closedError();
    if (this.#broken !== null) throw this.#broken;
  }

  #checkWell(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

function closedError(): StorageError {
  return new StorageError('STORAGE_CLOSED', 'The store is closed.');
}
