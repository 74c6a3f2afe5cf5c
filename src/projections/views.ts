/**
 * The views store: one SQLite file of read models. Disposable: deleting it rebuilds every view from the log.
 * Not synced at every commit on purpose (WAL, NORMAL): after a power cut it may be behind the log, never ahead of it.
 */
import { accessSync, constants, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { foldedCase } from '../lib/characters.ts';
import { openPrivateDatabase } from '../lib/private-database.ts';
import { DAMAGE_MARK, DamageRecord, isReadOnly, RefusedTables } from './views-failures.ts';
import { SharedReads, Statements, type Value } from './views-statements.ts';
import { CHECKPOINT_PAGES, type CheckpointsElsewhere, WriteAheadLog } from './views-wal.ts';

export type { CheckpointsElsewhere, Value };
export type Row = Record<string, Value>;

/** The time from one begin to its commit or rollback, or between two transactions. */
export interface Transaction {
  /** Whether it was rolled back: what was read in it no longer holds. */
  readonly isRolledBack: boolean;
}

/** The interface of the views for folds and queries. Each SQL text is prepared once. */
export interface Views {
  /** The innermost transaction. A cache checks it later to see whether the rows it read still hold. */
  readonly transaction: Transaction;
  run(sql: string, ...values: Value[]): void;
  get<Result = Row>(sql: string, ...values: Value[]): Result | undefined;
  all<Result = Row>(sql: string, ...values: Value[]): Result[];
}

export interface ViewsStore extends Views {
  /** Whether a statement changes nothing. Throws for SQL that cannot be prepared. */
  isReading(sql: string): boolean;
  readonly isInMemory: boolean;
  /** The message of SQLite when it first found damage in the file, null before. */
  readonly damage: string | null;
  exec(sql: string): void;
  /** Reading one of these tables throws `ViewRefused` with its sentence. Replaces the previous tables. */
  refuse(sentences: ReadonlyMap<string, string>): void;
  /** Begins a transaction unless one is open. Reads see its writes. */
  begin(): void;
  commit(): void;
  /** Rolls back the open transaction, if there is one. */
  rollback(): void;
  /** Runs work, then rolls back its writes, and only these. */
  tentatively<Result>(work: () => Result): Result;
  /**
   * Copies the write-ahead log into the file and empties it, so that overwritten rows leave the disk; while another
   * program reads them, it tries again every ten seconds. Removes the file that `moveToMemory` has left.
   */
  checkpoint(): void;
  /**
   * Leaves the file unchanged and continues with empty views in memory. Returns false when they already are in memory.
   * No transaction may be open.
   */
  moveToMemory(): boolean;
  close(): void;
}

const CACHE_KILOBYTES = 8_000;
const FILLING_CHECKPOINT_PAGES = 32_768;
const FILLING_CACHE_KILOBYTES = 64_000;
const CHECKPOINT_AGAIN_MS = 10_000;
/** Another program may hold the file for a moment. The event loop is blocked during this wait. */
const BUSY_MS_MAX = 250;

/** Removes the file of the views and all that belongs to it. */
export function removeViews(path: string): void {
  for (const suffix of ['', '-wal', '-shm', DAMAGE_MARK]) rmSync(path + suffix, { force: true });
}

/** `path` null keeps the views in memory. Throws when the file cannot be opened or is marked as damaged. */
export function openViews(path: string | null, elsewhere?: CheckpointsElsewhere): ViewsStore {
  const damage = new DamageRecord(path);
  return new SqliteViews(path, damage, { elsewhere });
}

/**
 * As `openViews`, for one long fold: more memory, and fewer copies from the write-ahead log, which grows to 128 MiB.
 */
export function openViewsToFill(path: string): ViewsStore {
  const views = openViews(path);
  views.exec(
    `PRAGMA cache_size = -${FILLING_CACHE_KILOBYTES}; PRAGMA wal_autocheckpoint = ${FILLING_CHECKPOINT_PAGES}`,
  );
  return views;
}

/**
 * Views that are discarded after use. SQLite keeps up to 8 MB of them in memory and the rest in an unlinked file of the
 * system's folder for temporary files. `rollback` has no effect.
 */
export function openTemporaryViews(): ViewsStore {
  return new SqliteViews(null, new DamageRecord(null), { open: openTemporaryDatabase });
}

interface SqliteOptions {
  readonly open?: (path: string | null) => Database.Database;
  readonly elsewhere?: CheckpointsElsewhere | undefined;
}

/** Whether a file can be opened for writing; memory always can. */
function mayWrite(path: string | null): boolean {
  try {
    if (path !== null) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

class SqliteViews implements ViewsStore {
  readonly #damage: DamageRecord;
  readonly #elsewhere: CheckpointsElsewhere | null;
  /** Null while the views are in memory. */
  #path: string | null;
  /** The file of views that have moved to memory. */
  #leftPath: string | null = null;
  #nextCheckpoint: NodeJS.Timeout | undefined;
  #database: Database.Database;
  #statements: Statements;
  #reads: SharedReads;
  #writeAheadLog: WriteAheadLog;
  #transaction = { isRolledBack: false };
  /** Whether the connection was closed to open another one, and that failed: the next statement tries again. */
  #isLost = false;
  readonly #refused = new RefusedTables();

  constructor(path: string | null, damage: DamageRecord, { open = openDatabase, elsewhere }: SqliteOptions) {
    this.#damage = damage;
    this.#elsewhere = elsewhere ?? null;
    this.#path = path;
    this.#database = open(path);
    this.#statements = new Statements(this.#database);
    this.#reads = new SharedReads(this.#database);
    this.#writeAheadLog = new WriteAheadLog(this.#database, this.#statements, path === null ? null : this.#elsewhere);
  }

  get isInMemory(): boolean {
    return this.#path === null;
  }

  get damage(): string | null {
    return this.#damage.message;
  }

  get transaction(): Transaction {
    return this.#transaction;
  }

  get<Result = Row>(sql: string, ...values: Value[]): Result | undefined {
    return this.#watched(() => this.#answering(sql).get(...values) as Result | undefined);
  }

  all<Result = Row>(sql: string, ...values: Value[]): Result[] {
    return this.#watched(() => this.#answering(sql).all(...values) as Result[]);
  }

  isReading(sql: string): boolean {
    return this.#watched(() => this.#prepared(sql).readonly);
  }

  run(sql: string, ...values: Value[]): void {
    this.#reads.end();
    this.#watched(() => this.#prepared(sql).run(...values));
  }

  refuse(sentences: ReadonlyMap<string, string>): void {
    this.#refused.set(sentences);
  }

  exec(sql: string): void {
    this.#reads.end();
    this.#database.exec(sql);
  }

  begin(): void {
    this.#reads.end();
    if (this.#database.inTransaction) return;
    try {
      this.#prepared('BEGIN IMMEDIATE').run();
    } catch (error) {
      if (!isReadOnly(error) || !mayWrite(this.#path)) throw error;
      // A connection that could not open a file for writing stays one for reading.
      this.#reopen(this.#path);
      this.#prepared('BEGIN IMMEDIATE').run();
    }
    this.#transaction = { isRolledBack: false };
  }

  commit(): void {
    this.#reads.end();
    if (!this.#database.inTransaction) return;
    const began = performance.now();
    this.#statements.prepared('COMMIT').run();
    this.#transaction = { isRolledBack: false };
    this.#watched(() => this.#writeAheadLog.committed(performance.now() - began));
  }

  rollback(): void {
    this.#reads.end();
    if (this.#database.inTransaction) this.#statements.prepared('ROLLBACK').run();
    this.#transaction.isRolledBack = true;
    this.#transaction = { isRolledBack: false };
  }

  tentatively<Result>(work: () => Result): Result {
    this.#reads.end();
    this.#database.exec('SAVEPOINT tentative');
    const outer = this.#transaction;
    const inner = { isRolledBack: false };
    this.#transaction = inner;
    try {
      return work();
    } finally {
      inner.isRolledBack = true;
      this.#transaction = outer;
      // After a full disk, SQLite has already ended the whole transaction.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK TO tentative; RELEASE tentative');
    }
  }

  checkpoint(): void {
    if (this.#leftPath !== null) removeViews(this.#leftPath);
    clearTimeout(this.#nextCheckpoint);
    this.#reads.end();
    if (this.#watched(() => this.#writeAheadLog.empty())) return;
    this.#nextCheckpoint = setTimeout(() => this.#checkpointAgain(), CHECKPOINT_AGAIN_MS).unref();
  }

  moveToMemory(): boolean {
    if (this.#path === null) return false;
    this.#leftPath = this.#path;
    this.#reopen(null);
    return true;
  }

  close(): void {
    clearTimeout(this.#nextCheckpoint);
    this.#reads.end();
    this.#database.close();
  }

  #checkpointAgain(): void {
    try {
      this.checkpoint();
    } catch {
      // The next write meets the same failure and reports it.
    }
  }

  /** Closes first: a connection of the same process would share an index that is open for reading only. */
  #reopen(path: string | null): void {
    this.close();
    this.#path = path;
    this.#isLost = true;
    this.#database = openDatabase(path);
    this.#isLost = false;
    this.#statements = new Statements(this.#database);
    this.#reads = new SharedReads(this.#database);
    this.#writeAheadLog = new WriteAheadLog(this.#database, this.#statements, path === null ? null : this.#elsewhere);
  }

  #prepared(sql: string): Database.Statement {
    if (this.#isLost) this.#reopen(this.#path);
    return this.#statements.prepared(sql);
  }

  /** A statement that returns rows. With `RETURNING` it also writes. */
  #answering(sql: string): Database.Statement {
    this.#refused.check(sql);
    const statement = this.#prepared(sql);
    if (statement.readonly) this.#reads.begin();
    else this.#reads.end();
    return statement;
  }

  /** Checks every error of a statement for damage. */
  #watched<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#damage.note(error);
      throw error;
    }
  }
}

function openDatabase(path: string | null): Database.Database {
  const prepare = (database: Database.Database): void => {
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma('temp_store = MEMORY');
    // Deleted texts must not stay in free pages.
    database.pragma('secure_delete = ON');
    database.pragma(`cache_size = -${CACHE_KILOBYTES}`);
    defineFunctions(database);
  };
  return openPrivateDatabase(path, prepare, { timeout: BUSY_MS_MAX });
}

function openTemporaryDatabase(): Database.Database {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.pragma(`cache_size = -${CACHE_KILOBYTES}`);
  defineFunctions(database);
  return database;
}

/** `folded_case(text)` for queries: SQLite's `lower` changes ASCII letters only. */
function defineFunctions(database: Database.Database): void {
  database.function('folded_case', { deterministic: true }, foldedCase);
}
