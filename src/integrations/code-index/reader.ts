/**
 * Reads an index file: the header at once, sections on demand, each checked before its use.
 *
 * - An open reader keeps its file open, so a build that replaces it does not disturb a search.
 */
import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  CHUNK_BYTES,
  type ChunkRow,
  DamagedIndex,
  DIMENSION_MAX,
  decodeHeader,
  type FileRow,
  HEADER_BYTES,
  type Header,
  type Meta,
  SECTION_NAMES,
  type SectionName,
  TERM_BYTES,
} from './format.ts';

export interface IndexReader {
  readonly header: Header;
  readonly meta: Meta;
  /** A whole section. */
  table(name: Exclude<SectionName, 'vectors'>): Promise<Buffer>;
  files(): Promise<readonly FileRow[]>;
  /** The vectors in blocks of whole rows. The first pass checks the checksum before it yields the last block. */
  vectorBlocks(): AsyncGenerator<Float32Array>;
  /** Text and symbol of a chunk. */
  text(row: ChunkRow): Promise<{ readonly text: string; readonly symbol: string | null }>;
  /** Vector of a chunk. Synchronous, which is faster for many small reads. */
  vector(row: number): Float32Array;
  /** Checks every byte. Throws `DamagedIndex`. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

const BLOCK_BYTES = 1024 * 1024;

/** Throws `DamagedIndex` when header or meta are damaged, and errors of the file system. */
export async function openIndex(path: string): Promise<IndexReader> {
  const file = await open(path, 'r');
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new DamagedIndex('it is a folder, not a file');
    const { size } = stats;
    const header = decodeHeader(await bytesAt(file, 0, Math.min(HEADER_BYTES, size)), size);
    checkLengths(header);
    const meta = parsed<Meta>(await section(file, header, 'meta'), 'meta');
    return readerOf(file, header, meta);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function readerOf(file: FileHandle, header: Header, meta: Meta): IndexReader {
  const rowBytes = header.dimension * 4;
  const { vectors, texts } = header.sections;
  let isVerified = false;
  return {
    header,
    meta,
    table: (name) => section(file, header, name),
    files: async () => parsed<readonly FileRow[]>(await section(file, header, 'files'), 'files'),
    async *vectorBlocks() {
      let crc = 0;
      const step = Math.max(1, Math.floor(BLOCK_BYTES / Math.max(1, rowBytes))) * rowBytes;
      for (let done = 0; done < vectors.bytes; done += step) {
        const bytes = await bytesAt(file, vectors.offset + done, Math.min(step, vectors.bytes - done));
        if (!isVerified) crc = crc32(bytes, crc);
        const isLast = done + bytes.length === vectors.bytes;
        if (isLast && !isVerified && crc !== vectors.crc) throw new DamagedIndex('its vectors have another checksum');
        isVerified ||= isLast;
        yield new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
      }
    },
    async text({ textAt, textBytes, symbolBytes }) {
      if (textAt + textBytes + symbolBytes > texts.bytes) throw new DamagedIndex('a chunk is outside its texts');
      const bytes = await bytesAt(file, texts.offset + textAt, textBytes + symbolBytes);
      const symbol = bytes.toString('utf8', textBytes);
      return { text: bytes.toString('utf8', 0, textBytes), symbol: symbol === '' ? null : symbol };
    },
    vector(row) {
      const vector = new Float32Array(header.dimension);
      readSync(file.fd, new Uint8Array(vector.buffer), 0, rowBytes, vectors.offset + row * rowBytes);
      return vector;
    },
    async verify() {
      for (const name of SECTION_NAMES) await verifySection(file, header, name);
      isVerified = true;
    },
    close: () => file.close(),
  };
}

function checkLengths(header: Header): void {
  const { sections, dimension, chunks, terms, fileBytes } = header;
  const right =
    dimension <= DIMENSION_MAX &&
    sections.vectors.bytes === chunks * dimension * 4 &&
    sections.chunks.bytes === chunks * CHUNK_BYTES &&
    sections.terms.bytes === terms * TERM_BYTES &&
    SECTION_NAMES.every((name) => sections[name].offset + sections[name].bytes <= fileBytes);
  if (!right) throw new DamagedIndex('its sections do not fit its header');
}

async function section(file: FileHandle, header: Header, name: SectionName): Promise<Buffer> {
  const { offset, bytes, crc } = header.sections[name];
  const content = await bytesAt(file, offset, bytes);
  if (crc32(content) !== crc) throw new DamagedIndex(`its ${name} have another checksum`);
  return content;
}

async function verifySection(file: FileHandle, header: Header, name: SectionName): Promise<void> {
  const { offset, bytes, crc } = header.sections[name];
  let found = 0;
  for (let done = 0; done < bytes; done += BLOCK_BYTES) {
    found = crc32(await bytesAt(file, offset + done, Math.min(BLOCK_BYTES, bytes - done)), found);
  }
  if (found !== crc) throw new DamagedIndex(`its ${name} have another checksum`);
}

/** Reads into a new buffer, which is aligned for typed arrays. */
async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new DamagedIndex('it ends too early');
    done += bytesRead;
  }
  return bytes;
}

/** The section passed its checksum, so this program wrote it. */
function parsed<Value>(bytes: Buffer, name: string): Value {
  try {
    return JSON.parse(bytes.toString('utf8')) as Value;
  } catch {
    throw new DamagedIndex(`its ${name} cannot be read`);
  }
}
