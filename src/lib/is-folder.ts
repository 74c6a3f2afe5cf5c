/** Whether a path names a folder. */
import { statSync } from 'node:fs';

/** False also for a path that is too long, that links to itself or that may not be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
