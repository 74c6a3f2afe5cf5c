/**
 * Reads on SQLite connections: single rows, ranges in batches of rows, and snapshots.
 *
 * - A range is read by several queries, because an open SQLite cursor would block the connection. Batches grow while
 *   rows are small and shrink when they are large, so that a lazy reader loads little more than it consumes.
 */
import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import type { Bytes, Entry, RangeOptions, Snapshot } from '../engine.ts';
import { type SnapshotSource, snapshotOf } from '../snapshot.ts';
import { fromSqlite } from './errors.ts';
import { openRow } from './rows.ts';

type Row = [key: Buffer, sealed: Buffer];

/** Rows of the first query of a range. */
export const PAGE_ROWS_FIRST = 8;
const PAGE_ROWS_MAX = 1024;
const PAGE_BYTES_TARGET = 262_144;
/** Connections that are kept for later snapshots and ranges. */
const IDLE_MAX = 8;

/** Reads rows and ranges on one connection. */
export class RowReader {
  readonly #database: Database;
  readonly #get: Statement<[Bytes], Row>;
  readonly #statements = new Map<string, Statement<unknown[], Row>>();

  constructor(database: Database) {
    this.#database = database;
    this.#get = database.prepare<[Bytes], Row>('SELECT key, value FROM entries WHERE key = ?').raw();
  }

  get(key: Bytes): Bytes | undefined {
    try {
      const row = this.#get.get(key);
      return row === undefined ? undefined : openRow({ key, sealed: row[1], path: this.#database.name });
    } catch (error) {
      throw fromSqlite(error);
    }
  }

  /** The first `rows` entries within the bounds, with verified checksums. */
  page(options: RangeOptions, rows: number): Entry[] {
    const bounds: Bytes[] = [];
    const conditions: string[] = [];
    for (const [name, operator] of OPERATORS) {
      const bound = options[name];
      if (bound === undefined) continue;
      conditions.push(`key ${operator} ?`);
      bounds.push(bound);
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const order = options.reverse === true ? 'DESC' : 'ASC';
    const sql = `SELECT key, value FROM entries ${where} ORDER BY key ${order} LIMIT ?`;
    try {
      const page = this.#statement(sql).all(...bounds, rows);
      return page.map(([key, sealed]) => ({ key, value: openRow({ key, sealed, path: this.#database.name }) }));
    } catch (error) {
      throw fromSqlite(error);
    }
  }

  #statement(sql: string): Statement<unknown[], Row> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], Row>(sql).raw();
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const OPERATORS = [
  ['gte', '>='],
  ['gt', '>'],
  ['lte', '<='],
  ['lt', '<'],
] as const;

/** The state that a range reads. */
export interface RangeState {
  /** Called before each step; throws when the state must not be read any more. */
  check(): void;
  /** Acquires the connection that holds the state. */
  begin(): RowReader;
  /** Releases that connection. */
  end(reads: RowReader): void;
}

/** All entries within the bounds. */
export function* pagedRange(options: RangeOptions, state: RangeState): IterableIterator<Entry> {
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left === 0) return;
  state.check();
  const reads = state.begin();
  try {
    let bounds = options;
    let rows = PAGE_ROWS_FIRST;
    for (;;) {
      const requested = Math.min(rows, left);
      const entries = reads.page(bounds, requested);
      for (const entry of entries) {
        yield entry;
        left -= 1;
        if (left === 0) return;
        state.check();
      }
      if (entries.length < requested) return;
      bounds = beyond(options, entries.at(-1)!.key);
      rows = nextRows(entries, rows);
    }
  } finally {
    state.end(reads);
  }
}

/** The bounds of the entries after `key`, in the direction of the range. */
function beyond({ gte, gt, lte, lt, reverse }: RangeOptions, key: Bytes): RangeOptions {
  if (reverse === true) return { lt: key, reverse, ...(gte && { gte }), ...(gt && { gt }) };
  return { gt: key, ...(lte && { lte }), ...(lt && { lt }) };
}

function nextRows(entries: readonly Entry[], rows: number): number {
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  const wanted = Math.floor((PAGE_BYTES_TARGET * entries.length) / Math.max(1, bytes));
  return Math.max(1, Math.min(PAGE_ROWS_MAX, rows * 4, wanted));
}

/**
 * A pool of read-only connections, each of which holds one committed state for a snapshot or a range. A connection is
 * either idle, or inside a read transaction and held by exactly one snapshot or range.
 */
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

  /** A snapshot of the newest committed state. `checkReadable` throws when the store must not be read any more. */
  snapshot(checkReadable: () => void): Snapshot {
    const reads = this.begin();
    const source: SnapshotSource = {
      get: (key) => reads.get(key),
      range: (options, check) => pagedRange(options, { check, begin: () => reads, end: () => {} }),
      release: () => this.end(reads),
    };
    return snapshotOf(source, checkReadable);
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
