/** Turns what SQLite throws into the storage's own errors. */
import { StorageError } from '../errors.ts';

export const DATABASE_FILE = 'data.sqlite';

/** A `StorageError` for anything SQLite threw; what is not SQLite's passes unchanged. */
export function fromSqlite(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const detail = { file: DATABASE_FILE, cause: error };
  const said = (error as Error).message;
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_FORMAT') {
    return new StorageError('STORAGE_CORRUPT', `${DATABASE_FILE} is damaged: ${said}.`, detail);
  }
  if (code === 'SQLITE_FULL') {
    return new StorageError('STORAGE_FULL', `The disk is full: ${DATABASE_FILE} could not be written.`, detail);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StorageError('STORAGE_LOCKED', `Another program holds ${DATABASE_FILE} open for writing.`, detail);
  }
  return new StorageError('STORAGE_IO', `${DATABASE_FILE}: ${said} (${code}).`, detail);
}

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code.startsWith('SQLITE_') ? error.code : undefined;
}
