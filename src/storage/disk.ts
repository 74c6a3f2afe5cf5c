/**
 * The only door to the file system for `cow`, `lsm` and the lock: small enough that a test can cut the power, tear a
 * write or fail a call at every single operation (`tests/storage/fault-disk.ts`).
 *
 * - Bytes written are only *written* until `sync` of that file; names made, renamed or removed are only *written*
 *   until `syncDirectory` of their folder.
 * - A failed `sync` is final: pages may already be dropped, so a caller must never retry it and trust the result.
 * - Errors are Node's own (`code` ENOSPC, EIO, ENOENT …); engines turn them into `StorageError`.
 */

export interface DiskFile {
  /** Reads up to `length` bytes at `offset`; fewer only at the end of the file. Synchronous. */
  read(offset: number, length: number): Uint8Array;
  /** Writes all of `bytes` at `offset`, or throws; a short write is an error. Synchronous. */
  write(offset: number, bytes: Uint8Array): void;
  /** fdatasync off the event loop. */
  sync(): Promise<void>;
  /** fdatasync on the calling thread. */
  syncNow(): void;
  truncate(size: number): void;
  size(): number;
  close(): void;
}

export type OpenMode = 'create' | 'open' | 'read';

export interface Disk {
  /**
   * `create`: new and empty, fails when present. `open`: read and write, fails when absent. `read`: read only. Files
   * are made 0600.
   */
  openFile(path: string, mode: OpenMode): DiskFile;
  exists(path: string): boolean;
  /** Names in a folder, sorted; an absent folder is an error. */
  list(directory: string): string[];
  /** Makes the folder and its parents, 0700. */
  makeDirectory(directory: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes created, renamed and removed names in the folder durable. */
  syncDirectory(directory: string): void;
}
