/** Conversion of file system errors to storage errors. */
import { StorageError } from './errors.ts';
import { hasCode } from './files.ts';

/**
 * `STORAGE_FULL` for a full disk or quota, `STORAGE_IO` for any other error; a `StorageError` is returned unchanged.
 * `what` names the failed operation, as in "Cannot write the write-ahead log".
 */
export function diskError(error: unknown, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (isDiskFull(error)) {
    return new StorageError('STORAGE_FULL', `${what}: the disk is full (${reason})`, { cause: error });
  }
  return new StorageError('STORAGE_IO', `${what}: ${reason}`, { cause: error });
}

/** Whether the file system reported a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');
}
