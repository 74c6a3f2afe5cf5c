/**
 * Disk space that a data directory reserves, so that on a full disk appends are refused before other writes fail.
 *
 * - The reserve is a file of the directory. A write that fails on a full disk frees a part of it (`drawOnReserve`) and
 *   is repeated: the write-ahead logs of the engines, checkpoints, merges, the read models. The file is filled again
 *   when there is room.
 * - Appends are refused while reserve and free space together are less than 5/4 of the size of the reserve, and are
 *   accepted again from 6/4 on. A file system does not report the space that a quota leaves: there they are refused
 *   while the reserve cannot be filled.
 */
import { randomBytes } from 'node:crypto';
import { fstatSync, fsyncSync, ftruncateSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDiskFull } from './disk-error.ts';
import { StorageError } from './errors.ts';
import { openFile } from './files.ts';
import { type DiskUse, diskUse } from './machine.ts';

const RESERVE_FILE = 'reserve';

/** Drawing on the reserve frees half of the rest, but at least this. */
const PART_BYTES_MIN = 262_144;
/** The reserve takes at most this part of its file system. */
const DISK_PART_MAX = 1 / 4;
const REFUSED_BELOW = 5 / 4;
const ACCEPTED_FROM = 6 / 4;
/** The free space that the file system reported is used for this long. */
const ANSWER_MS_MAX = 20;
const FILL_EVERY_MS = 1_000;
/**
 * A disk with more free space than this many reserves is not about to be full. There the reserve is made a while after
 * the start: many processes end sooner.
 */
const AMPLE_RESERVES = 16;
const FIRST_FILL_MS = 10_000;
const STEP_BYTES = 1_048_576;

/** The message of a refused append. It names no path, because clients see it. */
export const DISK_FULL = 'The disk is full: nothing can be written until there is room again. Reads go on.';

/** Frees a part of the reserve of a data directory; false when there is nothing to free. The caller writes again. */
export function drawOnReserve(directory: string): boolean {
  try {
    using file = openFile(join(directory, RESERVE_FILE), 'r+');
    const held = fstatSync(file.fd).size;
    if (held === 0) return false;
    ftruncateSync(file.fd, held - Math.min(held, Math.max(PART_BYTES_MIN, Math.ceil(held / 2))));
    // Some file systems free the blocks only when the change is on the disk.
    fsyncSync(file.fd);
    return true;
  } catch {
    return false;
  }
}

/** Bytes that are left of the reserve of a data directory. */
export function reserveBytes(directory: string): number {
  return statSync(join(directory, RESERVE_FILE), { throwIfNoEntry: false })?.size ?? 0;
}

/** Like `drawOnReserve`, for a write to the file of a store that failed with `error`; false unless the disk is full. */
export function makesRoom(error: unknown, file: string): boolean {
  return isDiskFull(error) && drawOnReserve(dirname(dirname(file)));
}

/** The reserve of one data directory. */
export class DiskReserve {
  readonly #directory: string;
  /** Bytes that the reserve has when it is whole; 0 for none. */
  readonly #bytes: number;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | null = null;
  #filling: Promise<void> | null = null;
  #isClosed = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #refusal: StorageError | null = null;
  /** Whether the file system refuses bytes although it reports free space, as it does for a quota. */
  #isQuotaFull = false;

  /**
   * The directory must exist. With `bytes` 0 there is no reserve, and nothing is refused. Frees a part on a full disk.
   */
  constructor({ directory, bytes }: { readonly directory: string; readonly bytes: number }) {
    this.#directory = directory;
    const use = diskUse(directory);
    this.#bytes = use === null ? 0 : Math.min(bytes, Math.floor(use.totalBytes * DISK_PART_MAX));
    // The start itself needs room: the lock, the discovery files, the write-ahead log of the read models.
    if (use !== null && use.freeBytes < this.#bytes / 4) this.draw();
  }

  /** Fills the reserve whenever there is room for it. The caller must hold the directory's lock. */
  keep(): void {
    if (this.#bytes === 0) rmSync(this.#path, { force: true });
    else this.#timer = setInterval(() => this.#fillWhenDue(), FILL_EVERY_MS).unref();
  }

  /** Why appends are refused, as `STORAGE_FULL`; null while they are accepted. */
  get refusal(): StorageError | null {
    if (this.#bytes === 0) return null;
    const now = performance.now();
    if (now - this.#checkedAt < ANSWER_MS_MAX) return this.#refusal;
    this.#checkedAt = now;
    const use = diskUse(this.#directory);
    const needed = this.#bytes * (this.#refusal === null ? REFUSED_BELOW : ACCEPTED_FROM);
    const freeBytes = this.#isQuotaFull ? 0 : use?.freeBytes;
    if (freeBytes === undefined || this.#held() + freeBytes >= needed) this.#refusal = null;
    else this.#refusal ??= new StorageError('STORAGE_FULL', DISK_FULL);
    return this.#refusal;
  }

  /** Frees a part of the reserve; false when there is nothing to free. */
  draw(): boolean {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    return drawOnReserve(this.#directory);
  }

  /** Leaves the reserve as it is, for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#filling;
  }

  get #path(): string {
    return join(this.#directory, RESERVE_FILE);
  }

  #held(): number {
    return reserveBytes(this.#directory);
  }

  #fillWhenDue(): void {
    const use = diskUse(this.#directory);
    if (use === null || this.#filling !== null || !this.#isDue(use)) return;
    this.#filling = this.#fill().finally(() => {
      this.#filling = null;
    });
  }

  #isDue({ freeBytes }: DiskUse): boolean {
    const missing = this.#bytes - this.#held();
    if (missing <= 0 || freeBytes + this.#held() < this.#bytes * ACCEPTED_FROM) return false;
    return freeBytes < AMPLE_RESERVES * this.#bytes || performance.now() - this.#startedAt >= FIRST_FILL_MS;
  }

  /** Ignores failures: the timer tries again. */
  async #fill(): Promise<void> {
    try {
      await using file = await open(this.#path, 'a', 0o600);
      await this.#append(file);
      this.#isQuotaFull = false;
    } catch (error) {
      // Otherwise the folder is gone.
      this.#isQuotaFull = isDiskFull(error);
    }
  }

  async #append(file: FileHandle): Promise<void> {
    // A file system that compresses would set nothing aside for zeros.
    const noise = randomBytes(STEP_BYTES);
    for (let held = this.#held(); held < this.#bytes && !this.#isClosed; held = this.#held()) {
      const use = diskUse(this.#directory);
      if (use === null || use.freeBytes + held < this.#bytes * REFUSED_BELOW) return;
      await file.write(noise, 0, Math.min(noise.length, this.#bytes - held));
    }
  }
}
