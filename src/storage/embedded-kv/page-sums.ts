/**
 * A file with the checksum of every page of a closed database (docs/formats/embedded-kv.md). SQLite's pages have no
 * checksums, and rows have checksums of their own; this file covers the rest.
 *
 * - It is written after an orderly close, and removed durably before the first change after an open. While it exists,
 *   it describes the database as it was closed.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { diskError } from '../disk-error.ts';
import type { Fault } from '../engine.ts';
import { openFile, syncDirectory, writeFileAtomic } from '../files.ts';
import { DATABASE_FILE, WAL_FILE } from './errors.ts';
import { PAGE_BYTES } from './locate.ts';

const SUMS_FILE = `${DATABASE_FILE}-pages`;
const MAGIC = 'DKP1';
const SUM_BYTES = 4;
const FAULTS_MAX = 100;
/** Pages read at once: 1 MiB. */
const PAGES_PER_TURN = 256;

/** The checksums of the pages of a database in `directory`. */
export class PageSums {
  readonly #directory: string;
  /** One checksum a page, until the first change; null without any. */
  #sums: Buffer | null = null;
  /** Open as long as the database: closing a file that SQLite has open would release SQLite's locks on it. */
  #database: number | null = null;
  /** The faults of the file of checksums itself. */
  readonly faults: readonly Fault[];

  constructor(directory: string) {
    this.#directory = directory;
    const path = join(directory, SUMS_FILE);
    const bytes = existsSync(path) ? readFileSync(path) : null;
    const isDamaged = bytes !== null && !isWhole(bytes);
    const what = 'the checksums of the closed database are damaged; they hold nothing of the log';
    this.faults = isDamaged ? [{ file: SUMS_FILE, offset: 0, what }] : [];
    if (bytes === null || isDamaged) return;
    this.#sums = bytes.subarray(MAGIC.length, -SUM_BYTES);
    this.#database = openSync(join(directory, DATABASE_FILE), 'r');
  }

  /**
   * A fault for each page that was changed since the database was closed, except pages with a `known` fault; at most
   * `FAULTS_MAX`.
   */
  async changedPages(known: readonly Fault[]): Promise<readonly Fault[]> {
    const [sums, database] = [this.#sums, this.#database];
    if (sums === null || database === null) return [];
    const named = new Set(known.map(({ offset }) => Math.floor((offset ?? -1) / PAGE_BYTES)));
    const faults: Fault[] = [];
    let page = 0;
    for await (const sum of sumsOf(database)) {
      if (faults.length === FAULTS_MAX) return faults;
      const isKnown = page * SUM_BYTES < sums.length && sum === sums.readUInt32LE(page * SUM_BYTES);
      if (!isKnown && !named.has(page)) faults.push(changedPage(page));
      page += 1;
    }
    if (page * SUM_BYTES < sums.length) faults.push(changedPage(page));
    return faults;
  }

  /** Called before each change. The first one removes the file durably. Throws a `StorageError`. */
  drop(): void {
    if (this.#sums === null) return;
    try {
      rmSync(join(this.#directory, SUMS_FILE), { force: true });
      syncDirectory(this.#directory);
    } catch (error) {
      throw diskError(error, `Cannot remove ${SUMS_FILE}`);
    }
    this.#sums = null;
  }

  /** Called after the database was closed. Writes the file unless nothing was changed, when that is possible. */
  async close({ isOrderly }: { readonly isOrderly: boolean }): Promise<void> {
    if (this.#database !== null) closeSync(this.#database);
    this.#database = null;
    if (this.#sums !== null || !isOrderly || existsSync(join(this.#directory, WAL_FILE))) return;
    try {
      await this.#write();
    } catch {
      // A full disk, for example: the database is whole without it.
    }
  }

  async #write(): Promise<void> {
    using database = openFile(join(this.#directory, DATABASE_FILE), 'r');
    const pages = Math.ceil(fstatSync(database.fd).size / PAGE_BYTES);
    const bytes = Buffer.alloc(MAGIC.length + SUM_BYTES * (pages + 1));
    let at = bytes.write(MAGIC, 'latin1');
    for await (const sum of sumsOf(database.fd)) at = bytes.writeUInt32LE(sum, at);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, at)), at);
    writeFileAtomic(join(this.#directory, SUMS_FILE), bytes);
  }
}

function isWhole(bytes: Buffer): boolean {
  const end = bytes.length - SUM_BYTES;
  if (end < MAGIC.length || end % SUM_BYTES !== 0) return false;
  return (
    bytes.toString('latin1', 0, MAGIC.length) === MAGIC && bytes.readUInt32LE(end) === crc32(bytes.subarray(0, end))
  );
}

/** The checksum of each page of an open file. Yields to the event loop after each MiB. */
async function* sumsOf(file: number): AsyncGenerator<number> {
  const bytes = Buffer.alloc(PAGES_PER_TURN * PAGE_BYTES);
  for (let start = 0; ; start += bytes.length) {
    const length = readSync(file, bytes, 0, bytes.length, start);
    for (let at = 0; at < length; at += PAGE_BYTES) yield crc32(bytes.subarray(at, Math.min(at + PAGE_BYTES, length)));
    if (length < bytes.length) return;
    await yieldToOthers();
  }
}

function changedPage(page: number): Fault {
  const what = `page ${page + 1} is not as it was when the database was closed`;
  return { file: DATABASE_FILE, offset: page * PAGE_BYTES, what };
}
