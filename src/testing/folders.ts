/** Temporary folders, and the folder that a killed process leaves. */
import { accessSync, constants, cpSync, mkdtempSync, realpathSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 1_073_741_824;

/** The real path of a new folder: in memory where a gibibyte is free there, else where the system keeps its own. */
export function newMemoryFolder(name: string): string {
  return newFolderIn(hasMemory() ? MEMORY : tmpdir(), name);
}

/** The real path of a new folder where the system keeps its own. */
export function newFolder(name: string): string {
  return newFolderIn(tmpdir(), name);
}

/** On some systems the temporary folder is behind a link. */
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

/**
 * Copies a folder as it is now, in one step that nothing in this process interrupts. The returned function puts the
 * copy in the place of the folder: what was changed meanwhile is gone, and so are the files that are left out.
 */
export function crashImage(folder: string, leftOut: readonly string[]): () => void {
  const image = `${folder}.crash`;
  cpSync(folder, image, { recursive: true, preserveTimestamps: true });
  for (const file of leftOut) rmSync(join(image, file), { force: true });
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    renameSync(image, folder);
  };
}
