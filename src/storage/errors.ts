/** The errors of the storage: a stable code to branch on, a sentence for people, and the place of the fault. */

export type StorageErrorCode =
  /** The key is empty, too long or no bytes. */
  | 'STORAGE_KEY_INVALID'
  /** The value, event or record is malformed or too large. */
  | 'STORAGE_VALUE_INVALID'
  /** The store, log or snapshot is closed. */
  | 'STORAGE_CLOSED'
  /** Writes are refused since an earlier failure; the `cause` says which. */
  | 'STORAGE_READ_ONLY'
  /** Stored bytes are damaged or missing. */
  | 'STORAGE_CORRUPT'
  /** The file system reported an error. */
  | 'STORAGE_IO'
  /** The disk or quota is full. */
  | 'STORAGE_FULL'
  /** The directory was moved, removed or replaced while it is open: writes are refused until it is back. */
  | 'STORAGE_MOVED'
  /** Too much work is waiting; try again later. */
  | 'STORAGE_BUSY'
  /** The database of the log is out of reach; try again later. */
  | 'STORAGE_UNAVAILABLE'
  /** A lease that the append was made under belongs to another holder by now. */
  | 'STORAGE_FENCED'
  /** Another process holds the directory. */
  | 'STORAGE_LOCKED'
  /** The directory or file does not belong to a Daybook store that this program can read. */
  | 'STORAGE_FOREIGN'
  /** The directory was written by another engine than the one asked for. */
  | 'STORAGE_BACKEND_MISMATCH'
  /** A setting is unknown or out of range. */
  | 'STORAGE_CONFIG'
  /** The target of a backup, restore, import or salvage is unsuitable, or a directory exists or is missing. */
  | 'STORAGE_TARGET';

export interface StorageErrorDetail {
  /** File name inside the data directory. */
  readonly file?: string;
  /** Byte offset in the file. */
  readonly offset?: number;
  readonly cause?: unknown;
}

/** An error of the storage. Branch on `code`; the message is for people. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly file: string | undefined;
  readonly offset: number | undefined;

  constructor(code: StorageErrorCode, message: string, detail: StorageErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'StorageError';
    this.code = code;
    this.file = detail.file;
    this.offset = detail.offset;
  }
}

interface OtherFormat {
  /** Where the number of the format is in the file. */
  readonly offset: number;
  readonly version: number;
  /** The version that this program reads. */
  readonly known: number;
}

/** The error of a file that is whole, and of a format that this program does not know. */
export function otherFormat(file: string, { offset, version, known }: OtherFormat): StorageError {
  const what = `${file} has format ${version}; this program reads format ${known}. Use the program that wrote it.`;
  return new StorageError('STORAGE_FOREIGN', what, { file, offset });
}

/** The error of a value, event or record that is malformed or too large. */
export function valueInvalid(what: string): StorageError {
  return new StorageError('STORAGE_VALUE_INVALID', what);
}

/** The error of every call on a store that is closed. */
export function storeClosed(): StorageError {
  return new StorageError('STORAGE_CLOSED', 'The store is closed.');
}

/** The error of every write after the failure `reason`. */
export function readOnly(reason: StorageError): StorageError {
  const what = `The store is read-only since an error; reopen it once the cause is gone. ${reason.message}`;
  return new StorageError('STORAGE_READ_ONLY', what, { cause: reason });
}
