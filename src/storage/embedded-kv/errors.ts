/** Conversion of SQLite errors to storage errors. */
import { StorageError } from '../errors.ts';

export const DATABASE_FILE = 'data.sqlite';
export const WAL_FILE = `${DATABASE_FILE}-wal`;

/** The `StorageError` for an error of SQLite; any other error is returned unchanged. */
export function fromSqlite(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const detail = { file: DATABASE_FILE, cause: error };
  const { message } = error as Error;
  if (code === 'SQLITE_NOTADB') {
    return new StorageError('STORAGE_CORRUPT', `${DATABASE_FILE} is damaged: ${message}.`, { ...detail, offset: 0 });
  }
  if (DAMAGE.some((known) => code === known || code.startsWith(`${known}_`))) {
    return new StorageError('STORAGE_CORRUPT', `${DATABASE_FILE} is damaged: ${message}.`, detail);
  }
  if (code === 'SQLITE_FULL') {
    return new StorageError('STORAGE_FULL', `The disk is full: ${DATABASE_FILE} could not be written.`, detail);
  }
  if (code.startsWith('SQLITE_READONLY')) {
    const what = `${DATABASE_FILE} cannot be written (${code}): it and its folder must be writable by this user.`;
    return new StorageError('STORAGE_IO', what, detail);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StorageError('STORAGE_LOCKED', `Another program holds ${DATABASE_FILE} open for writing.`, detail);
  }
  return new StorageError('STORAGE_IO', `${DATABASE_FILE}: ${message} (${code}).`, detail);
}

/** The engine's statements are constant, so an SQL error means that the schema on disk is damaged. */
const DAMAGE = ['SQLITE_CORRUPT', 'SQLITE_FORMAT', 'SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'];

function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code.startsWith('SQLITE_') ? error.code : undefined;
}
