/**
 * Working directory of servers from the catalogue. It is empty, because a file in a workspace could be taken for their
 * package.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export function workingDirectory(home: string): string {
  const folder = join(home, 'mcp');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
