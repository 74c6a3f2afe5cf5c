/** Durable file operations outside the engines: marker and lock files, folders. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StorageError } from './errors.ts';

/** Replaces the content of a file durably. After a crash the file holds either the old content or the new one. */
export function writeFileAtomic(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  {
    using file = openFile(temporary, 'wx', 0o600);
    writeFileSync(file.fd, content);
    fsyncSync(file.fd);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/**
 * Creates a folder and its parents durably with mode 0700; an existing folder is left unchanged. (Node's recursive form
 * does not return where a parent exists but accepts no folders, as in /proc.)
 */
export function makeDirectories(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    if (hasCode(error, 'EEXIST') && statSync(directory).isDirectory()) return;
    const parent = dirname(directory);
    if (!hasCode(error, 'ENOENT') || existsSync(parent)) throw error;
    makeDirectories(parent);
    makeDirectory(directory);
  }
}

function makeDirectory(directory: string): void {
  mkdirSync(directory, { mode: 0o700 });
  try {
    syncDirectory(dirname(directory));
  } catch (error) {
    // A folder that this user may write to and not read cannot be synced.
    if (!hasCode(error, 'EACCES')) throw error;
  }
}

/** Throws `STORAGE_TARGET` unless `target` is absent or an empty folder. */
export function checkUnused(target: string): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) {
    throw new StorageError('STORAGE_TARGET', `${target} is no folder; name a new one.`);
  }
  if (readdirSync(target).length === 0) return;
  throw new StorageError('STORAGE_TARGET', `The folder ${target} is not empty; name a new one.`);
}

/** Throws `STORAGE_TARGET` for a target inside a data directory, which removes unknown store folders when it opens. */
export function checkOutside(target: string, directory: string): void {
  if (!liesIn(target, directory)) return;
  const what = `${target} lies in the data directory itself; name a folder outside it.`;
  throw new StorageError('STORAGE_TARGET', what);
}

/** Whether the file system of a folder is mounted for reading only. False for a folder that this user may not write. */
export function isOnReadOnlyDisk(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return hasCode(error, 'EROFS');
  }
}

/** Whether a path is a folder or lies inside it, with symbolic links resolved. The path need not exist. */
export function liesIn(path: string, folder: string): boolean {
  const inside = relative(realOf(resolve(folder)), realOf(resolve(path)));
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** The path with the symbolic links of its existing part resolved. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

/** Copies a folder durably; `to` must be absent. Yields the size of each file after it is copied. */
export function* copyFolderDurably(from: string, to: string): Generator<number> {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      yield* copyFolderDurably(source, target);
    } else {
      copyFileSync(source, target);
      chmodSync(target, 0o600);
      syncFile(target);
      yield statSync(target).size;
    }
  }
  syncDirectory(to);
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  using file = openFile(path, 'r');
  fsyncSync(file.fd);
}

/** A file that is open until the end of the block: `using file = openFile(path, 'r')`. */
export function openFile(path: string, flags: string, mode?: number): Disposable & { readonly fd: number } {
  const fd = openSync(path, flags, mode);
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * Makes created, renamed and removed names in `directory` durable. Windows cannot open a folder and makes names durable
 * without this.
 */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  syncFile(directory);
}

/** Whether an error has the given `code`, as in `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
