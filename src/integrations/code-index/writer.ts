/**
 * Writes a new index file. Vectors go to disk as they come; texts, tables and postings are kept until the end.
 *
 * - Nothing reads the file before `finish` renamed it into its place; `discard` removes it.
 * - The vector of a text that was written already is written again from the file, never asked for twice.
 */
import { closeSync, constants, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  encodeChunk,
  encodeHeader,
  FILE_BYTES_MAX,
  type FileRow,
  HEADER_BYTES,
  type Header,
  type Meta,
  type Section,
  type SectionName,
} from './format.ts';
import { createPostings } from './postings.ts';
import { createSlab } from './slab.ts';

export interface NewChunk {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
  readonly symbol: string | null;
  readonly hash: Buffer;
  readonly words: ReadonlyMap<string, number>;
}

export interface IndexWriter {
  readonly chunks: number;
  readonly dimension: number | null;
  /** Begins a file; the chunks that follow are its own. */
  beginFile(row: FileRow): void;
  add(chunk: NewChunk, vector: Float32Array): void;
  /** The vector of an earlier chunk. */
  vectorAt(row: number): Float32Array;
  /** Syncs the file and puts it in its place. */
  finish(path: string, meta: Meta, builtAt: number): void;
  discard(): void;
}

export function createWriter(part: string): IndexWriter {
  const fd = openSync(part, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
  const files: FileRow[] = [];
  const rows = createSlab();
  const texts = createSlab();
  const postings = createPostings();
  const state = { dimension: null as number | null, vectorCrc: 0, chunks: 0, words: 0, end: HEADER_BYTES, open: true };

  function append(bytes: Uint8Array): void {
    if (state.end + bytes.length > FILE_BYTES_MAX)
      throw new Error(`The index would have over ${FILE_BYTES_MAX} bytes.`);
    writeAll(fd, bytes, state.end);
    state.end += bytes.length;
  }

  function section(parts: readonly Uint8Array[]): Section {
    const offset = state.end;
    let crc = 0;
    for (const block of parts) {
      append(block);
      crc = crc32(block, crc);
    }
    return { offset, bytes: state.end - offset, crc };
  }

  function close(): void {
    if (state.open) closeSync(fd);
    state.open = false;
  }

  return {
    get chunks() {
      return state.chunks;
    },
    get dimension() {
      return state.dimension;
    },
    beginFile: (row) => void files.push(row),
    add(chunk, vector) {
      state.dimension ??= vector.length;
      if (vector.length !== state.dimension) throw new Error('The vectors of one build have different dimensions.');
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      append(bytes);
      state.vectorCrc = crc32(bytes, state.vectorCrc);
      const words = postings.add(chunk.words);
      const text = Buffer.from(chunk.text);
      const symbol = Buffer.from(chunk.symbol ?? '');
      const { firstLine, lastLine, hash } = chunk;
      const place = { textAt: texts.bytes, textBytes: text.length, symbolBytes: symbol.length };
      rows.push(encodeChunk({ file: files.length - 1, firstLine, lastLine, ...place, words, hash }));
      texts.push(text);
      texts.push(symbol);
      state.words += words;
      state.chunks += 1;
    },
    vectorAt(row) {
      const vector = new Float32Array(state.dimension ?? 0);
      const bytes = new Uint8Array(vector.buffer);
      readSync(fd, bytes, 0, bytes.length, HEADER_BYTES + row * bytes.length);
      return vector;
    },
    finish(path, meta, builtAt) {
      const vectors: Section = { offset: HEADER_BYTES, bytes: state.end - HEADER_BYTES, crc: state.vectorCrc };
      const words = postings.build();
      const sections: Record<SectionName, Section> = {
        vectors,
        texts: section(texts.blocks()),
        chunks: section(rows.blocks()),
        files: section([Buffer.from(JSON.stringify(files))]),
        terms: section([words.table]),
        postings: section([words.postings]),
        meta: section([Buffer.from(JSON.stringify(meta))]),
      };
      const counts = { chunks: state.chunks, files: files.length, terms: postings.terms, words: state.words };
      const header: Header = { ...counts, dimension: state.dimension ?? 0, builtAt, fileBytes: state.end, sections };
      writeAll(fd, encodeHeader(header), 0);
      fsyncSync(fd);
      close();
      setAside(path);
      renameSync(part, path);
      syncFolder(dirname(path));
    },
    discard() {
      close();
      rmSync(part, { force: true });
    },
  };
}

/** A folder in the place of the file, such as a container makes for a mount that is not there, is nobody's index. */
function setAside(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  renameSync(path, `${path}.${Date.now()}.aside`);
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

/** The rename is on disk when the folder is. Windows has no such thing as syncing a folder. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
