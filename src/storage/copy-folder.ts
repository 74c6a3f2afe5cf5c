/**
 * The folder of a home that holds a copy of a log in a database: a data directory, beside which a file names the log. A
 * home with such a folder has its log in the database, not in its own data directory.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diskError } from './disk-error.ts';
import { StorageError } from './errors.ts';
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

/**
 * The id of the log that a folder holds a copy of; null when it holds none. Throws `STORAGE_CORRUPT` for a damaged
 * file: without it the home would seem to have its log in its own data directory.
 */
export function readSource(folder: string): string | null {
  const path = join(folder, SOURCE_FILE);
  let text: string;
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw diskError(error, `Cannot read ${path}`);
  }
  const logId = logIdIn(text);
  if (logId !== null) return logId;
  const what = `${path} is damaged, which names the database of the log. Remove ${folder}: the copy is made again.`;
  throw new StorageError('STORAGE_CORRUPT', what, { file: SOURCE_FILE, offset: 0 });
}

function logIdIn(text: string): string | null {
  try {
    const { log_id } = JSON.parse(text) as { log_id?: unknown };
    return typeof log_id === 'string' ? log_id : null;
  } catch {
    return null;
  }
}

/** Records the id of the log that the folder, which must exist, holds a copy of. */
export function writeSource(folder: string, logId: string): void {
  writeFileAtomic(join(folder, SOURCE_FILE), `${JSON.stringify({ log_id: logId })}\n`);
}
