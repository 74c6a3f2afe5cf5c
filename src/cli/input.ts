/** Files and folders that a person names on the command line, and standard input; a fault is one sentence. */
import { fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFolder } from '../lib/paths.ts';
import { CommandError, UsageError } from './errors.ts';

/** The error for a file that could not be read. */
export function unreadable(path: string, { code, message }: NodeJS.ErrnoException): CommandError {
  if (code === 'ENOENT') return new CommandError(`There is no file ${path}.`);
  if (code === 'EISDIR') return new CommandError(`${path} is a folder; a file is expected.`);
  if (code === 'EACCES') return new CommandError(`${path} cannot be read: its permissions do not allow it.`);
  return new CommandError(`${path} cannot be read: ${message}`);
}

/** The absolute path of a folder. Throws `UsageError` when there is none. */
export function existingFolder(path: string): string {
  const folder = resolve(path);
  if (!isFolder(folder)) throw new UsageError(`There is no folder ${folder}.`);
  return folder;
}

/** Standard input to read from. Throws `UsageError` for a folder, which Node reads as an empty file. */
export function standardInput(): NodeJS.ReadStream {
  if (fstatSync(0).isDirectory()) throw new UsageError('Standard input is a folder; a file is expected.');
  return process.stdin;
}

/** Whether the command can ask a person: on a terminal, unless its output is for a program. */
export function canAsk({ json }: { readonly json?: boolean }): boolean {
  return json !== true && process.stdin.isTTY && process.stdout.isTTY;
}

/** Text that is stored. Throws `CommandError` for bytes in another encoding, each of which would become a `�`. */
export function utf8Text(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${source} has bytes that are not UTF-8.`);
  }
}
