/**
 * Temporary folders. Those in memory are removed after the tests of the file that made them, and so are those on disk in a
 * long run; other runs remove those at their end, all at once (vitest.config.ts). A program that is no test removes its own at its end.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, newMemoryFolder } from '../../src/testing/folders.ts';
import { IS_LONG } from './depth.ts';

const removable: string[] = [];

const isTest = process.env.VITEST !== undefined;
if (!isTest) process.once('exit', removeTemporaryFolders);

/** The real path of a new folder, because on some systems the temporary folder is a link. */
export function temporaryFolder(name: string): string {
  const path = newFolder(name);
  return isTest && !IS_LONG ? path : removedLater(path);
}

/**
 * A temporary folder in a file system in memory, where the machine has one with a gibibyte free. For tests that sync
 * thousands of files and do not depend on a disk.
 */
export function memoryFolder(name: string): string {
  return removedLater(newMemoryFolder(name));
}

/**
 * The paths of all files below a folder whose bytes match. It also works while a program writes there: when a file is
 * renamed or removed between listing and reading, all files are read again.
 */
export function filesWhere(folder: string, passes: (bytes: Buffer, path: string) => boolean): readonly string[] {
  for (;;) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => passes(readFileSync(path), path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(folder)) throw error;
    }
  }
}

function removedLater(path: string): string {
  removable.push(path);
  return path;
}

/** Removes a folder at once, for tests that make many large ones. */
export function removeFolder(path: string): void {
  // A process that was just killed may still be writing.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what is to be removed of this process so far. */
export function removeTemporaryFolders(): void {
  for (const path of removable.splice(0)) removeFolder(path);
}
