/** Temporary folders, and the state of a folder at the moment of a kill. */
import { accessSync, constants, cpSync, mkdtempSync, realpathSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 1_073_741_824;

/** The real path of a new folder: in memory if a gibibyte is free there, else in the system's temporary folder. */
export function newMemoryFolder(name: string): string {
  return newFolderIn(hasMemory() ? MEMORY : tmpdir(), name);
}

/** The real path of a new folder in the system's temporary folder. */
export function newFolder(name: string): string {
  return newFolderIn(tmpdir(), name);
}

/** Resolves links: on some systems the temporary folder is one. */
function newFolderIn(parent: string, name: string): string {
  return realpathSync(mkdtempSync(join(parent, `daybook-${name}-`)));
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

/** A thread that renames files all the time was seen to spoil eight copies one after the other. */
const COPIES_MAX = 100;

/**
 * Copies a folder synchronously, so that this thread changes nothing in it meanwhile. Other threads may: when a file
 * vanishes, the folder is copied again. The returned function replaces the folder with the copy: later changes are
 * lost, and so are the files in `leftOut`.
 */
export function crashImage(folder: string, leftOut: readonly string[]): () => void {
  const image = `${folder}.crash`;
  copyAll(folder, image);
  for (const file of leftOut) rmSync(join(image, file), { force: true });
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    renameSync(image, folder);
  };
}

function copyAll(folder: string, copy: string): void {
  for (let copies = 1; ; copies += 1) {
    try {
      cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
      return;
    } catch (error) {
      rmSync(copy, { recursive: true, force: true });
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || copies === COPIES_MAX) throw error;
    }
  }
}
