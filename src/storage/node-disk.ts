/**
 * The `Disk` on Node's `fs`.
 *
 * - Errors are Node's own. A partial write is continued; a write without progress is an EIO.
 * - A write that meets a full disk is repeated as long as the reserve of the data directory makes room.
 * - `sync` is fdatasync on the thread pool, `syncNow` is fdatasync on the calling thread. Neither is retried.
 */
import * as fs from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Disk, DiskFile, OpenMode } from './disk.ts';
import { makesRoom, reserveBytes } from './disk-reserve.ts';
import { syncDirectory } from './files.ts';
import { diskUse } from './machine.ts';
import type { OpenFile } from './open-place.ts';

const FLAGS: Record<OpenMode, number> = {
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
  open: fs.constants.O_RDWR,
  read: fs.constants.O_RDONLY,
};

/** Files of this thread that are open for writing, by the path that leads to them. */
const written = new Map<string, NodeFile>();

export const nodeDisk: Disk = {
  openFile(path, mode) {
    const file = new NodeFile(open(path, FLAGS[mode]), path);
    if (mode !== 'read') written.set(path, file);
    return file;
  },
  exists: (path) => fs.existsSync(path),
  list: (directory) => fs.readdirSync(directory).sort(),
  makeDirectory: (directory) => void fs.mkdirSync(directory, { recursive: true, mode: 0o700 }),
  rename(from, to) {
    fs.renameSync(from, to);
    const file = written.get(from);
    written.delete(from);
    written.delete(to);
    if (file !== undefined) written.set(to, file);
  },
  remove(path) {
    fs.unlinkSync(path);
    written.delete(path);
  },
  syncDirectory,
  freeBytes: (directory) => {
    const use = diskUse(directory);
    return use === null ? Number.POSITIVE_INFINITY : use.freeBytes + reserveBytes(dirname(directory));
  },
};

/** The files below `folder` that this thread has open for writing. */
export function openFilesIn(folder: string): readonly OpenFile[] {
  const inside = [...written].filter(([path]) => path.startsWith(folder + sep));
  return inside.map(([path, file]) => ({ path, identity: file.identity() }));
}

function open(path: string, flags: number): number {
  for (;;) {
    try {
      return fs.openSync(path, flags, 0o600);
    } catch (error) {
      if (!makesRoom(error, path)) throw error;
    }
  }
}

class NodeFile implements DiskFile {
  readonly #descriptor: number;
  readonly #path: string;
  #open = true;

  constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.#path = path;
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    let done = 0;
    while (done < length) {
      const count = fs.readSync(this.#descriptor, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return new Uint8Array(bytes.buffer, 0, done);
  }

  write(offset: number, bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      const count = this.#writeSome(bytes, done, offset);
      if (count === 0) throw Object.assign(new Error(`EIO: write made no progress, '${this.#path}'`), { code: 'EIO' });
      done += count;
    }
  }

  /** Writes what follows the first `done` bytes, or a part of it. */
  #writeSome(bytes: Uint8Array, done: number, offset: number): number {
    for (;;) {
      try {
        return fs.writeSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
      } catch (error) {
        if (!makesRoom(error, this.#path)) throw error;
      }
    }
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  syncNow(): void {
    fs.fdatasyncSync(this.#descriptor);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.#descriptor, size);
  }

  size(): number {
    return fs.fstatSync(this.#descriptor).size;
  }

  identity(): OpenFile['identity'] {
    return fs.fstatSync(this.#descriptor, { bigint: true });
  }

  close(): void {
    if (this.#markClosed()) fs.closeSync(this.#descriptor);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  closeSoon(): Promise<void> {
    if (!this.#markClosed()) return Promise.resolve();
    return new Promise((resolve) => {
      fs.close(this.#descriptor, () => resolve());
    });
  }

  /** False when the file was closed before. */
  #markClosed(): boolean {
    const wasOpen = this.#open;
    this.#open = false;
    for (const [path, file] of written) if (file === this) written.delete(path);
    return wasOpen;
  }
}
