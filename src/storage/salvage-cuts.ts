/**
 * Opens the copy of a damaged store for salvage: the write-ahead log is cut where it is damaged, and a database that
 * was cut short gets its length back, until the engine opens.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type BackendConfig, MAIN_FILES, openBackend } from './backends.ts';
import type { KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import { openFile } from './files.ts';
import type { DiskBackend } from './marker.ts';
import { decodeHeader, encodeHeader, SEGMENT_HEADER_BYTES } from './wal-format.ts';
import { segmentName, segmentNumber } from './wal-segments.ts';

/** What salvage took from a file. */
export interface LogCut {
  readonly file: string;
  readonly offset: number;
  /** Bytes from the offset to the end of the file. */
  readonly bytes: number;
}

const SQLITE_WAL = 'data.sqlite-wal';
/** Records how much of the log was durable; must be removed, or a shorter log counts as damaged. */
const SQLITE_DURABLE = 'data.sqlite-durable';
const SQLITE_PAGE_BYTES = 4_096;
/** Offset of the number of pages in the header of the database. */
const SQLITE_PAGES_AT = 28;
const CUTS_MAX = 64;
const EMPTY_LOG_BYTES = 65_536;

/** Opens the copy; cuts its log after each damage that a cut can repair. */
export async function openCut(
  store: string,
  backend: DiskBackend,
  config: BackendConfig,
): Promise<{ readonly engine: KeyValueEngine; readonly cuts: readonly LogCut[] }> {
  const cuts: LogCut[] = [];
  for (;;) {
    try {
      return { engine: await openBackend(backend, { directory: store, config }), cuts };
    } catch (error) {
      const added = cuts.length < CUTS_MAX && error instanceof StorageError ? cutLog(store, error) : [];
      if (added.length === 0) throw error;
      cuts.push(...added);
    }
  }
}

/** Cuts the log and returns what was cut; nothing when the fault is not in a log or a cut cannot repair it. */
function cutLog(store: string, { code, file, offset }: StorageError): readonly LogCut[] {
  if (code !== 'STORAGE_CORRUPT' || file === undefined || offset === undefined) return [];
  if (file === SQLITE_WAL) return [cutSqlite(store, offset)];
  if (file === MAIN_FILES.embedded_kv) return fillSqlite(store, offset);
  const number = segmentNumber(file);
  if (number === null) return [];
  return offset < SEGMENT_HEADER_BYTES
    ? cutBefore(store, { file, number })
    : cutSegments(store, { file, number, offset });
}

function cutSqlite(store: string, offset: number): LogCut {
  const path = join(store, SQLITE_WAL);
  const isThere = existsSync(path);
  const size = isThere ? statSync(path).size : offset;
  if (isThere) truncateSync(path, offset);
  rmSync(join(store, SQLITE_DURABLE), { force: true });
  return { file: SQLITE_WAL, offset, bytes: size - offset };
}

/** Replaces the missing end of the database by zeros, which SQLite reads as damaged pages. */
function fillSqlite(store: string, offset: number): readonly LogCut[] {
  using handle = openFile(join(store, MAIN_FILES.embedded_kv), 'r+');
  const { size } = fstatSync(handle.fd);
  if (offset !== size || size < SQLITE_PAGE_BYTES) return [];
  const pages = Buffer.alloc(4);
  readSync(handle.fd, pages, { position: SQLITE_PAGES_AT });
  const whole = pages.readUInt32BE() * SQLITE_PAGE_BYTES;
  ftruncateSync(handle.fd, whole);
  return [{ file: MAIN_FILES.embedded_kv, offset, bytes: whole - offset }];
}

interface SegmentFault {
  readonly file: string;
  readonly number: number;
  readonly offset: number;
}

/** Replaces the rest of the segment by zeros, as if nothing was written there, and removes the segments after it. */
function cutSegments(store: string, { file, number, offset }: SegmentFault): readonly LogCut[] {
  using handle = openFile(join(store, file), 'r+');
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  readSync(handle.fd, header);
  const decoded = decodeHeader(header, file);
  if (typeof decoded === 'string' || offset >= decoded.capacity) return [];
  ftruncateSync(handle.fd, offset);
  ftruncateSync(handle.fd, decoded.capacity);
  fsyncSync(handle.fd);
  return [{ file, offset, bytes: decoded.capacity - offset }, ...removeSegments(store, number + 1)];
}

/** Ends the log before a segment that is missing or has no valid header. */
function cutBefore(store: string, { file, number }: Omit<SegmentFault, 'offset'>): readonly LogCut[] {
  const removed = removeSegments(store, number);
  if (!readdirSync(store).some((name) => segmentNumber(name) !== null)) writeEmptyLog(store);
  return removed.some((cut) => cut.file === file) ? removed : [{ file, offset: 0, bytes: 0 }, ...removed];
}

function removeSegments(store: string, from: number): readonly LogCut[] {
  const names = readdirSync(store).filter((name) => (segmentNumber(name) ?? 0) >= from);
  return names.map((name) => {
    const { size: bytes } = statSync(join(store, name));
    rmSync(join(store, name));
    return { file: name, offset: 0, bytes };
  });
}

/** The log of a store whose own files have everything. */
function writeEmptyLog(store: string): void {
  const header = encodeHeader({ salt: randomBytes(4).readUInt32LE(), number: 1, capacity: EMPTY_LOG_BYTES });
  const path = join(store, segmentName(1));
  writeFileSync(path, header);
  truncateSync(path, EMPTY_LOG_BYTES);
}
