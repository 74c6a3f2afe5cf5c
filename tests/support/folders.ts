/**
 * Temporary folders, each gone when the tests of the file that made it are over. A program that is no test (such as
 * `check-web`) loses them when it ends.
 */
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

if (process.env.VITEST === undefined) process.once('exit', removeTemporaryFolders);

/** The real path of a new folder: on some systems the temporary folder is behind a link. */
export function temporaryFolder(name: string): string {
  return newFolderIn(tmpdir(), name);
}

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 1_073_741_824;

/**
 * The same in a file system in memory, where the machine has one with a gibibyte free: for tests that sync thousands of files
 * and ask nothing of a disk.
 */
export function memoryFolder(name: string): string {
  return newFolderIn(hasMemory() ? MEMORY : tmpdir(), name);
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
}

function newFolderIn(parent: string, name: string): string {
  const path = realpathSync(mkdtempSync(join(parent, `daybook-${name}-`)));
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
