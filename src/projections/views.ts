/**
 * The views store: one SQLite file of read models. Disposable: deleting it rebuilds every view from the log.
 * Not synced at every commit on purpose (WAL, NORMAL): after a power cut it may be behind the log, never ahead of it.
 */
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isDamage, ViewRefused } from './views-failures.ts';
import { type Insert, PendingInserts, SharedReads, Statements, type Value } from './views-statements.ts';
import { CHECKPOINT_PAGES, type CheckpointsElsewhere, WriteAheadLog } from './views-wal.ts';

export type { CheckpointsElsewhere, Insert, Value };
export type Row = Record<string, Value>;

/** From one begin to the commit or rollback that ends it, and what is read between two of them. */
export interface Transaction {
  /** What was read in it is no more, and was in no file. */
  readonly isTakenBack: boolean;
}

/** What folds and queries use. Statements are prepared once per SQL text. */
export interface Views {
  /** The innermost one: who keeps what is read now asks it later whether that still holds. */
  readonly transaction: Transaction;
  run(sql: string, ...values: Value[]): void;
  /** Rows that follow each other are written by one statement, before anything else is run or read. */
  insert(insert: Insert, ...values: Value[]): void;
  get<Result = Row>(sql: string, ...values: Value[]): Result | undefined;
  all<Result = Row>(sql: string, ...values: Value[]): Result[];
}

export interface ViewsStore extends Views {
  /** What SQLite said when it first met damage in the file, null while it met none. */
  readonly damage: string | null;
  exec(sql: string): void;
  /** From now on reading one of these tables throws `ViewRefused` with its sentence; replaces the tables before. */
  refuse(sentences: ReadonlyMap<string, string>): void;
  /** Begins a transaction unless one is open; reads see what it has written. */
  begin(): void;
  /** Writes the rows that wait for others; throws what writing them throws. */
  flush(): void;
  commit(): void;
  /** Takes back what was written since `begin`; without an open transaction nothing. */
  rollback(): void;
  /** Takes back what the work has written, and only that. */
  tentatively<Result>(work: () => Result): Result;
  /** Copies the write-ahead log into the file and empties it: what was overwritten is on no disk afterwards. */
  checkpoint(): void;
  /**
   * Leaves the file as it is and begins again, empty, in memory; false when the views are in memory already. No
   * transaction may be open.
   */
  moveToMemory(): boolean;
  close(): void;
}

const CACHE_KILOBYTES = 8_000;
const FILLING_CHECKPOINT_PAGES = 32_768;
const FILLING_CACHE_KILOBYTES = 64_000;
/** Another program may hold the file for a moment; nobody is served while it is waited for. */
const BUSY_MS_MAX = 250;

/** Beside a file in which damage was met: it is not opened again. */
const DAMAGED = '-damaged';

/** Removes the file of the views and all that belongs to it. */
export function removeViews(path: string): void {
  for (const suffix of ['', '-wal', '-shm', DAMAGED]) rmSync(path + suffix, { force: true });
}

/** `path` null keeps the views in memory. Throws when the file cannot be opened, or damage was met in it before. */
export function openViews(path: string | null, elsewhere?: CheckpointsElsewhere): ViewsStore {
  const damage = new DamageRecord(path);
  return new SqliteViews(path, damage, { elsewhere });
}

/** As `openViews`, for one long fold: more memory, and fewer copies from the write-ahead log, which grows to 128 MiB. */
export function openViewsToFill(path: string): ViewsStore {
  const views = openViews(path);
  views.exec(
    `PRAGMA cache_size = -${FILLING_CACHE_KILOBYTES}; PRAGMA wal_autocheckpoint = ${FILLING_CHECKPOINT_PAGES}`,
  );
  return views;
}

/**
 * Views that nobody opens again. SQLite keeps up to 8 MB of them in memory and the rest in an unlinked file of the
 * system's folder for temporary files. `rollback` does not take anything back.
 */
export function openTemporaryViews(): ViewsStore {
  return new SqliteViews(null, new DamageRecord(null), { open: openTemporaryDatabase });
}

interface SqliteOptions {
  readonly open?: (path: string | null) => Database.Database;
  readonly elsewhere?: CheckpointsElsewhere | undefined;
}

class SqliteViews implements ViewsStore {
  readonly #damage: DamageRecord;
  /** Null while the views are in memory. */
  #path: string | null;
  #database: Database.Database;
  #statements: Statements;
  #inserts: PendingInserts;
  #reads: SharedReads;
  #writeAheadLog: WriteAheadLog;
  #transaction = { isTakenBack: false };
  readonly #refused = new RefusedTables();

  constructor(path: string | null, damage: DamageRecord, { open = openDatabase, elsewhere }: SqliteOptions) {
    this.#damage = damage;
    this.#path = path;
    this.#database = open(path);
    this.#statements = new Statements(this.#database);
    this.#inserts = new PendingInserts(this.#database);
    this.#reads = new SharedReads(this.#database);
    this.#writeAheadLog = new WriteAheadLog(
      this.#database,
      this.#statements,
      path === null ? null : (elsewhere ?? null),
    );
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

