/** Conversion of file system errors to storage errors. */
import { constants } from 'node:os';
import type { Fault } from './engine.ts';
import { StorageError } from './errors.ts';
import { hasCode } from './files.ts';

/**
 * `STORAGE_FULL` for a full disk or quota, `STORAGE_IO` for any other error; a `StorageError` is returned unchanged.
 * `what` names the failed operation, as in "Cannot write the write-ahead log".
 */
export function diskError(error: unknown, what: string): StorageError {
  if (error instanceof StorageError) return error;
  const reason = isQuotaFull(error) ? 'the quota is used up' : error instanceof Error ? error.message : String(error);
  if (isDiskFull(error)) {
    return new StorageError('STORAGE_FULL', `${what}: the disk is full (${reason})`, { cause: error });
  }
  return new StorageError('STORAGE_IO', `${what}: ${reason}`, { cause: error });
}

/** The fault for an error that a read of `file` threw; it is at `offset` unless the error names another place. */
export function faultOf(error: unknown, file: string, offset: number | null = null): Fault {
  const reason = diskError(error, `Cannot read ${file}`);
  return { file: reason.file ?? file, offset: reason.offset ?? offset, what: reason.message };
}

/** Whether the file system reported a full disk or quota. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC') || isQuotaFull(error);
}

/** Node has no code for the error of a quota. */
function isQuotaFull(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === -constants.errno.EDQUOT;
}
