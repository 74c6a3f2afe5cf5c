/** Errors for damage of the log's stored records. */
import { StorageError } from '../errors.ts';

/** Stands for the file name in faults of the log, whose records are in the engine's files. */
export const LOG_FILE = 'event-log';

/** The error for damage; `what` is a sentence without capital letter and full stop. */
export function damaged(what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `The event log is damaged: ${what}.`, { file: LOG_FILE });
}

/** Reports one fault: a sentence without capital letter and full stop. */
export type Note = (what: string) => void;
