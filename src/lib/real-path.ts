/** The real path, or the absolute one of a path that does not exist or may not be read. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';

export function realOrAbsolute(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
