/** Whether a path is the folder, or lies in it. */
import { sep } from 'node:path';

/** Both are absolute and normalised; links are not resolved. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
