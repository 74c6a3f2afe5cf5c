/**
 * The manifest: the tables of the store, and the last commit that they contain. Small, and always replaced as a whole.
 *
 * - `MANIFEST` changes only by rename, so a crash leaves either the old or the new one.
 * - A file that the old manifest names may be removed only after `replaceManifest` has returned.
 */
import { join } from 'node:path';
import { crc32c } from '../crc32c.ts';
import type { Disk } from '../disk.ts';
import { otherFormat, StorageError } from '../errors.ts';
import { readU32, writeU32 } from '../integers.ts';
import { readVarint, varintBytes, writeVarint } from './bytes.ts';
import type { TableMeta } from './table-writer.ts';

export const MANIFEST = 'MANIFEST';
export const MANIFEST_NEW = 'MANIFEST.new';

const MAGIC = new TextEncoder().encode('DBLSMMAN');
const FORMAT_VERSION = 1;
const HEADER_BYTES = 16;
const CHECK_BYTES = 4;
const LEVELS_MAX = 16;
/** The fields of a table that are stored as varints, in this order. */
const NUMBERS = ['id', 'fileBytes', 'entries', 'tombstones', 'rawBytes', 'maxSequence'] as const;

export interface Manifest {
  /** Number of edits since the store was created. */
  readonly edit: number;
  /** The tables contain every commit up to this sequence. */
  readonly lastSequence: number;
  readonly nextTableId: number;
  /** Level 0 newest first, the other levels in key order. */
  readonly levels: readonly (readonly TableMeta[])[];
}

/** The bytes of a manifest, with its checksum. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const tables = manifest.levels.flatMap((metas, level) => metas.map((meta) => ({ level, meta })));
  const room = tables.reduce((sum, { meta }) => sum + meta.smallest.length + meta.largest.length + 80, 64);
  const bytes = new Uint8Array(HEADER_BYTES + room + CHECK_BYTES);
  bytes.set(MAGIC);
  writeU32(bytes, 8, FORMAT_VERSION);
  let at = HEADER_BYTES;
  const { edit, lastSequence, nextTableId } = manifest;
  for (const value of [edit, lastSequence, nextTableId, tables.length]) at = writeVarint(bytes, at, value);
  for (const { level, meta } of tables) at = writeTable(bytes, at, { level, meta });
  writeU32(bytes, 12, at - HEADER_BYTES);
  writeU32(bytes, at, crc32c(bytes.subarray(0, at)));
  return bytes.subarray(0, at + CHECK_BYTES);
}

/** Throws `STORAGE_CORRUPT` with the offset of the damage, `STORAGE_FOREIGN` for another format. */
export function decodeManifest(bytes: Uint8Array): Manifest {
  if (bytes.length < HEADER_BYTES + CHECK_BYTES) throw corrupt(bytes.length, 'it is cut off');
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw corrupt(0, 'it does not begin as a manifest of Daybook');
  const end = bytes.length - CHECK_BYTES;
  if (readU32(bytes, end) !== crc32c(bytes.subarray(0, end))) throw corrupt(end, 'its checksum does not match');
  const version = readU32(bytes, 8);
  if (version !== FORMAT_VERSION) throw otherFormat(MANIFEST, { offset: 8, version, known: FORMAT_VERSION });
  if (HEADER_BYTES + readU32(bytes, 12) !== end) throw corrupt(12, 'its length does not fit the file');
  const reader = new Reader(bytes, HEADER_BYTES);
  const edit = reader.number();
  const lastSequence = reader.number();
  const nextTableId = reader.number();
  const levels: TableMeta[][] = [];
  for (let left = reader.number(); left > 0; left -= 1) {
    const level = reader.number();
    if (level >= LEVELS_MAX) throw corrupt(reader.at, `it names level ${level}`);
    while (levels.length <= level) levels.push([]);
    levels[level]!.push(readTable(reader));
  }
  return { edit, lastSequence, nextTableId, levels };
}

/** Reads `MANIFEST`; undefined when it is absent. Throws `STORAGE_CORRUPT` for damage. */
export function readManifest(disk: Disk, directory: string): Manifest | undefined {
  const path = join(directory, MANIFEST);
  if (!disk.exists(path)) return undefined;
  using file = disk.openFile(path, 'read');
  return decodeManifest(file.read(0, file.size()));
}

/** Replaces the manifest by the encoded one; durable when it returns. */
export function replaceManifest(disk: Disk, directory: string, bytes: Uint8Array): void {
  const next = join(directory, MANIFEST_NEW);
  if (disk.exists(next)) disk.remove(next);
  {
    using file = disk.openFile(next, 'create');
    file.write(0, bytes);
    file.syncNow();
  }
  disk.rename(next, join(directory, MANIFEST));
  disk.syncDirectory(directory);
}

function writeTable(bytes: Uint8Array, start: number, table: { level: number; meta: TableMeta }): number {
  const { level, meta } = table;
  let at = start;
  for (const value of [level, ...NUMBERS.map((name) => meta[name])]) at = writeVarint(bytes, at, value);
  writeU32(bytes, at, meta.footerCheck);
  at += 4;
  for (const key of [meta.smallest, meta.largest]) {
    at = writeVarint(bytes, at, key.length);
    bytes.set(key, at);
    at += key.length;
  }
  return at;
}

function readTable(reader: Reader): TableMeta {
  const numbers = NUMBERS.map((name) => [name, reader.number()] as const);
  const fields = Object.fromEntries(numbers) as Record<(typeof NUMBERS)[number], number>;
  return { ...fields, footerCheck: reader.word(), smallest: reader.key(), largest: reader.key() };
}

class Reader {
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  number(): number {
    const value = readVarint(this.#bytes, this.at);
    this.at += varintBytes(value);
    return value;
  }

  word(): number {
    this.at += 4;
    return readU32(this.#bytes, this.at - 4);
  }

  key(): Uint8Array {
    const length = this.number();
    this.at += length;
    return this.#bytes.slice(this.at - length, this.at);
  }
}

function corrupt(offset: number, what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${MANIFEST} is damaged at byte ${offset}: ${what}.`, {
    file: MANIFEST,
    offset,
  });
}
