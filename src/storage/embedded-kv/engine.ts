/**
 * The `embedded_kv` engine: one `WITHOUT ROWID` table of a SQLite database in WAL mode. Bytes in
 * docs/formats/embedded-kv.md.
 *
 * - Commits made in the same turn of the event loop share one transaction and one sync, in the order of the calls.
 * - After a failed write or sync the engine refuses all writes: SQLite may have lost pages that it considers written.
 * - A snapshot is a read transaction on its own connection.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { EventEmitter } from 'eventemitter3';
import { checkBatch, checkKey, checkRange } from '../checks.ts';
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
import { readMany } from '../read-many.ts';
import { Attestation, attestationFaults } from './attestation.ts';
import type { EmbeddedKvConfig } from './config.ts';
import { copyDatabase, openDatabase } from './database.ts';
import { DATABASE_FILE, fromSqlite, WAL_FILE } from './errors.ts';
import { PageSums } from './page-sums.ts';
import { PAGE_ROWS_FIRST, pagedRange, ReaderPool, RowReader } from './reads.ts';
import { verifyDatabase } from './verify.ts';
import { Writer } from './writer.ts';

interface Parts {
  readonly database: Database;
  readonly pageSums: PageSums;
  readonly repaired: readonly Fault[];
}

interface PendingCommit {
  readonly batch: readonly Change[];
  readonly durable: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** `getMany` yields to the event loop after this many reads. */
const READS_PER_TURN = 64;

/** Opens the store in `directory`, or creates it there. Rejects with a `StorageError`. */
export async function openEmbeddedKv(options: {
  readonly directory: string;
  readonly config?: EmbeddedKvConfig;
}): Promise<KeyValueEngine> {
  const repaired = attestationFaults(options.directory);
  const database = openDatabase(options);
  try {
    const pageSums = new PageSums(options.directory);
    return new EmbeddedKvEngine(options.directory, { database, pageSums, repaired: [...repaired, ...pageSums.faults] });
  } catch (error) {
    database.close();
    throw fromSqlite(error);
  }
}

class EmbeddedKvEngine implements KeyValueEngine {
  readonly backend = 'embedded_kv';
  failure: StorageError | null = null;
  readonly repaired: readonly Fault[];
  readonly #directory: string;
  readonly #database: Database;
  readonly #reads: RowReader;
  readonly #readers: ReaderPool;
  readonly #attestation: Attestation;
  readonly #pageSums: PageSums;
  readonly #writer: Writer;
  readonly #events = new EventEmitter();
  #pending: PendingCommit[] = [];
  #closing: Promise<void> | null = null;

  constructor(directory: string, { database, pageSums, repaired }: Parts) {
    this.repaired = repaired;
    this.#directory = directory;
    this.#database = database;
    this.#reads = new RowReader(database);
    this.#readers = new ReaderPool(join(directory, DATABASE_FILE));
    this.#attestation = new Attestation(directory);
    this.#pageSums = pageSums;
    this.#writer = new Writer({ database, pageSums, directory });
  }

  get(key: Bytes): Bytes | undefined {
    this.#checkOpen();
    checkKey(key);
    return this.#reads.get(key);
  }

  getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    return readMany(this, keys, { readsPerTurn: READS_PER_TURN });
  }

  range(options: RangeOptions = {}): IterableIterator<Entry> {
    this.#checkOpen();
    checkRange(options);
    const isOneQuery = (options.limit ?? Number.POSITIVE_INFINITY) <= PAGE_ROWS_FIRST;
    const { begin, end } = isOneQuery ? { begin: () => this.#reads, end: () => {} } : this.#readers;
    return pagedRange(options, { check: () => this.#checkOpen(), begin, end });
  }

  snapshot(): Snapshot {
    this.#checkOpen();
    return this.#readers.snapshot(() => this.#checkOpen());
  }

  commit(batch: readonly Change[], { durable }: CommitOptions): Promise<void> {
    try {
      this.#checkWritable();
      checkBatch(batch);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#pending.push({ batch, durable, resolve, reject });
      if (this.#pending.length === 1) setImmediate(() => this.#commitPending());
    });
  }

  async backup(directory: string): Promise<{ files: number; bytes: number }> {
    this.#checkOpen();
    try {
      return await copyDatabase(this.#database, directory);
    } catch (error) {
      this.#checkOpen();
      throw error;
    }
  }

  async verify(progress?: (done: number, total: number) => void): Promise<readonly Fault[]> {
    this.#checkOpen();
    const faults = await verifyDatabase(this.#database, { reads: this.#reads, ...(progress && { progress }) });
    return [...faults, ...(await this.#pageSums.changedPages(faults))];
  }

  async compact(progress?: (done: number, total: number) => void): Promise<void> {
    this.#commitPending();
    this.#checkWritable();
    const started = performance.now();
    const bytesRead = this.#diskBytes();
    progress?.(0, 1);
    try {
      this.#pageSums.drop();
      this.#database.exec('VACUUM');
      // A truncating checkpoint cannot succeed while readers are open.
      if (this.#readers.held > 0) this.#database.pragma('wal_checkpoint(PASSIVE)');
      else this.#emptyLog();
    } catch (error) {
      throw this.#failUnlessFull(error);
    }
    progress?.(1, 1);
    const seconds = (performance.now() - started) / 1000;
    this.#events.emit('compacted', { seconds, bytesRead, bytesWritten: this.#diskBytes() });
    if (this.#readers.held === 0) this.#checkEmptied();
  }

  /** `secure_delete` overwrites deleted rows in their pages, so their bytes remain in the write-ahead log only. */
  async scrub(): Promise<void> {
    this.#commitPending();
    this.#checkWritable();
    if (this.#readers.held > 0) throw new StorageError('STORAGE_BUSY', 'An earlier state of the store is being read.');
    try {
      this.#pageSums.drop();
      this.#emptyLog();
    } catch (error) {
      throw this.#failUnlessFull(error);
    }
    this.#checkEmptied();
  }

  stats(): EngineStats {
    this.#checkOpen();
    const pages = this.#pragma('page_count') - this.#pragma('freelist_count');
    return {
      backend: this.backend,
      keys: null,
      diskBytes: this.#diskBytes(),
      liveBytes: pages * this.#pragma('page_size'),
      cacheBytes: -this.#pragma('cache_size') * 1024,
      cacheHits: 0,
      cacheMisses: 0,
      walBytes: sizeOf(join(this.#directory, WAL_FILE)),
      snapshots: this.#readers.held,
      pendingCompactionBytes: 0,
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
    this.#commitPending();
    this.#readers.close();
    try {
      this.#writer.setSynchronous(true);
      if (this.failure === null) this.#emptyLog();
    } catch (error) {
      const reason = this.#fail(error);
      // SQLite syncs its log before it checkpoints, so after a full disk the next open finds everything in the log.
      if (!(reason instanceof StorageError) || reason.code !== 'STORAGE_FULL') throw reason;
    } finally {
      this.#database.close();
      this.#attestation.close();
      await this.#pageSums.close({ isOrderly: this.failure === null });
    }
    // A full disk, or another program that reads an earlier state, leaves the log.
    if (sizeOf(join(this.#directory, WAL_FILE)) === 0) this.#attestation.remove();
  }

  /** Commits all pending batches in one transaction. Synchronous: no read can happen between its begin and its end. */
  #commitPending(): void {
    const group = this.#pending;
    if (group.length === 0) return;
    this.#pending = [];
    const started = performance.now();
    try {
      if (this.failure !== null) throw readOnly(this.failure);
      const batches = group.map(({ batch }) => batch);
      const bytes = this.#writer.write(batches, { durable: group.some(({ durable }) => durable) });
      if (this.#writer.isSynchronousFull && this.#pending.length === 0) this.#attestation.attest();
      const seconds = (performance.now() - started) / 1000;
      this.#events.emit('synced', { seconds, commits: group.length, bytes });
      for (const { resolve } of group) resolve();
    } catch (error) {
      const reason = this.#fail(error);
      for (const { reject } of group) reject(reason);
    }
  }

  /** Copies the log into the database and empties it, unless another program reads it. */
  #emptyLog(): void {
    this.#attestation.without(() => this.#database.pragma('wal_checkpoint(TRUNCATE)'));
  }

  /** Throws `STORAGE_BUSY` while the log, and so deleted bytes in it, could not be removed. */
  #checkEmptied(): void {
    if (sizeOf(join(this.#directory, WAL_FILE)) === 0) return;
    throw new StorageError('STORAGE_BUSY', 'Another program reads an earlier state of the store.');
  }

  /** Converts an error for the caller; the first write error also makes the engine read-only. */
  #fail(error: unknown): unknown {
    const reason = fromSqlite(error);
    if (reason instanceof StorageError && reason.code !== 'STORAGE_LOCKED') this.failure ??= reason;
    return reason;
  }

  /** VACUUM needs space for a second copy. When the disk is full it changes nothing, and writes can continue. */
  #failUnlessFull(error: unknown): unknown {
    const reason = fromSqlite(error);
    return reason instanceof StorageError && reason.code === 'STORAGE_FULL' ? reason : this.#fail(reason);
  }

  #pragma(name: string): number {
    return Number(this.#database.pragma(name, { simple: true }));
  }

  #diskBytes(): number {
    const path = join(this.#directory, DATABASE_FILE);
    return sizeOf(path) + sizeOf(`${path}-wal`) + sizeOf(`${path}-shm`);
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw storeClosed();
  }

  #checkWritable(): void {
    this.#checkOpen();
    if (this.failure !== null) throw readOnly(this.failure);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
