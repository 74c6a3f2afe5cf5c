/** The one way the log says that stored bytes are not what it wrote. */
import { StorageError } from '../errors.ts';

/** Faults of the log name no file: it lives in the engine's keys. `LOG_FILE` stands where a file name is due. */
export const LOG_FILE = 'event-log';

export function damaged(what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `The event log is damaged: ${what}.`, { file: LOG_FILE });
}

/** Takes down one fault: a sentence without capital and full stop. */
export type Note = (what: string) => void;
