/**
 * Temporary folders, each gone when the tests of the file that made it are over. A program that is no test (such as
 * `check-web`) loses them when it ends.
 */
import { rmSync } from 'node:fs';
import { newFolder, newMemoryFolder } from '../../src/testing/folders.ts';

const made: string[] = [];

if (process.env.VITEST === undefined) process.once('exit', removeTemporaryFolders);

/** The real path of a new folder: on some systems the temporary folder is behind a link. */
export function temporaryFolder(name: string): string {
  return kept(newFolder(name));
}

/**
 * The same in a file system in memory, where the machine has one with a gibibyte free: for tests that sync thousands of files
 * and ask nothing of a disk.
 */
export function memoryFolder(name: string): string {
  return kept(newMemoryFolder(name));
}

function kept(path: string): string {
  made.push(path);
  return path;
}

/** At once, for tests that make so many that the disk would notice. */
export function removeFolder(path: string): void {
  // A process that was just killed may still be writing.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes all folders that `temporaryFolder` made in this process so far. */
export function removeTemporaryFolders(): void {
  for (const path of made.splice(0)) removeFolder(path);
}
