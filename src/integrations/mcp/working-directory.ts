/** Where servers of the catalogue are started: a file of a workspace, or of the home, could stand in for them there. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export function workingDirectory(home: string): string {
  const folder = join(home, 'mcp');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
