/** Conversion of file system errors to storage errors. */
import { StorageError } from './errors.ts';

/**
 * `STORAGE_FULL` for a full disk or quota, `STORAGE_IO` for any other error; a `StorageError` is returned unchanged.
 * `what` names the failed operation, as in "Cannot write the write-ahead log".
 */
export function diskError(error: unknown, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StorageError('STORAGE_FULL', `${what}: the disk is full (${reason})`, { cause: error });
  }
  return new StorageError('STORAGE_IO', `${what}: ${reason}`, { cause: error });
}
