/**
 * A pool of read-only connections, each of which holds one committed state for a snapshot or a range.
 *
 * - A connection is either idle, or inside a read transaction and held by exactly one snapshot or range.
 */
import Sqlite, { type Database } from 'better-sqlite3';
import { checkKey, checkRange } from '../checks.ts';
import type { Snapshot } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { fromSqlite } from './errors.ts';
import { pagedRange, RowReader } from './row-reader.ts';

const IDLE_MAX = 8;

/** Read-only connections, one for each snapshot or range in use. */
export class ReaderPool {
  readonly #path: string;
  readonly #databases = new Map<RowReader, Database>();
  #idle: RowReader[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /** Number of connections in use. */
  get held(): number {
    return this.#databases.size - this.#idle.length;
  }

  /** Acquires a connection and begins a read transaction, which sees the newest committed state; `end` must follow. */
  readonly begin = (): RowReader => {
    const reads = this.#idle.pop() ?? this.#connect();
    const database = this.#databases.get(reads)!;
    try {
      database.exec('BEGIN');
      database.prepare('SELECT 1 FROM entries LIMIT 1').get();
      return reads;
    } catch (error) {
      this.#drop(reads);
      throw fromSqlite(error);
    }
  };

  /** Releases a connection. When its transaction cannot be ended, the connection is closed, which ends it as well. */
  readonly end = (reads: RowReader): void => {
    const database = this.#databases.get(reads);
    if (database === undefined) return;
    try {
      database.exec('COMMIT');
    } catch {
      this.#drop(reads);
      return;
    }
    if (this.#idle.length < IDLE_MAX) this.#idle.push(reads);
    else this.#drop(reads);
  };

  snapshot(): Snapshot {
    let reads: RowReader | undefined = this.begin();
    const held = (): RowReader => {
      if (reads === undefined || !this.#databases.has(reads)) {
        throw new StorageError('STORAGE_CLOSED', 'The snapshot was released.');
      }
      return reads;
    };
    return {
      get: (key) => {
        checkKey(key);
        return held().get(key);
      },
      range: (options = {}) => {
        checkRange(options);
        held();
        return pagedRange(options, { check: held, begin: held, end: () => {} });
      },
      release: () => {
        if (reads !== undefined) this.end(reads);
        reads = undefined;
      },
    };
  }

  close(): void {
    for (const reads of [...this.#databases.keys()]) this.#drop(reads);
    this.#idle = [];
  }

  #connect(): RowReader {
    let database: Database | undefined;
    try {
      database = new Sqlite(this.#path, { readonly: true });
      const reads = new RowReader(database);
      this.#databases.set(reads, database);
      return reads;
    } catch (error) {
      database?.close();
      throw fromSqlite(error);
    }
  }

  #drop(reads: RowReader): void {
    this.#databases.get(reads)?.close();
    this.#databases.delete(reads);
  }
}
