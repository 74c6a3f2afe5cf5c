/** Turns what the file system raised into the storage's own error: a full disk, or trouble with the medium. */
import { StorageError } from './errors.ts';

/** `what` says what was being done, as in "cannot write the write-ahead log". */
export function diskError(error: unknown, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StorageError('STORAGE_FULL', `${what}: the disk is full (${reason})`, { cause: error });
  }
  return new StorageError('STORAGE_IO', `${what}: ${reason}`, { cause: error });
}
