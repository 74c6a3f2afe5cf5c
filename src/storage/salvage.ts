/**
 * Salvage of a damaged store: copies all readable events to a new store and reports what is lost.
 *
 * - The damaged directory is only read; salvage works on a copy of its files beside the new store.
 * - A write-ahead log is cut at its damaged record, or before a segment without a readable header; the cut part is
 *   reported by its size.
 * - Events are read one by one and checked by their hash. The new log holds the events before the first lost one.
 *   Events after it cannot be appended to that log and are written as lines of an export.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BackendConfig, MAIN_FILES, openBackend } from './backends.ts';
import type { Bytes, KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import type { LogVerification } from './event-log.ts';
import { exportLine } from './export.ts';
import { checkOutside, checkUnused, copyFolderDurably, makeDirectories, openFile, syncDirectory } from './files.ts';
import { lockToRead } from './lock.ts';
import { eventKey, HEAD_KEY } from './log/keys.ts';
import { decodeHead, isIntact } from './log/record.ts';
import { DISK_BACKENDS, type DiskBackend, isStoreName, MARKER_FILE, type Marker, readMarker } from './marker.ts';
import { inBatches } from './migrate.ts';
import { lostFile, openStorage } from './open.ts';
import { decodeHeader, encodeHeader, SEGMENT_HEADER_BYTES } from './wal-format.ts';
import { segmentName, segmentNumber } from './wal-segments.ts';

export interface LogCut {
  readonly file: string;
  readonly offset: number;
  /** Bytes from the offset to the end of the file. */
  readonly bytes: number;
}

export interface SalvageOptions {
  readonly directory: string;
  /** Absent or empty; becomes a data directory with the same engine. */
  readonly target: string;
  readonly config?: BackendConfig;
  readonly progress?: (done: number, total: number) => void;
}

export interface Salvage {
  readonly backend: DiskBackend;
  /** Events of the new log, and its tree hash. */
  readonly events: number;
  readonly treeHash: string;
  /** Positions that could not be read. */
  readonly lost: readonly { readonly from: number; readonly to: number }[];
  /** Number of events after the first lost one, which are in `BEHIND_FILE` of the target. */
  readonly behind: number;
  readonly cuts: readonly LogCut[];
  /** Faults that `verify` finds in the new store, and that of a length that cannot be read. */
  readonly errors: LogVerification['errors'];
}

export const BEHIND_FILE = 'behind-the-gap.jsonl';
const SQLITE_WAL = 'data.sqlite-wal';
/** Records how much of the log was durable; must be removed, or a shorter log counts as damaged. */
const SQLITE_DURABLE = 'data.sqlite-durable';
const SQLITE_PAGE_BYTES = 4_096;
/** Offset of the number of pages in the header of the database. */
const SQLITE_PAGES_AT = 28;
const CUTS_MAX = 64;
const EMPTY_LOG_BYTES = 65_536;
/** Without a readable head, the log ends before this many consecutive positions without an event. */
const GAP_MAX = 4_096;

/**
 * Rejects with `STORAGE_FOREIGN`, `STORAGE_TARGET`, `STORAGE_LOCKED`, and with `STORAGE_CORRUPT` when even the copy does
 * not open. Then the target is as it was.
 */
export async function salvageStorage(options: SalvageOptions): Promise<Salvage> {
  const { directory, target } = options;
  // Refuses a foreign directory before the lock file is written into it. Until the lock is held, the marker may change.
  storeIn(directory);
  checkOutside(target, directory);
  checkUnused(target);
  const isNew = !existsSync(target);
  const lock = lockToRead(directory);
  const scratch = `${target}.salvaging`;
  try {
    const marker = storeIn(directory);
    rmSync(scratch, { recursive: true, force: true });
    makeDirectories(target);
    for (const _ of copyFolderDurably(join(directory, marker.store), scratch));
    const { engine, cuts } = await openCut(scratch, marker.backend, options.config ?? {});
    try {
      return { backend: marker.backend, cuts, ...(await copyEvents(engine, marker.backend, options)) };
    } finally {
      await engine.close().catch(() => {});
    }
  } catch (error) {
    for (const name of existsSync(target) ? readdirSync(target) : []) rmSync(join(target, name), { recursive: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    lock.release();
  }
}

type Store = Pick<Marker, 'backend' | 'store'>;

/** The store that the marker names or, when the marker is damaged or lost, the only one that the directory holds. */
function storeIn(directory: string): Store {
  try {
    return markerOf(directory);
  } catch (error) {
    const isOfMarker = error instanceof StorageError && error.code === 'STORAGE_CORRUPT' && error.file === MARKER_FILE;
    const [found, another] = isOfMarker ? storesIn(directory) : [];
    if (found === undefined || another !== undefined) throw error;
    return found;
  }
}

function storesIn(directory: string): readonly Store[] {
  return readdirSync(directory)
    .filter(isStoreName)
    .flatMap((store) => DISK_BACKENDS.map((backend) => ({ backend, store })))
    .filter(({ backend, store }) => existsSync(join(directory, store, MAIN_FILES[backend])));
}

function markerOf(directory: string): Marker {
  const marker = readMarker(directory);
  if (marker === null) throw new StorageError('STORAGE_FOREIGN', `${directory} holds no Daybook store.`);
  const lost = lostFile(directory, marker);
  if (lost === null) return marker;
  const what = `${directory} has lost ${lost}; there is nothing to salvage.`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: basename(lost), offset: 0 });
}

