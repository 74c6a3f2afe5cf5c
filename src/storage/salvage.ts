/**
 * Salvage of a damaged store: copies all readable events to a new store and reports what is lost.
 *
 * - The damaged directory is only read; salvage works on a copy of its files beside the new store.
 * - A write-ahead log is cut at its damaged record, or before a segment without a readable header; the cut part is
 *   reported by its size.
 * - Events are read one by one and checked by their hash. The new log holds the events before the first lost one.
 *   Events after it cannot be appended to that log and are written as lines of an export.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BackendConfig, MAIN_FILES } from './backends.ts';
import type { Bytes, KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import type { LogVerification } from './event-log.ts';
import { exportLine } from './export.ts';
import { checkOutside, checkUnused, copyFolderDurably, makeDirectories, syncDirectory } from './files.ts';
import { lockToRead } from './lock.ts';
import { eventKey, HEAD_KEY } from './log/keys.ts';
import { decodeHead, isIntact } from './log/record.ts';
import { DISK_BACKENDS, type DiskBackend, isStoreName, MARKER_FILE, type Marker, readMarker } from './marker.ts';
import { inBatches } from './migrate.ts';
import { checkPresent, openStorage } from './open.ts';
import { type LogCut, openCut } from './salvage-cuts.ts';

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
  checkPresent(directory, marker, 'there is nothing to salvage');
  return marker;
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
