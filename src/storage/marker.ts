/**
 * `daybook.json`, the marker of a data directory: which engine wrote it and in which folder its files lie.
 *
 * - Written atomically. The folder it names is the only one that counts: a migration builds a second one beside it and
 *   then replaces the marker.
 * - `state` is `new` until the engine's folder was made once; from then on a missing folder is damage, not a fresh
 *   start. It is `restoring` while a restore fills the folder: such a directory does not open until the restore is run
 *   again.
 * - Folders of the same pattern that the marker does not name are leftovers of a migration that was cut short.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backend } from './engine.ts';
import { StorageError } from './errors.ts';
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
  /** Folder of the engine's files inside the data directory. */
  readonly store: string;
  readonly state: MarkerState;
}

/**
 * Which engine wrote `directory`; null when it is absent or empty. A directory that is not ours is `STORAGE_FOREIGN`.
 */
export function detectBackend(directory: string): DiskBackend | null {
  return readMarker(directory)?.backend ?? null;
}

export function readMarker(directory: string): Marker | null {
  const text = markerText(directory);
  return text === null ? null : parseMarker(text);
}

/** Null where there is none, and nothing that is not ours either. */
function markerText(directory: string): string | null {
  const path = join(directory, MARKER_FILE);
  try {
    if (existsSync(path)) return readFileSync(path, 'utf8');
    checkEmpty(directory);
    return null;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const what = `${directory} cannot be read (${(error as Error).message}): name a folder that this user may use.`;
    throw new StorageError('STORAGE_IO', what, { file: MARKER_FILE, cause: error });
  }
}

export function writeMarker(directory: string, marker: Marker): void {
  writeFileAtomic(join(directory, MARKER_FILE), `${JSON.stringify(marker)}\n`);
}

/** The folder a migration away from `store` fills. */
export function nextStore(store: string): string {
  return `store-${Number(store.slice('store-'.length)) + 1}`;
}

/** Engine folders in `directory` that its marker does not name. */
export function strayStores(directory: string, marker: Marker): string[] {
  return readdirSync(directory).filter((name) => STORE_NAME.test(name) && name !== marker.store);
}

const STORE_NAME = /^store-\d{1,9}$/;

/** Files that may lie in a directory before its marker does: those of the lock, and a marker cut short by a crash. */
const BEFORE_MARKER: readonly string[] = [
  LOCK_FILE,
  `${LOCK_FILE}.new`,
  LOCK_GUARD_FILE,
  `${LOCK_GUARD_FILE}-journal`,
  `${MARKER_FILE}.new`,
];

function checkEmpty(directory: string): void {
  if (!existsSync(directory)) return;
  const names = readdirSync(directory);
  const store = names.find((name) => STORE_NAME.test(name));
  if (store !== undefined) {
    const what = `${directory} holds ${store} but no ${MARKER_FILE}: it was lost, or a backup was not finished.`;
    throw new StorageError('STORAGE_CORRUPT', `${what} Use another one.`, { file: MARKER_FILE, offset: 0 });
  }
  const strange = names.find((name) => !BEFORE_MARKER.includes(name));
  if (strange === undefined) return;
  const what = `${directory} is not a Daybook data directory: it holds ${strange} and no ${MARKER_FILE}. Name an empty one.`;
  throw new StorageError('STORAGE_FOREIGN', what, { file: strange });
}

function parseMarker(text: string): Marker {
  const value = parseJson(text);
  if (typeof value.format === 'number' && value.format !== 1) {
    const what = `${MARKER_FILE} has format ${value.format}; this program reads format 1.`;
    throw new StorageError('STORAGE_FOREIGN', `${what} Use the program that wrote it.`, {
      file: MARKER_FILE,
      offset: 0,
    });
  }
  const { backend, store, state } = value;
  const isMarker =
    value.format === 1 &&
    DISK_BACKENDS.some((known) => known === backend) &&
    typeof store === 'string' &&
    STORE_NAME.test(store) &&
    MARKER_STATES.some((known) => known === state);
  if (!isMarker) throw damaged(`it says ${text.trim().slice(0, 200)}`);
  return { format: 1, backend: backend as DiskBackend, store, state: state as MarkerState };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Falls through: what is no JSON is no marker.
  }
  throw damaged('it holds no JSON object.');
}

/** It is read and checked as a whole, so a fault in it lies at its beginning. */
function damaged(what: string): StorageError {
  return new StorageError('STORAGE_CORRUPT', `${MARKER_FILE} is damaged: ${what}`, { file: MARKER_FILE, offset: 0 });
}
