/** SQLite files that only their owner can read. */
import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Opens or creates a file, or a database in memory for null; `prepare` makes its tables and sets what they need. The
 * write-ahead log is synced at checkpoints only, so a power failure may take the newest commits. Throws errors of the
 * system and of SQLite.
 */
export function openPrivateDatabase(
  path: string | null,
  prepare: (database: Database.Database) => void,
  options: Database.Options = {},
): Database.Database {
  // SQLite gives its journal the mode of the file, so the file is created first.
  if (path !== null) closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path ?? ':memory:', options);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
