/**
 * Opens and closes a data directory: lock, marker, engine, event log.
 *
 * - A directory keeps the engine that created it until it is migrated. Opening it with another engine fails with the
 *   command that migrates it.
 * - Nothing is written into a directory that is not a Daybook data directory.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BackendConfig, MAIN_FILES, openBackend } from './backends.ts';
import type { Disk } from './disk.ts';
import { DiskReserve } from './disk-reserve.ts';
import type { Backend, KeyValueEngine } from './engine.ts';
import { StorageError } from './errors.ts';
import { makeDirectories, syncDirectory } from './files.ts';
import { type DirectoryLock, lockDirectory } from './lock.ts';
import { type EventLogOptions, openEventLog, type StoredEventLog } from './log/event-log.ts';
import {
  type Content,
  type DiskBackend,
  FIRST_STORE,
  MARKER_FILE,
  type Marker,
  readMarker,
  strayStores,
  writeMarker,
} from './marker.ts';
import { openMemoryEngine } from './memory-engine.ts';
import { openFilesIn } from './node-disk.ts';
import { foundAt, OpenPlace } from './open-place.ts';
import type { Family } from './ops/meters.ts';

/** The engine of a new directory. */
export const DEFAULT_BACKEND: DiskBackend = 'cow';

export interface OpenStorageOptions extends Omit<EventLogOptions, 'refusal'> {
  /** The data directory, created when absent. Ignored when ephemeral. */
  readonly directory: string;
  /** Must be the engine of the directory if it has one. Default: that engine, or `DEFAULT_BACKEND`. */
  readonly backend?: DiskBackend | undefined;
  readonly config?: BackendConfig;
  /** Bytes of the disk to set aside (`disk-reserve.ts`), 0 for none. When left out, the reserve stays as it is. */
  readonly reserveBytes?: number;
  /** true: keeps everything in memory only. */
  readonly ephemeral?: boolean;
  /** The disk that `cow` and `lsm` write through. Default: the file system of the machine. */
  readonly disk?: Disk | undefined;
}

/** A database that holds the log, while the directory holds a copy. */
export interface LogDatabase {
  /** Why it takes no appends; null while it does. */
  readonly problem: string | null;
  /** Copies the events that the copy lacks; false when there were none. Rejects as an append does. */
  refresh(): Promise<boolean>;
  families(): readonly Family[];
}

/** An open data directory. */
export interface Storage extends AsyncDisposable {
  readonly log: StoredEventLog;
  readonly engine: KeyValueEngine;
  readonly backend: Backend;
  /** null for an ephemeral store. */
  readonly directory: string | null;
  /** null for an ephemeral store, and where `reserveBytes` was left out. */
  readonly reserve: DiskReserve | null;
  /** Whether the directory is still the one that is open; null for an ephemeral store. */
  readonly place: OpenPlace | null;
  /** The database that the log is in; absent for a log in its directory. */
  readonly database?: LogDatabase;
  /** Makes everything durable and releases the directory, as the end of an `await using` block does; idempotent. */
  close(): Promise<void>;
}

/**
 * Opens or creates a data directory. Rejects with `STORAGE_LOCKED`, `STORAGE_FOREIGN`, `STORAGE_BACKEND_MISMATCH`,
 * `STORAGE_CONFIG`, `STORAGE_CORRUPT` or an error of the disk.
 */
export async function openStorage(options: OpenStorageOptions): Promise<Storage> {
  if (options.ephemeral === true)
    return logOn(openMemoryEngine(), { ...options, directory: null, place: null, reserve: null, release: () => {} });
  const { directory } = options;
  checkEngine(options.backend);
  prepareDirectory(directory, 'log');
  const { reserveBytes } = options;
  const reserve = reserveBytes === undefined ? null : new DiskReserve({ directory, bytes: reserveBytes });
  const lock = lockDirectory(directory);
  try {
    reserve?.keep();
    const { engine, marker } = await openClaimed(directory, 'log', options);
    return await orClose(engine, () => {
      const place = placeOf(directory, marker);
      return logOn(engine, { ...options, place, reserve, release: () => lock.release() });
    });
  } catch (error) {
    await reserve?.close();
    lock.release();
    throw error;
  }
}

export interface OpenEntriesOptions extends Pick<OpenStorageOptions, 'directory' | 'backend' | 'config'> {
  /** false: a directory that holds nothing is refused. */
  readonly createIfMissing: boolean;
  /** true: a directory that holds entries is refused. */
  readonly errorIfExists: boolean;
}

/** The engine of a directory that holds entries instead of an event log. */
export interface OpenEntries {
  readonly engine: KeyValueEngine;
  /** Makes everything durable and releases the directory. */
  close(): Promise<void>;
}

