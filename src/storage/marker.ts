/**
 * `daybook.json`, the marker of a data directory: names the engine and the folder with the engine's files.
 *
 * - The marker is replaced atomically. Only the folder that it names is the store: a migration builds a second folder
 *   and then replaces the marker.
 * - `state` is `new` until the engine has created its folder; from then on a missing folder is damage. It is
 *   `restoring` while a restore fills the folder; such a directory does not open until a restore completes.
 * - Folders with a store name that the marker does not name are leftovers of an interrupted migration.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from './engine.ts';
import { otherFormat, StorageError } from './errors.ts';
import { writeFileAtomic } from './files.ts';
import { LOCK_FILE, LOCK_GUARD_FILE } from './lock.ts';

export const MARKER_FILE = 'daybook.json';
export const FIRST_STORE = 'store-1';

export type DiskBackend = Exclude<Backend, 'memory'>;
export const DISK_BACKENDS: readonly DiskBackend[] = ['cow', 'lsm', 'embedded_kv'];

const MARKER_STATES = ['new', 'ready', 'restoring'] as const;
export type MarkerState = (typeof MARKER_STATES)[number];

export interface Marker {
  readonly format: 1;
  readonly backend: DiskBackend;
  /** Name of the folder with the engine's files, inside the data directory. */
  readonly store: string;
  readonly state: MarkerState;
  /** What the engine holds: an event log when left out, or the entries of a `daybook/level` database. */
  readonly content?: 'entries';
}

/** What a data directory holds. */
export type Content = 'log' | 'entries';

/** The engine that wrote `directory`; null when the directory is absent or empty. Throws as `readMarker`. */
export function detectBackend(directory: string): DiskBackend | null {
  return readMarker(directory)?.backend ?? null;
}

/**
 * The marker of `directory`; null when the directory is absent or empty. Throws `STORAGE_FOREIGN` for a directory with
 * other files or other content, and `STORAGE_CORRUPT` for a damaged or lost marker.
 */
export function readMarker(directory: string, wanted: Content = 'log'): Marker | null {
  const text = markerText(directory);
  const marker = text === null ? null : parseMarker(text);
  const content = marker?.content ?? 'log';
  if (marker === null || content === wanted) return marker;
  const [found, use] = content === 'log' ? ['an event log', 'the kernel'] : ['entries', 'daybook/level'];
  throw new StorageError('STORAGE_FOREIGN', `${directory} holds ${found}: open it with ${use}, or name another one.`, {
    file: MARKER_FILE,
  });
}

/** The text of the marker; null when the directory holds neither a marker nor unknown files. */
function markerText(directory: string): string | null {
  const path = join(directory, MARKER_FILE);
  try {
    if (isPresent(path)) return readFileSync(path, 'utf8');
    checkEmpty(directory);
    return null;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const what = `${directory} cannot be read (${(error as Error).message}): name a folder that this user may use.`;
    throw new StorageError('STORAGE_IO', what, { file: MARKER_FILE, cause: error });
  }
}

/** Replaces the marker durably. */
export function writeMarker(directory: string, marker: Marker): void {
  writeFileAtomic(join(directory, MARKER_FILE), `${JSON.stringify(marker)}\n`);
}

/** The name of the folder that a migration of `store` creates. */
export function nextStore(store: string): string {
  return `store-${Number(store.slice('store-'.length)) + 1}`;
}

/** Engine folders in `directory` that its marker does not name. A folder with a marker is a data directory itself. */
export function strayStores(directory: string, marker: Marker): string[] {
  return readdirSync(directory).filter(
    (name) => STORE_NAME.test(name) && name !== marker.store && !isPresent(join(directory, name, MARKER_FILE)),
  );
}

const STORE_NAME = /^store-\d{1,9}$/;

/** Whether a marker may name a folder so. */
export function isStoreName(name: string): boolean {
  return STORE_NAME.test(name);
}

/** Files that may exist in a directory before its marker: those of the lock, and an unfinished marker after a crash. */
const BEFORE_MARKER: readonly string[] = [
  LOCK_FILE,
  `${LOCK_FILE}.new`,
  LOCK_GUARD_FILE,
  `${LOCK_GUARD_FILE}-journal`,
  `${MARKER_FILE}.new`,
];

/** Throws when that cannot be known, as in a folder that this user may not read. */
function isPresent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function checkEmpty(directory: string): void {
  if (!isPresent(directory)) return;
  const names = readdirSync(directory);
  const store = names.find((name) => STORE_NAME.test(name));
  if (store !== undefined) {
    const what = `${directory} holds ${store} but no ${MARKER_FILE}: it was lost, or a backup was not finished.`;
    throw new StorageError('STORAGE_CORRUPT', `${what} Use another one.`, { file: MARKER_FILE, offset: 0 });
  }
  const foreign = names.find((name) => !BEFORE_MARKER.includes(name));
  if (foreign === undefined) return;
  const what = `${directory} is not a Daybook data directory: it holds ${foreign} and no ${MARKER_FILE}. Name an empty one.`;
  throw new StorageError('STORAGE_FOREIGN', what, { file: foreign });
}

function parseMarker(text: string): Marker {
  const value = parseJson(text);
  if (typeof value.format === 'number' && value.format !== 1) {
    throw otherFormat(MARKER_FILE, { offset: 0, version: value.format, known: 1 });
  }
  const { backend, store, state, content } = value;
  const isMarker =
    value.format === 1 &&
    DISK_BACKENDS.some((known) => known === backend) &&
    typeof store === 'string' &&
    STORE_NAME.test(store) &&
    MARKER_STATES.some((known) => known === state) &&
    (content === undefined || content === 'entries');
  if (!isMarker) throw damaged(`it says ${text.trim().slice(0, 200)}`);
  return {
    format: 1,
    backend: backend as DiskBackend,
    store,
    state: state as MarkerState,
    ...(content === 'entries' && { content }),
  };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through to the error.
  }
  throw damaged('it holds no JSON object.');
}

/** The marker is checked as a whole, so its faults have offset 0. */
function damaged(what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${MARKER_FILE} is damaged: ${what}`, { file: MARKER_FILE, offset: 0 });
}
