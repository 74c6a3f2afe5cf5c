/**
 * The file system as `cow` and `lsm` use it: small enough that a test can simulate a power cut, a torn write or an
 * error at every operation (`tests/storage/fault-disk.ts`).
 *
 * - Written bytes are durable after `sync` of their file. Names that were created, renamed or removed are durable after
 *   `syncDirectory` of their folder.
 * - A failed `sync` is final: the kernel may have dropped the pages, so a second `sync` that succeeds proves nothing.
 * - Errors are Node's (`code` ENOSPC, EIO, ENOENT …); engines turn them into `StorageError`.
 */

export interface DiskFile extends Disposable {
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
  /**
   * Closes the file off the event loop: the last close of a file that has no name any more frees its blocks, which
   * takes the longer the larger it is. Does not reject.
   */
  closeSoon(): Promise<void>;
}

export type OpenMode = 'create' | 'open' | 'read';

export interface Disk {
  /**
   * `create`: a new, empty file, fails when it exists. `open`: read and write, fails when absent. `read`: read only.
   * New files have mode 0600.
   */
  openFile(path: string, mode: OpenMode): DiskFile;
  exists(path: string): boolean;
  /** Names in a folder, sorted; throws when the folder is absent. */
  list(directory: string): string[];
  /** Creates the folder and its parents with mode 0700. */
  makeDirectory(directory: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes created, renamed and removed names in the folder durable. */
  syncDirectory(directory: string): void;
  /** Bytes that can be written in the folder, including its reserve; infinite when unknown. */
  freeBytes(directory: string): number;
}
