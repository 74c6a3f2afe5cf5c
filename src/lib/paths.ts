/** Questions about paths of the file system. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

/** Whether a path names a folder. False also for one that is too long, that links to itself or that may not be read. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether a path is the folder, or lies in it. Both are absolute and normalised; links are not resolved. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The nearest folder that contains `.git`, from an absolute path upwards; undefined when there is none. */
export function repositoryTop(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The real path, or the absolute one of a path that does not exist or may not be read. */
export function realOrAbsolute(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
