/**
 * The views store: one SQLite file of read models. Disposable: deleting it rebuilds every view from the log.
 * Not synced at every commit on purpose (WAL, NORMAL): after a power cut it may be behind the log, never ahead of it.
 */
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

/** What folds and queries use. Statements are prepared once per SQL text. */
export interface Views {
  run(sql: string, ...values: Value[]): void;
  get<Result = Row>(sql: string, ...values: Value[]): Result | undefined;
  all<Result = Row>(sql: string, ...values: Value[]): Result[];
}

export interface ViewsStore extends Views {
  exec(sql: string): void;
  /** Begins a transaction unless one is open; reads see what it has written. */
  begin(): void;
  commit(): void;
  /** Takes back what was written since `begin`; without an open transaction nothing. */
  rollback(): void;
  close(): void;
}

/**
 * The same pages change again and again: the longer the write-ahead log may grow, the fewer are copied back. 16 MiB.
 */
const CHECKPOINT_PAGES = 4_096;

/** `path` null keeps the views in memory. */
export function openViews(path: string | null): ViewsStore {
  // SQLite gives its journal the rights of the file, so the file is made first, for its owner alone.
  if (path !== null) closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path ?? ':memory:');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.pragma('temp_store = MEMORY');
  database.pragma('cache_size = -8000');
  const statements = new Map<string, Database.Statement>();
  const prepared = (sql: string): Database.Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    run: (sql, ...values) => void prepared(sql).run(...values),
    get: <Result>(sql: string, ...values: Value[]) => prepared(sql).get(...values) as Result | undefined,
    all: <Result>(sql: string, ...values: Value[]) => prepared(sql).all(...values) as Result[],
    exec: (sql) => void database.exec(sql),
    begin: () => {
      if (!database.inTransaction) prepared('BEGIN IMMEDIATE').run();
    },
    commit: () => {
      if (database.inTransaction) prepared('COMMIT').run();
    },
    rollback: () => {
      if (database.inTransaction) prepared('ROLLBACK').run();
    },
    close: () => {
      statements.clear();
      database.close();
    },
  };
}