/** Opens the copy; cuts its log after each damage that a cut can repair. */
async function openCut(
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
  const path = join(store, MAIN_FILES.embedded_kv);
  const bytes = readFileSync(path);
  if (offset !== bytes.length || bytes.length < SQLITE_PAGE_BYTES) return [];
  const whole = bytes.readUInt32BE(SQLITE_PAGES_AT) * SQLITE_PAGE_BYTES;
  truncateSync(path, whole);
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

async function copyEvents(engine: KeyValueEngine, backend: DiskBackend, options: SalvageOptions) {
  const { target, config = {} } = options;
  await using storage = await openStorage({ directory: target, backend, config });
  using behind = lineFile(join(target, BEHIND_FILE));
  const lost: Gap[] = [];
  const known = lengthIn(engine);
  const total = known ?? lengthFound(engine);
  for await (const batch of inBatches(recordsBefore(engine, { total, lost, behind, ...options }))) {
    await storage.log.copy(batch.map(({ record }) => record));
  }
  const { position: events, treeHash } = storage.log.head();
  const isUnknown = known === null || (known === undefined && total > 0);
  const ends = isUnknown ? [unknownEnd(backend, total)] : [];
  const errors = [...ends, ...(await storage.engine.verify()), ...(await storage.log.verify()).errors];
  return { events, treeHash, lost, behind: behind.lines(), errors };
}

interface Gap {
  readonly from: number;
  to: number;
}

/** The fault of a store that does not say how many events it had. */
function unknownEnd(backend: DiskBackend, last: number): LogVerification['errors'][number] {
  const what = `the length of the log cannot be read: events after position ${last} are lost if there were any`;
  return { file: MAIN_FILES[backend], offset: null, what };
}

interface Findings extends Pick<SalvageOptions, 'progress'> {
  /** The position of the last event. */
  readonly total: number;
  /** Gets the positions that cannot be read. */
  readonly lost: Gap[];
  /** Gets the records after the first lost position. */
  readonly behind: LineFile;
}

/** The records before the first lost position; reads all positions. */
function* recordsBefore(
  engine: KeyValueEngine,
  { total, lost, behind, progress }: Findings,
): Generator<{ record: Bytes }> {
  for (let position = 1; position <= total; position += 1) {
    const record = recordAt(engine, position);
    if (record === null && lost.at(-1)?.to === position - 1) lost.at(-1)!.to = position;
    else if (record === null) lost.push({ from: position, to: position });
    else if (lost.length > 0) behind.write(exportLine(record));
    else yield { record };
    progress?.(position, total);
  }
}

/** The position of the last event by the head of the log; undefined without a head, null when it is damaged. */
function lengthIn(engine: KeyValueEngine): number | null | undefined {
  try {
    const head = engine.get(HEAD_KEY);
    return head && decodeHead(head).frontier.size;
  } catch {
    return null;
  }
}

/** The position of the last event that is found. */
function lengthFound(engine: KeyValueEngine): number {
  let last = 0;
  for (let position = 1; position <= last + GAP_MAX; position += 1) {
    if (recordAt(engine, position) !== null) last = position;
  }
  return last;
}

/** The record at a position; null when it is missing, unreadable or damaged. */
function recordAt(engine: KeyValueEngine, position: number): Uint8Array | null {
  try {
    const record = engine.get(eventKey(position));
    return record !== undefined && isIntact(record) ? record : null;
  } catch {
    return null;
  }
}

interface LineFile extends Disposable {
  lines(): number;
  write(line: Uint8Array): void;
}

/** A file that is created with its first line, and is durable after its end. */
function lineFile(path: string): LineFile {
  let file: number | null = null;
  let count = 0;
  return {
    lines: () => count,
    write(line) {
      file ??= openSync(path, 'wx', 0o600);
      writeFileSync(file, line);
      count += 1;
    },
    [Symbol.dispose]() {
      if (file === null) return;
      fsyncSync(file);
      closeSync(file);
      syncDirectory(dirname(path));
    },
  };
}
