/**
 * Opens a store for a command that changes nothing, also one on a read-only file system: an archive, or a disk that the
 * system has mounted again after an error. Opening writes the lock and recovers the log, so a copy is opened there.
 */
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { diskError } from '../../storage/disk-error.ts';
import { isOnReadOnlyDisk } from '../../storage/files.ts';
import { LOCK_FILE, LOCK_GUARD_FILE, lockToRead } from '../../storage/lock.ts';
import { openStorage, type Storage } from '../../storage/open.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { requireStore, type StoreLocation } from './store-location.ts';

/** Opens an existing store, calls `work` and closes the store. */
export async function readStore<Result>(
  place: StoreLocation,
  work: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  requireStore(place.directory);
  await using storage = await openToRead(place);
  return await work(storage);
}

export function openToRead(place: StoreLocation): Promise<Storage> {
  const { directory, config } = place;
  return isOnReadOnlyDisk(directory) ? openCopy(place) : openStorage({ directory, config: config.engines });
}

/** The copy is removed when the store is closed, or the process ends. */
async function openCopy(place: StoreLocation): Promise<Storage> {
  const { directory, config } = place;
  lockToRead(directory);
  using opening = new DisposableStack();
  const { path } = opening.use(temporaryFolder('store'));
  process.stderr.write(`${directory} is on a read-only file system, so a copy in ${path} is read.\n`);
  const copy = join(path, basename(directory));
  copyStore(directory, copy);
  const storage = await openStorage({ directory: copy, config: config.engines });
  const opened = opening.move();
  const close = (): Promise<void> => storage.close().finally(() => opened.dispose());
  return { ...storage, close, [Symbol.asyncDispose]: close };
}

function copyStore(from: string, to: string): void {
  const locks = [LOCK_FILE, LOCK_GUARD_FILE];
  try {
    cpSync(from, to, { recursive: true, filter: (path) => !locks.includes(basename(path)) });
  } catch (error) {
    throw diskError(error, `Cannot copy ${from} (TMPDIR names another place for the copy)`);
  }
}
