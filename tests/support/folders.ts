/**
 * Temporary folders, which are removed after the tests of the file that made them, or at the end of a program that is no
 * test.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, newMemoryFolder } from '../../src/testing/folders.ts';

const made: string[] = [];

if (process.env.VITEST === undefined) process.once('exit', removeTemporaryFolders);

/** The real path of a new folder, because on some systems the temporary folder is a link. */
export function temporaryFolder(name: string): string {
  return kept(newFolder(name));
}

/**
 * A temporary folder in a file system in memory, where the machine has one with a gibibyte free. For tests that sync
 * thousands of files and do not depend on a disk.
 */
export function memoryFolder(name: string): string {
  return kept(newMemoryFolder(name));
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

function kept(path: string): string {
  made.push(path);
  return path;
}

/** Removes a folder at once, for tests that make many large ones. */
export function removeFolder(path: string): void {
  // A process that was just killed may still be writing.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes all folders that `temporaryFolder` made in this process so far. */
export function removeTemporaryFolders(): void {
  for (const path of made.splice(0)) removeFolder(path);
}