/** Opens or creates a directory of entries. Rejects as `openStorage`, and with `STORAGE_TARGET` as the options say. */
export async function openEntries(options: OpenEntriesOptions): Promise<OpenEntries> {
  const { directory, createIfMissing, errorIfExists } = options;
  checkEngine(options.backend);
  if (!createIfMissing && !holdsEntries(directory)) {
    throw new StorageError('STORAGE_TARGET', `${directory} does not exist.`);
  }
  prepareDirectory(directory, 'entries');
  const lock = lockDirectory(directory);
  try {
    if (errorIfExists && holdsEntries(directory)) {
      throw new StorageError('STORAGE_TARGET', `${directory} exists already.`);
    }
    const { engine } = await openClaimed(directory, 'entries', options);
    const close = async (): Promise<void> => {
      try {
        await engine.close();
      } finally {
        lock.release();
      }
    };
    return { engine, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** False also for a directory whose first open was cut short. */
function holdsEntries(directory: string): boolean {
  return (readMarker(directory, 'entries')?.state ?? 'new') !== 'new';
}

/** Opens the engine of a directory, whose lock the caller holds; a new directory gets a marker. */
async function openClaimed(
  directory: string,
  content: Content,
  { backend, config = {}, disk }: Pick<OpenStorageOptions, 'backend' | 'config' | 'disk'>,
): Promise<{ readonly engine: KeyValueEngine; readonly marker: Marker }> {
  const marker = claim(directory, content, backend);
  return { engine: await openStore(directory, marker, config, disk), marker };
}

/**
 * Opens the engine of a directory with a marker, and removes folders that the marker does not name. The caller must
 * hold the directory's lock.
 */
export async function openStore(
  directory: string,
  marker: Marker,
  config: BackendConfig,
  disk?: Disk,
): Promise<KeyValueEngine> {
  const store = join(directory, marker.store);
  if (marker.state === 'new') {
    rmSync(store, { recursive: true, force: true });
    mkdirSync(store, { mode: 0o700 });
    syncDirectory(directory);
  } else checkPresent(directory, marker, 'restore it from a backup');
  // Only now: a damaged marker may name a folder that never existed, and the folder that it does not name is the store.
  for (const stray of strayStores(directory, marker)) rmSync(join(directory, stray), { recursive: true, force: true });
  const engine = await openBackend(marker.backend, { directory: store, config, disk });
  return orClose(engine, () => {
    if (marker.state === 'new') writeMarker(directory, { ...marker, state: 'ready' });
    return engine;
  });
}

/** What `work` returns. When it throws, the engine is closed, because the lock of its directory is about to be released. */
async function orClose<Result>(engine: KeyValueEngine, work: () => Result): Promise<Result> {
  try {
    return work();
  } catch (error) {
    await engine.close().catch(() => {});
    throw error;
  }
}

/**
 * Throws `STORAGE_CORRUPT` with an advice when the folder of the store is missing, or the file that every store of its
 * engine has: the engine would create a new, empty store in their place.
 */
export function checkPresent(directory: string, { backend, store }: Marker, advice: string): void {
  const lost = [store, join(store, MAIN_FILES[backend])].find((file) => !existsSync(join(directory, file)));
  if (lost === undefined) return;
  const what = `${directory} has lost ${lost}; ${advice}.`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: basename(lost), offset: 0 });
}

function logOn(
  engine: KeyValueEngine,
  options: EventLogOptions &
    Pick<Storage, 'directory' | 'place' | 'reserve'> & { readonly release: DirectoryLock['release'] },
): Storage {
  const { directory, place, reserve } = options;
  const log = openEventLog(engine, { ...options, refusal: () => place?.refusal ?? reserve?.refusal ?? null });
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    try {
      await log.close();
      await engine.close();
    } finally {
      place?.[Symbol.dispose]();
      await reserve?.close();
      options.release();
    }
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  const { backend } = engine;
  return { log, engine, backend, directory, place, reserve, close, [Symbol.asyncDispose]: close };
}

/** The files of `cow` and `lsm` that are open for writing are known to their disk; SQLite has one open as long as it runs. */
function placeOf(directory: string, { backend, store }: Marker): OpenPlace {
  const folder = join(directory, store);
  const lasting = [directory, join(directory, MARKER_FILE), folder];
  if (backend !== 'embedded_kv') return new OpenPlace({ directory, lasting, written: () => openFilesIn(directory) });
  const file = foundAt(join(folder, MAIN_FILES[backend]));
  return new OpenPlace({ directory, lasting, written: () => [file] });
}

/** Refuses the name of an engine that does not exist, before anything is written. */
function checkEngine(wanted: string | undefined): void {
  if (wanted === undefined || Object.hasOwn(MAIN_FILES, wanted)) return;
  const engines = Object.keys(MAIN_FILES).join(', ');
  throw new StorageError('STORAGE_CONFIG', `There is no engine ${wanted} for a folder; the engines are ${engines}.`);
}

/** Creates the directory, and refuses a foreign one before the lock file is written into it. */
function prepareDirectory(directory: string, content: Content): void {
  try {
    makeDirectories(directory);
    readMarker(directory, content);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError('STORAGE_IO', `${directory} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

/** The marker of the directory; writes one for a new directory. */
function claim(directory: string, content: Content, wanted: DiskBackend | undefined): Marker {
  const found = readMarker(directory, content);
  if (found === null || found.state === 'new') {
    const backend = wanted ?? found?.backend ?? DEFAULT_BACKEND;
    const log: Marker = { format: 1, backend, store: FIRST_STORE, state: 'new' };
    const marker: Marker = content === 'log' ? log : { ...log, content };
    writeMarker(directory, marker);
    return marker;
  }
  if (found.state === 'restoring') {
    const what = `${directory} holds a restore that was cut short; run the same restore again.`;
    throw new StorageError('STORAGE_CORRUPT', what, { file: MARKER_FILE });
  }
  if (wanted === undefined || wanted === found.backend) return found;
  const written = `${directory} was written by ${found.backend}, not ${wanted}.`;
  const migrate = `daybook storage migrate --to ${wanted} --data-dir ${directory}`;
  const what = content === 'log' ? `${written} To change it run: ${migrate}` : written;
  throw new StorageError('STORAGE_BACKEND_MISMATCH', what, { file: MARKER_FILE });
}
