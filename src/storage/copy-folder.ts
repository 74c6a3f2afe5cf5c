/**
 * The folder of a home that holds a copy of a log in a database: a data directory, beside which a file names the log. A
 * home with such a folder has its log in the database, not in its own data directory.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from './files.ts';

const SOURCE_FILE = 'source.json';

/** The folder of a home that holds its copy of a log in a database. */
export function copyFolder(home: string): string {
  return join(home, 'copy');
}

/** The data directory in a folder of a copy. */
export function copyDirectory(folder: string): string {
  return join(folder, 'data');
}

/** The data directory of a home: the copy when the log is in a database, else the home's own. */
export function logDirectory(home: string): string {
  const folder = copyFolder(home);
  return readSource(folder) === null ? join(home, 'data') : copyDirectory(folder);
}

/** Whether a data directory holds a copy of a log in a database. */
export function isCopy(directory: string): boolean {
  return existsSync(join(dirname(directory), SOURCE_FILE));
}

/** The id of the log that a folder holds a copy of; null when it holds none. */
export function readSource(folder: string): string | null {
  try {
    const { log_id } = JSON.parse(readFileSync(join(folder, SOURCE_FILE), 'utf8')) as { log_id?: unknown };
    return typeof log_id === 'string' ? log_id : null;
  } catch {
    return null;
  }
}

/** Records the id of the log that the folder, which must exist, holds a copy of. */
export function writeSource(folder: string, logId: string): void {
  writeFileAtomic(join(folder, SOURCE_FILE), `${JSON.stringify({ log_id: logId })}\n`);
}
