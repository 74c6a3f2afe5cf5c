/**
 * Checks SQLite's write-ahead log for damage before SQLite opens it. SQLite would take a damaged frame for the end of
 * the log and silently drop every commit after it.
 *
 * - A frame is valid when it has the salts of the log's header and its checksum continues that of the frame before it.
 * - The first invalid frame is the end of the log, torn by a crash, with two exceptions in which it is damage: a whole
 *   commit lies between it and a later valid frame (that commit was acknowledged before the later frame was written),
 *   or the attestation says that the frame was durable.
 */
import { existsSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../errors.ts';
import { openFile } from '../files.ts';
import { type Attested, hasIndex } from './attestation.ts';
import { WAL_FILE } from './errors.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

interface Checksum {
  readonly first: number;
  readonly second: number;
}

interface Frame {
  readonly isCommit: boolean;
  readonly hasSalts: boolean;
  readonly stored: Checksum;
  /** The checksum that the frame must have after a frame with the checksum `seed`. */
  readonly follows: (seed: Checksum) => Checksum;
}

/**
 * Throws `STORAGE_CORRUPT` with the offset of a damaged frame, and for an attested log that is missing or empty. Accepts
 * a torn end.
 */
export function checkWal(directory: string, attested: Attested | null): void {
  const path = join(directory, WAL_FILE);
  const isLost = attested !== null && attested.frames > 0 && hasIndex(directory, attested);
  const lost = (what: string): Error => damaged(`it is ${what}, and ${attested?.frames} frames of it were durable`, 0);
  if (!existsSync(path)) {
    if (isLost) throw lost('missing');
    return;
  }
  using file = openFile(path, 'r');
  const size = fstatSync(file.fd).size;
  const header = read(file.fd, 0, HEADER_BYTES);
  if (size <= HEADER_BYTES || header.every((byte) => byte === 0)) {
    if (isLost) throw lost('empty');
    return;
  }
  const wal = new Wal(file.fd, header);
  wal.check(size, attested);
}

class Wal {
  readonly #file: number;
  readonly #header: Buffer;
  readonly #isBigEndian: boolean;
  readonly #frameBytes: number;

  constructor(file: number, header: Buffer) {
    this.#file = file;
    this.#header = header;
    this.#isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    this.#frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  }

  check(size: number, attested: Attested | null): void {
    const stored = checksumAt(this.#header, 24);
    const isMagic = (this.#header.readUInt32BE(0) & ~1) >>> 0 === MAGIC;
    if (!isMagic || !isEqual(this.#sum({ first: 0, second: 0 }, this.#header.subarray(0, 24)), stored)) {
      throw damaged('its header fails its checksum', 0);
    }
    const count = Math.floor((size - HEADER_BYTES) / this.#frameBytes);
    let seed = stored;
    for (let index = 0; index < count; index += 1) {
      const frame = this.#frame(index);
      if (!isValid(frame, seed)) {
        this.#checkAttested(index, attested);
        this.#checkEnd({ invalid: index, count, seed });
        return;
      }
      seed = frame.stored;
    }
    this.#checkAttested(count, attested);
  }

  /** Throws when fewer frames are valid than were attested for this generation of the log. */
  #checkAttested(valid: number, attested: Attested | null): void {
    if (attested === null || valid >= attested.frames) return;
    if (this.#header.compare(attested.salts, 0, 8, 16, 24) !== 0) return;
    throw damaged(`a frame fails its checksum or is gone, and ${attested.frames} were durable`, this.#offset(valid));
  }

  /** Throws when the frame `invalid`, which follows `seed`, is damage rather than the end of the log. */
  #checkEnd({
    invalid,
    count,
    seed,
  }: {
    readonly invalid: number;
    readonly count: number;
    readonly seed: Checksum;
  }): void {
    let before = this.#frame(invalid);
    let hasCommit = before.isCommit || this.#wasCommit(invalid, seed);
    // If only the stored checksum is damaged, the next frame continues the checksum that it should have been.
    let seeds = [before.stored, before.follows(seed)];
    for (let index = invalid + 1; index < count; index += 1) {
      const frame = this.#frame(index);
      if (hasCommit && seeds.some((candidate) => isValid(frame, candidate))) {
        throw damaged('a frame fails its checksum, and commits after it are whole', this.#offset(invalid));
      }
      hasCommit ||= frame.isCommit && frame.hasSalts;
      before = frame;
      seeds = [before.stored];
    }
  }

  /** Whether the frame becomes valid when one bit of its commit field is set: that bit was lost. */
  #wasCommit(index: number, seed: Checksum): boolean {
    const bytes = this.#bytes(index);
    return Array.from({ length: 32 }).some((_, bit) => {
      bytes.writeUInt32BE(2 ** bit, 4);
      return isValid(this.#parse(bytes), seed);
    });
  }

  #frame(index: number): Frame {
    return this.#parse(this.#bytes(index));
  }

  #bytes(index: number): Buffer {
    return read(this.#file, this.#offset(index), this.#frameBytes);
  }

  #parse(bytes: Buffer): Frame {
    return {
      isCommit: bytes.readUInt32BE(4) !== 0,
      hasSalts: bytes.compare(this.#header, 16, 24, 8, 16) === 0,
      stored: checksumAt(bytes, 16),
      follows: (seed) => this.#sum(this.#sum(seed, bytes.subarray(0, 8)), bytes.subarray(FRAME_HEADER_BYTES)),
    };
  }

  #offset(index: number): number {
    return HEADER_BYTES + index * this.#frameBytes;
  }

  /** SQLite's running checksum over pairs of 32-bit words, in the byte order that the magic number selects. */
  #sum({ first, second }: Checksum, bytes: Buffer): Checksum {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const isLittleEndian = !this.#isBigEndian;
    let [one, two] = [first, second];
    for (let at = 0; at < bytes.length; at += 8) {
      one = (one + view.getUint32(at, isLittleEndian) + two) >>> 0;
      two = (two + view.getUint32(at + 4, isLittleEndian) + one) >>> 0;
    }
    return { first: one, second: two };
  }
}

function isValid(frame: Frame, seed: Checksum): boolean {
  return frame.hasSalts && isEqual(frame.stored, frame.follows(seed));
}

function isEqual(left: Checksum, right: Checksum): boolean {
  return left.first === right.first && left.second === right.second;
}

function checksumAt(bytes: Buffer, offset: number): Checksum {
  return { first: bytes.readUInt32BE(offset), second: bytes.readUInt32BE(offset + 4) };
}

function read(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  return bytes;
}

function damaged(what: string, offset: number): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${WAL_FILE} is damaged: ${what} (offset ${offset}).`, {
    file: WAL_FILE,
    offset,
  });
}
