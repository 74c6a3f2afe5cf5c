/**
 * Writes a new index file. Vectors go to disk at once; texts, tables and postings stay in memory until the end.
 *
 * - No reader sees the file before `finish` renames it.
 * - The vector of a repeated text is read back from the file, so that no text is embedded twice.
 */
import { closeSync, constants, fsyncSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../lib/atomic-file.ts';
import { createByteBlocks } from '../../lib/byte-blocks.ts';
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
import { PostingsBuilder } from './postings.ts';

export interface NewChunk {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
  readonly symbol: string | null;
  readonly hash: Buffer;
  readonly words: ReadonlyMap<string, number>;
}

/** An index file that is being written. Its first chunk decides the dimension. */
export class IndexWriter {
  readonly #part: string;
  readonly #fd: number;
  readonly #files: FileRow[] = [];
  readonly #rows = createByteBlocks();
  readonly #texts = createByteBlocks();
  readonly #postings = new PostingsBuilder();
  #dimension: number | null = null;
  #vectorCrc = 0;
  #chunks = 0;
  #words = 0;
  /** The offset of the next bytes. */
  #end = HEADER_BYTES;
  #isOpen = true;

  /** Creates the file; throws when there is one. */
  constructor(part: string) {
    this.#part = part;
    this.#fd = openSync(part, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
  }

  get chunks(): number {
    return this.#chunks;
  }

  get dimension(): number | null {
    return this.#dimension;
  }

  /** Begins a file; the chunks that follow belong to it. */
  beginFile(row: FileRow): void {
    this.#files.push(row);
  }

  add(chunk: NewChunk, vector: Float32Array): void {
    this.#dimension ??= vector.length;
    if (vector.length !== this.#dimension) throw new Error('The vectors of one build have different dimensions.');
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    this.#append(bytes);
    this.#vectorCrc = crc32(bytes, this.#vectorCrc);
    const words = this.#postings.add(chunk.words);
    const text = Buffer.from(chunk.text);
    const symbol = Buffer.from(chunk.symbol ?? '');
    const { firstLine, lastLine, hash } = chunk;
    const place = { textAt: this.#texts.bytes, textBytes: text.length, symbolBytes: symbol.length };
    this.#rows.push(encodeChunk({ file: this.#files.length - 1, firstLine, lastLine, ...place, words, hash }));
    this.#texts.push(text);
    this.#texts.push(symbol);
    this.#words += words;
    this.#chunks += 1;
  }

  /** The vector of an earlier chunk. */
  vectorAt(row: number): Float32Array {
    const vector = new Float32Array(this.#dimension ?? 0);
    const bytes = new Uint8Array(vector.buffer);
    readSync(this.#fd, bytes, 0, bytes.length, HEADER_BYTES + row * bytes.length);
    return vector;
  }

  /** Completes and syncs the file, then renames it to `path`. `builtAt` is in Unix milliseconds. */
  async finish(path: string, meta: Meta, builtAt: number): Promise<void> {
    const header = this.#writeSections(meta, builtAt);
    writeAll(this.#fd, encodeHeader(header), 0);
    fsyncSync(this.#fd);
    this.#close();
    setAside(path);
    renameSync(this.#part, path);
    await syncFolder(dirname(path));
  }

  /** Removes the file. */
  discard(): void {
    this.#close();
    rmSync(this.#part, { force: true });
  }

  #writeSections(meta: Meta, builtAt: number): Header {
    const vectors: Section = { offset: HEADER_BYTES, bytes: this.#end - HEADER_BYTES, crc: this.#vectorCrc };
    const { table, postings } = this.#postings.build();
    const sections: Record<SectionName, Section> = {
      vectors,
      texts: this.#section(this.#texts.blocks()),
      chunks: this.#section(this.#rows.blocks()),
      files: this.#section([Buffer.from(JSON.stringify(this.#files))]),
      terms: this.#section([table]),
      postings: this.#section([postings]),
      meta: this.#section([Buffer.from(JSON.stringify(meta))]),
    };
    return {
      dimension: this.#dimension ?? 0,
      chunks: this.#chunks,
      files: this.#files.length,
      terms: this.#postings.terms,
      words: this.#words,
      builtAt,
      fileBytes: this.#end,
      sections,
    };
  }

  #section(parts: readonly Uint8Array[]): Section {
    const offset = this.#end;
    let crc = 0;
    for (const block of parts) {
      this.#append(block);
      crc = crc32(block, crc);
    }
    return { offset, bytes: this.#end - offset, crc };
  }

  #append(bytes: Uint8Array): void {
    if (this.#end + bytes.length > FILE_BYTES_MAX) {
      throw new Error(`The index would have over ${FILE_BYTES_MAX} bytes.`);
    }
    writeAll(this.#fd, bytes, this.#end);
    this.#end += bytes.length;
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }
}

/** Renames a folder at this path. Container runtimes create one for a missing mount. */
function setAside(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  renameSync(path, `${path}.${Date.now()}.aside`);
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}
