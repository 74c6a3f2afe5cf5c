/** Is there a folder at a path that a caller gave? */
import { statSync } from 'node:fs';

/** A path that is too long, runs in circles or may not be looked at is none, as one where nothing is. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