  run(sql: string, ...values: Value[]): void {
    this.flush();
    this.#watched(() => this.#statements.prepared(sql).run(...values));
  }

  insert(insert: Insert, ...row: Value[]): void {
    this.#reads.end();
    this.#watched(() => this.#inserts.add(insert, row));
  }

  refuse(sentences: ReadonlyMap<string, string>): void {
    this.#refused.set(sentences);
  }

  exec(sql: string): void {
    this.flush();
    this.#database.exec(sql);
  }

  begin(): void {
    this.#reads.end();
    if (this.#database.inTransaction) return;
    this.#statements.prepared('BEGIN IMMEDIATE').run();
    this.#transaction = { isTakenBack: false };
  }

  flush(): void {
    this.#reads.end();
    this.#watched(() => this.#inserts.flush());
  }

  commit(): void {
    this.flush();
    if (!this.#database.inTransaction) return;
    const began = performance.now();
    this.#statements.prepared('COMMIT').run();
    this.#transaction = { isTakenBack: false };
    this.#watched(() => this.#writeAheadLog.committed(performance.now() - began));
  }

  rollback(): void {
    this.#reads.end();
    this.#inserts.discard();
    if (this.#database.inTransaction) this.#statements.prepared('ROLLBACK').run();
    this.#transaction.isTakenBack = true;
    this.#transaction = { isTakenBack: false };
  }

  tentatively<Result>(work: () => Result): Result {
    this.flush();
    this.#database.exec('SAVEPOINT tentative');
    const outer = this.#transaction;
    const inner = { isTakenBack: false };
    this.#transaction = inner;
    try {
      return work();
    } finally {
      inner.isTakenBack = true;
      this.#transaction = outer;
      this.#inserts.discard();
      // A full disk has ended the whole transaction already.
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK TO tentative; RELEASE tentative');
    }
  }

  checkpoint(): void {
    this.flush();
    this.#watched(() => this.#writeAheadLog.empty());
  }

  moveToMemory(): boolean {
    if (this.#path === null) return false;
    this.close();
    this.#path = null;
    this.#database = openDatabase(null);
    this.#statements = new Statements(this.#database);
    this.#inserts = new PendingInserts(this.#database);
    this.#reads = new SharedReads(this.#database);
    this.#writeAheadLog = new WriteAheadLog(this.#database, this.#statements, null);
    return true;
  }

  close(): void {
    this.#reads.end();
    this.#database.close();
  }

  /** A statement that answers rows. With `RETURNING` it writes, too. */
  #answering(sql: string): Database.Statement {
    this.#refused.check(sql);
    this.#inserts.flush();
    const statement = this.#statements.prepared(sql);
    if (statement.readonly) this.#reads.begin();
    else this.#reads.end();
    return statement;
  }

  /** Every error of a statement is looked at: it may tell of damage. */
  #watched<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      this.#damage.note(error);
      throw error;
    }
  }
}

/** Tables that are not to be read, found by their names in statements. */
class RefusedTables {
  #sentences: ReadonlyMap<string, string> = new Map();
  /** By statement: the sentence, null for one that may be read. */
  #known = new Map<string, string | null>();

  set(sentences: ReadonlyMap<string, string>): void {
    this.#sentences = sentences;
    this.#known = new Map();
  }

  check(sql: string): void {
    if (this.#sentences.size === 0) return;
    let sentence = this.#known.get(sql);
    if (sentence === undefined) {
      const words = sql.match(/\w+/g) ?? [];
      sentence = words.map((word) => this.#sentences.get(word)).find((found) => found !== undefined) ?? null;
      this.#known.set(sql, sentence);
    }
    if (sentence !== null) throw new ViewRefused(sentence);
  }
}

function openDatabase(path: string | null): Database.Database {
  // SQLite gives its journal the rights of the file, so the file is made first, for its owner alone.
  if (path !== null) closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path ?? ':memory:', { timeout: BUSY_MS_MAX });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma('temp_store = MEMORY');
    database.pragma(`cache_size = -${CACHE_KILOBYTES}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openTemporaryDatabase(): Database.Database {
  const database = new Database('');
  database.pragma('journal_mode = OFF');
  database.pragma(`cache_size = -${CACHE_KILOBYTES}`);
  return database;
}

/** The first damage that was met in the file. A mark beside the file keeps the next process from opening it. */
class DamageRecord {
  readonly #mark: string | null;
  message: string | null = null;

  /** Throws when damage was met before. */
  constructor(path: string | null) {
    this.#mark = path === null ? null : path + DAMAGED;
    if (this.#mark !== null && existsSync(this.#mark)) throw new Error('damage was met in it');
  }

  note(error: unknown): void {
    if (!isDamage(error) || this.message !== null) return;
    this.message = (error as Error).message;
    try {
      if (this.#mark !== null) writeFileSync(this.#mark, '', { mode: 0o600 });
    } catch {
      // The next start meets the damage again.
    }
  }
}
