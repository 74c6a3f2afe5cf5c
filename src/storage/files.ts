/** Small durable file work outside the engines: marker and lock files, folders. */
import {
  chmodSync,
  closeSync,
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
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { StorageError } from './errors.ts';

/** Replaces the file by `text`: after a crash it holds all of the old text or all of the new. */
export function writeFileAtomic(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/**
 * Makes a folder and its parents, 0700; one that is there already is left as it is. Node's own recursive form never
 * returns where a parent exists but takes no folders (/proc).
 */
export function makeDirectories(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, 'EEXIST') && statSync(directory).isDirectory()) return;
    const parent = dirname(directory);
    if (!hasCode(error, 'ENOENT') || existsSync(parent)) throw error;
    makeDirectories(parent);
    mkdirSync(directory, { mode: 0o700 });
  }
}

/** What somebody named to be written into must be absent or an empty folder. */
export function checkUnused(target: string): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) {
    throw new StorageError('STORAGE_TARGET', `${target} is no folder; name a new one.`);
  }
  if (readdirSync(target).length === 0) return;
  throw new StorageError('STORAGE_TARGET', `The folder ${target} is not empty; name a new one.`);
}

/** Whether a path lies in a folder, after links; it need not be there. */
export function liesIn(path: string, folder: string): boolean {
  const way = relative(realOf(resolve(folder)), realOf(resolve(path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path as far as there is one. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

/** A durable copy of a folder's files; `to` must be absent. Yields the bytes of each file once it is copied. */
export function* copyFolder(from: string, to: string): Generator<number> {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      yield* copyFolder(source, target);
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
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes names created, renamed and removed in `directory` durable. */
export function syncDirectory(directory: string): void {
  syncFile(directory);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
