/**
 * Salvage of a damaged store: copies all readable events to a new store and reports what is lost.
 *
 * - The damaged directory is only read; salvage works on a copy of its files beside the new store.
 * - A write-ahead log is cut at its damaged record; the cut part is reported by its size.
 * - Events are read one by one and checked by their hash. The new log holds the events before the first lost one.
 *   Events after it cannot be appended to that log and are written as lines of an export.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type BackendConfig, openBackend } from './backends.ts';
import type { KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import type { LogVerification } from './event-log.ts';
import { exportLine } from './export.ts';
import { checkUnused, copyFolderDurably, makeDirectories } from './files.ts';
import { lockDirectory } from './lock.ts';
import { eventKey, HEAD_KEY } from './log/keys.ts';
import { decodeHead, isIntact } from './log/record.ts';
import { type DiskBackend, type Marker, readMarker } from './marker.ts';
import { openStorage, type Storage } from './open.ts';
import { cutLog, type LogCut } from './salvage-cut.ts';

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
  /** Faults that `verify` finds in the new store. */
  readonly errors: LogVerification['errors'];
}

export const BEHIND_FILE = 'behind-the-gap.jsonl';
const CUTS_MAX = 64;
const BATCH_BYTES_MAX = 4_194_304;
/** Without a readable head, the log ends before this many consecutive positions without an event. */
const GAP_MAX = 4_096;

/** Rejects with `STORAGE_FOREIGN`, `STORAGE_TARGET`, `STORAGE_LOCKED`, or when even the copy does not open. */
export async function salvageStorage(options: SalvageOptions): Promise<Salvage> {
  const { directory, target } = options;
  // Refuses a foreign directory before the lock file is written into it. Until the lock is held, the marker may change.
  markerOf(directory);
  checkUnused(target);
  const lock = lockDirectory(directory);
  const scratch = `${target}.salvaging`;
  try {
    const marker = markerOf(directory);
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
    rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    lock.release();
  }
}

function markerOf(directory: string): Marker {
  const marker = readMarker(directory);
  if (marker === null) throw new StorageError('STORAGE_FOREIGN', `${directory} holds no Daybook store.`);
  return marker;
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

async function copyEvents(engine: KeyValueEngine, backend: DiskBackend, options: SalvageOptions) {
  const { target, config = {}, progress } = options;
  const storage = await openStorage({ directory: target, backend, config });
  const behind = lineFile(join(target, BEHIND_FILE));
  const lost: { from: number; to: number }[] = [];
  try {
    const total = lengthOf(engine);
    const batch = batched(storage);
    for (let position = 1; position <= total; position += 1) {
      const record = recordAt(engine, position);
      if (record === null && lost.at(-1)?.to === position - 1) lost.at(-1)!.to = position;
      else if (record === null) lost.push({ from: position, to: position });
      else if (lost.length > 0) behind.write(exportLine(record));
      else await batch.add(record);
      progress?.(position, total);
    }
    await batch.flush();
    const { position: events, treeHash } = storage.log.head();
    const errors = [...(await storage.engine.verify()), ...(await storage.log.verify()).errors];
    return { events, treeHash, lost, behind: behind.lines(), errors };
  } finally {
    behind.close();
    await storage.close();
  }
}

/** The position of the last event: from the head, or by searching for events. */
function lengthOf(engine: KeyValueEngine): number {
  try {
    const head = engine.get(HEAD_KEY);
    if (head !== undefined) return decodeHead(head).frontier.size;
  } catch {
    // The head is damaged, too.
  }
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

function batched({ log }: Storage) {
  let records: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (records.length > 0) await log.copy(records);
    records = [];
    bytes = 0;
  };
  return {
    flush,
    async add(record: Uint8Array): Promise<void> {
      records.push(record);
      bytes += record.length;
      if (bytes >= BATCH_BYTES_MAX) await flush();
    },
  };
}

/** A file that is created with its first line. */
function lineFile(path: string) {
  let file: number | null = null;
  let count = 0;
  return {
    lines: () => count,
    write(line: Uint8Array): void {
      file ??= openSync(path, 'wx', 0o600);
      writeSync(file, line);
      count += 1;
    },
    close(): void {
      if (file === null) return;
      fsyncSync(file);
      closeSync(file);
      file = null;
    },
  };
}
