/** Every error the storage raises on purpose: a stable code to branch on, one clear sentence, and where it happened. */

export type StorageErrorCode =
  | 'STORAGE_KEY_INVALID'
  | 'STORAGE_VALUE_INVALID'
  | 'STORAGE_CLOSED'
  | 'STORAGE_READ_ONLY'
  | 'STORAGE_CORRUPT'
  | 'STORAGE_IO'
  | 'STORAGE_FULL'
  | 'STORAGE_BUSY'
  | 'STORAGE_LOCKED'
  | 'STORAGE_FOREIGN'
  | 'STORAGE_BACKEND_MISMATCH'
  | 'STORAGE_CONFIG'
  | 'STORAGE_TARGET';

export interface StorageErrorDetail {
  /** File name inside the data directory. */
  readonly file?: string;
  readonly offset?: number;
  readonly cause?: unknown;
}

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
