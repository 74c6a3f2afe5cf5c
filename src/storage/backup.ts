/**
 * Backup and restore of a whole data directory.
 *
 * - A backup is itself a data directory: marker and engine folder. Its marker is written last, so an unfinished backup
 *   is not recognised as one.
 * - A restore fills an empty directory and verifies every byte. Until then the marker's state is `restoring`, and the
 *   directory does not open.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BackendConfig, openBackend } from './backends.ts';
import { StorageError } from './errors.ts';
import type { LogHead } from './event-log.ts';
import { checkOutside, checkUnused, copyFolderDurably, liesIn, makeDirectories } from './files.ts';
import { lockDirectory, lockHolder } from './lock.ts';
import { openEventLog } from './log/event-log.ts';
import { FIRST_STORE, MARKER_FILE, type Marker, readMarker, writeMarker } from './marker.ts';
import { checkClean } from './migrate.ts';
import { checkPresent, type Storage } from './open.ts';

export interface BackupResult {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Copies an open store into `target` while writes continue. `target` must be absent or empty, and is so again after a
 * failure. It must lie outside the data directory, which removes unknown store folders when it opens. Rejects with
 * `STORAGE_TARGET` for an unsuitable target, and with the reason of the signal when it is aborted before the engine's
 * copy is complete.
 */
export async function backupStorage(
  { engine, backend, directory }: Storage,
  target: string,
  signal?: AbortSignal,
): Promise<BackupResult> {
  if (backend === 'memory' || directory === null) {
    throw new StorageError('STORAGE_TARGET', 'An ephemeral store has no files to back up; export it instead.');
  }
  checkOutside(target, directory);
  checkUnused(target);
  const isNew = !existsSync(target);
  makeFolder(target);
  try {
    const result = await engine.backup(join(target, FIRST_STORE));
    signal?.throwIfAborted();
    writeMarker(target, { format: 1, backend, store: FIRST_STORE, state: 'ready' });
    return { files: result.files + 1, bytes: result.bytes };
  } catch (error) {
    // An unfinished backup would block the next attempt.
    for (const name of [FIRST_STORE, MARKER_FILE]) rmSync(join(target, name), { recursive: true, force: true });
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

export interface RestoreOptions {
  /** A backup, or any data directory that no process has open. */
  readonly from: string;
  /** Absent or empty, or the target of a restore that was interrupted. */
  readonly directory: string;
  readonly config?: BackendConfig;
  /** Receives the bytes copied so far. */
  readonly progress?: (bytes: number) => void;
}

/** Fills `directory` from a backup, verifies it, and resolves with the head of the restored log. */
export async function restoreStorage(options: RestoreOptions): Promise<LogHead> {
  const { from, directory } = options;
  const source = checkSource(from);
  if (liesIn(directory, from)) {
    throw new StorageError('STORAGE_TARGET', `${directory} lies in the backup itself; name a folder outside it.`);
  }
  checkTarget(directory);
  makeFolder(directory);
  using _lock = lockDirectory(directory);
  // Until the lock was held, another process may have created a store.
  checkTarget(directory);
  const marker: Marker = { ...source, store: FIRST_STORE, state: 'restoring' };
  writeMarker(directory, marker);
  const store = join(directory, FIRST_STORE);
  rmSync(store, { recursive: true, force: true });
  let bytes = 0;
  for (const more of copyFolderDurably(join(from, source.store), store)) {
    bytes += more;
    options.progress?.(bytes);
  }
  const head = await verifyStore(store, marker, options.config ?? {});
  writeMarker(directory, { ...marker, state: 'ready' });
  return head;
}

function makeFolder(path: string): void {
  try {
    makeDirectories(path);
  } catch (error) {
    const what = `${path} cannot be made (${(error as Error).message}); name another folder.`;
    throw new StorageError('STORAGE_TARGET', what, { cause: error });
  }
}

async function verifyStore(store: string, { backend }: Marker, config: BackendConfig): Promise<LogHead> {
  const engine = await openBackend(backend, { directory: store, config });
  try {
    const log = openEventLog(engine);
    await checkClean(engine, log);
    return log.head();
  } finally {
    await engine.close();
  }
}

function checkSource(from: string): Marker {
  if (!existsSync(from)) throw new StorageError('STORAGE_TARGET', `There is no backup at ${from}.`);
  const marker = existsSync(join(from, MARKER_FILE)) ? readMarker(from) : null;
  if (marker?.state !== 'ready') throw new StorageError('STORAGE_FOREIGN', `${from} holds no finished backup.`);
  checkPresent(from, marker, 'restore another backup');
  const holder = lockHolder(from);
  if (holder === undefined) return marker;
  throw new StorageError('STORAGE_LOCKED', `${from} is in use by process ${holder.pid}; back it up first, or stop it.`);
}

function checkTarget(directory: string): void {
  const marker = readMarker(directory);
  if (marker === null || marker.state === 'restoring') return;
  const what = `${directory} already holds a Daybook store; restore into an empty directory.`;
  throw new StorageError('STORAGE_TARGET', what);
}
