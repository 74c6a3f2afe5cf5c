/**
 * A file that records how much of SQLite's write-ahead log is durable (docs/formats/embedded-kv.md). SQLite itself
 * cannot tell a damaged last commit from a torn one.
 *
 * - The file is written after the log's sync and is not synced. It survives a killed process in the page cache; a power
 *   cut may lose it. When it is absent or belongs to an earlier generation of the log, it proves nothing.
 */
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32c } from '../crc32c.ts';
import { diskError } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { syncDirectory } from '../files.ts';
import { DATABASE_FILE, WAL_FILE } from './errors.ts';

const DURABLE_FILE = `${DATABASE_FILE}-durable`;
const INDEX_FILE = `${DATABASE_FILE}-shm`;
const MAGIC = 'DKV1';
const SALTS_AT = 4;
const SALTS_BYTES = 8;
const FRAMES_AT = 12;
const CHECKED_BYTES = 16;
const BYTES = 20;
/** Size and field offsets of SQLite's WAL-index header (walformat.html, "The WAL-Index Header"). */
const INDEX = { bytes: 48, frames: 16, salts: 32 } as const;

export interface Attested {
  /** Salts of the log: bytes 16 to 24 of its header. */
  readonly salts: Buffer;
  /** Frames of committed transactions. */
  readonly frames: number;
}

/** The attestation in `directory`, null when it is absent or damaged. */
export function readAttested(directory: string): Attested | null {
  const bytes = bytesIn(directory);
  if (bytes === null || !isWhole(bytes)) return null;
  return { salts: bytes.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES), frames: bytes.readUInt32LE(FRAMES_AT) };
}

/**
 * Whether SQLite's index of the attested log is there. SQLite deletes the index before the log, so an index without its
 * log is no orderly close, of whatever program.
 */
export function hasIndex(directory: string, { salts }: Attested): boolean {
  const path = join(directory, INDEX_FILE);
  return (
    existsSync(path) &&
    readFileSync(path)
      .subarray(INDEX.salts, INDEX.salts + SALTS_BYTES)
      .equals(salts)
  );
}

/** The faults of the attestation. A file of zeros is no fault: a power cut lost its content. */
export function attestationFaults(directory: string): readonly Fault[] {
  const bytes = bytesIn(directory);
  if (bytes === null || isWhole(bytes) || bytes.every((byte) => byte === 0)) return [];
  const what = 'what says how much of the write-ahead log was durable is damaged; it holds nothing of the log';
  return [{ file: DURABLE_FILE, offset: 0, what }];
}

function bytesIn(directory: string): Buffer | null {
  try {
    return readFileSync(join(directory, DURABLE_FILE));
  } catch {
    return null;
  }
}

function isWhole(bytes: Buffer): boolean {
  const hasForm = bytes.length === BYTES && bytes.toString('latin1', 0, SALTS_AT) === MAGIC;
  return hasForm && bytes.readUInt32LE(CHECKED_BYTES) === crc32c(bytes, 0, 0, CHECKED_BYTES);
}

/** Writes the attestation of an open database. */
export class Attestation {
  readonly #directory: string;
  /** Open as long as the database: closing a file that SQLite has open would release SQLite's locks on it. */
  #index: number | null = null;
  #file: number | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Records that the last commit, and so everything before it, is durable. Best effort: never throws. */
  attest(): void {
    try {
      this.#index ??= openSync(join(this.#directory, INDEX_FILE), 'r');
      this.#file ??= openSync(join(this.#directory, DURABLE_FILE), 'w', 0o600);
      const index = Buffer.alloc(INDEX.bytes);
      readSync(this.#index, index, 0, INDEX.bytes, 0);
      const bytes = Buffer.alloc(BYTES);
      bytes.write(MAGIC, 'latin1');
      index.copy(bytes, SALTS_AT, INDEX.salts, INDEX.salts + SALTS_BYTES);
      const frames = endianness() === 'LE' ? index.readUInt32LE(INDEX.frames) : index.readUInt32BE(INDEX.frames);
      bytes.writeUInt32LE(frames, FRAMES_AT);
      bytes.writeUInt32LE(crc32c(bytes, 0, 0, CHECKED_BYTES), CHECKED_BYTES);
      writeSync(this.#file, bytes, 0, BYTES, 0);
    } catch {
      // A disk error will fail the next commit, which reports it.
    }
  }

  /**
   * Calls `empty`, which empties the log unless others read it. Meanwhile there is no attestation: with it, and with the
   * index of before a power cut, the empty log would look like one that has lost its frames. Throws a `StorageError`
   * when the attestation cannot be removed durably, and what `empty` throws.
   */
  without(empty: () => void): void {
    const attested = bytesIn(this.#directory);
    if (attested !== null) this.#forget();
    try {
      empty();
    } finally {
      if (attested !== null) this.#attestAgain(attested);
    }
  }

  /** Called after the database was closed. */
  close(): void {
    if (this.#index !== null) closeSync(this.#index);
    if (this.#file !== null) closeSync(this.#file);
  }

  /** Called when there is no log any more. */
  remove(): void {
    rmSync(join(this.#directory, DURABLE_FILE), { force: true });
  }

  #forget(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    try {
      this.remove();
      syncDirectory(this.#directory);
    } catch (error) {
      throw diskError(error, `Cannot remove ${DURABLE_FILE}`);
    }
  }

  /** Best effort, for a log that was not emptied. */
  #attestAgain(attested: Buffer): void {
    try {
      const { size } = statSync(join(this.#directory, WAL_FILE));
      if (size > 0) writeFileSync(join(this.#directory, DURABLE_FILE), attested, { mode: 0o600 });
    } catch {
      // Without it, damage to the last commit looks like a torn end.
    }
  }
}
