/**
 * How far the write-ahead log was durable, beside it in a file of its own (docs/formats/embedded-kv.md): SQLite takes a
 * damaged last commit for a torn one.
 *
 * - Written after the sync and not synced itself: a killed process leaves it in the page cache, a power cut may lose
 *   it. Without it, or when it is of another life of the log, nothing is claimed.
 */
import { closeSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32c } from '../crc32c.ts';
import { DATABASE_FILE } from './errors.ts';

const DURABLE_FILE = `${DATABASE_FILE}-durable`;
const MAGIC = 'DKV1';
const SALTS_AT = 4;
const SALTS_BYTES = 8;
const FRAMES_AT = 12;
const CHECKED_BYTES = 16;
const BYTES = 20;
/** Places in the header of SQLite's index of the log (walformat.html, "The WAL-Index Header"). */
const INDEX = { bytes: 48, frames: 16, salts: 32 } as const;

export interface Attested {
  /** As in bytes 16 to 24 of the log's header. */
  readonly salts: Buffer;
  /** Frames of committed transactions. */
  readonly frames: number;
}

/** What was attested of the log in `directory`, or null. */
export function readAttested(directory: string): Attested | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(directory, DURABLE_FILE));
  } catch {
    return null;
  }
  const isWhole = bytes.length === BYTES && bytes.toString('latin1', 0, SALTS_AT) === MAGIC;
  if (!isWhole || bytes.readUInt32LE(CHECKED_BYTES) !== crc32c(bytes, 0, 0, CHECKED_BYTES)) return null;
  return { salts: bytes.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES), frames: bytes.readUInt32LE(FRAMES_AT) };
}

export class Attestation {
  readonly #directory: string;
  /** Open as long as the database: to close a file that SQLite has open would take its locks away. */
  #index: number | null = null;
  #file: number | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The last commit, and so everything before it, is synced. Nothing was promised with this: it never throws. */
  attest(): void {
    try {
      this.#index ??= openSync(join(this.#directory, `${DATABASE_FILE}-shm`), 'r');
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
      // The next commit meets the same disk, and what it finds there counts.
    }
  }

  /** After the database is closed: its log is gone, or belongs to whoever opens it next. */
  close(): void {
    if (this.#index !== null) closeSync(this.#index);
    if (this.#file !== null) closeSync(this.#file);
  }

  /** The log was closed in order. */
  remove(): void {
    rmSync(join(this.#directory, DURABLE_FILE), { force: true });
  }
}
