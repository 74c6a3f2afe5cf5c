/** Encodes and decodes index files, as docs/formats/code-index.md defines them. */
import { crc32 } from 'node:zlib';

export const FORMAT_VERSION = 2;
export const HEADER_BYTES = 256;
export const CHUNK_BYTES = 48;
export const TERM_BYTES = 20;
export const HASH_BYTES = 20;
export const FILE_BYTES_MAX = 4 * 1024 ** 3;
export const DIMENSION_MAX = 16_384;

const MAGIC = 'DAYBKIDX';
const CHECKSUM_AT = HEADER_BYTES - 4;
const SECTIONS_AT = 56;
const SECTION_BYTES = 24;

export const SECTION_NAMES = ['vectors', 'texts', 'chunks', 'files', 'terms', 'postings', 'meta'] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

export interface Section {
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

export interface Header {
  readonly dimension: number;
  readonly chunks: number;
  readonly files: number;
  readonly terms: number;
  readonly words: number;
  /** Unix milliseconds. */
  readonly builtAt: number;
  readonly fileBytes: number;
  readonly sections: Readonly<Record<SectionName, Section>>;
}

export interface Meta {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number | null;
  readonly workspace: string;
  readonly recipe: string;
}

export interface ChunkRow {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly textAt: number;
  readonly textBytes: number;
  readonly symbolBytes: number;
  readonly words: number;
  readonly hash: Buffer;
}

export type FileRow = readonly [path: string, sha256: string, bytes: number, language: string | null];

/** An index file that cannot be used; the message completes "cannot be used: …". */
export class DamagedIndex extends Error {
  override readonly name = 'DamagedIndex';
}

export function encodeHeader(header: Header): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  const numbers = [FORMAT_VERSION, HEADER_BYTES, header.dimension, header.chunks, header.files, header.terms];
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, 8 + index * 4);
  const longs = [header.words, header.builtAt, header.fileBytes];
  for (const [index, number] of longs.entries()) bytes.writeBigUInt64LE(BigInt(number), 32 + index * 8);
  SECTION_NAMES.forEach((name, index) => {
    const { offset, bytes: length, crc } = header.sections[name];
    const at = SECTIONS_AT + index * SECTION_BYTES;
    bytes.writeBigUInt64LE(BigInt(offset), at);
    bytes.writeBigUInt64LE(BigInt(length), at + 8);
    bytes.writeUInt32LE(crc, at + 16);
  });
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return bytes;
}

/** Throws `DamagedIndex`. `fileBytes` is the actual length of the file. */
export function decodeHeader(bytes: Buffer, fileBytes: number): Header {
  if (bytes.length < HEADER_BYTES) throw new DamagedIndex('it is shorter than a header');
  if (bytes.toString('latin1', 0, 8) !== MAGIC) throw new DamagedIndex('it does not begin like an index');
  const version = bytes.readUInt32LE(8);
  if (version !== FORMAT_VERSION) {
    throw new DamagedIndex(`its format version is ${version}; this program reads ${FORMAT_VERSION}`);
  }
  if (bytes.readUInt32LE(CHECKSUM_AT) !== crc32(bytes.subarray(0, CHECKSUM_AT))) {
    throw new DamagedIndex('its header has another checksum');
  }
  const long = (at: number): number => Number(bytes.readBigUInt64LE(at));
  if (long(48) !== fileBytes) throw new DamagedIndex(`it has ${fileBytes} bytes where ${long(48)} were written`);
  const sections = SECTION_NAMES.map((name, index) => {
    const at = SECTIONS_AT + index * SECTION_BYTES;
    return [name, { offset: long(at), bytes: long(at + 8), crc: bytes.readUInt32LE(at + 16) }] as const;
  });
  return {
    dimension: bytes.readUInt32LE(16),
    chunks: bytes.readUInt32LE(20),
    files: bytes.readUInt32LE(24),
    terms: bytes.readUInt32LE(28),
    words: long(32),
    builtAt: long(40),
    fileBytes,
    sections: Object.fromEntries(sections) as Header['sections'],
  };
}

export function encodeChunk(row: ChunkRow): Buffer {
  const bytes = Buffer.alloc(CHUNK_BYTES);
  const { file, firstLine, lastLine, textAt, textBytes, symbolBytes, words } = row;
  [file, firstLine, lastLine, textAt, textBytes, symbolBytes, words].forEach((number, index) => {
    bytes.writeUInt32LE(number, index * 4);
  });
  row.hash.copy(bytes, CHUNK_BYTES - HASH_BYTES, 0, HASH_BYTES);
  return bytes;
}

export function decodeChunk(table: Buffer, index: number): ChunkRow {
  const at = index * CHUNK_BYTES;
  const number = (field: number): number => table.readUInt32LE(at + field * 4);
  return {
    file: number(0),
    firstLine: number(1),
    lastLine: number(2),
    textAt: number(3),
    textBytes: number(4),
    symbolBytes: number(5),
    words: number(6),
    hash: table.subarray(at + CHUNK_BYTES - HASH_BYTES, at + CHUNK_BYTES),
  };
}

/** Appends a number below 2^31 as a varint: seven bits a byte, lowest first. */
export function pushVarint(into: number[], value: number): void {
  let left = value;
  for (; left > 0x7f; left >>>= 7) into.push((left & 0x7f) | 0x80);
  into.push(left);
}

/** Decodes consecutive varints. */
export function* varints(bytes: Buffer): Generator<number> {
  let value = 0;
  let shift = 0;
  for (const byte of bytes) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    yield value >>> 0;
    value = 0;
    shift = 0;
  }
}
