/** The targets of exports: standard output, or a new file, such as a PDF. */

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { syncFolder } from '../lib/atomic-file.ts';
import { CommandError, UsageError } from './errors.ts';
import { atEndOfProcess } from './interrupt.ts';
import { print, printJson, bytes as size } from './text.ts';

/** Saves the file and reports its size. Throws as `newFile`. */
export async function saveFile(
  path: string,
  content: Uint8Array,
  { json }: { readonly json?: boolean },
): Promise<void> {
  await writeNewFile(path, content);
  if (json === true) return printJson({ file: path, bytes: content.length });
  await print(`${path}: ${size(content.length)}\n`);
}

/** Throws as `newFile`. */
export async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  await using file = newFile(path);
  await file.write(content);
  await file.end();
}

/** For work that must not be done twice: throws `UsageError` before it when the file exists already. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw new UsageError(sentence(path, existing(path)));
}

/**
 * A new file to write to. Its methods throw `UsageError` when the file exists or cannot be created, and `CommandError`
 * when it cannot be written.
 */
export function newFile(path: string): ExportTarget {
  return createNewFile(path, (failure, isCreated) => {
    const what = sentence(path, failure);
    return isCreated && failure.code !== 'EEXIST' ? new CommandError(what) : new UsageError(what);
  });
}

function sentence(path: string, failure: NodeJS.ErrnoException): string {
  if (failure.code === 'EEXIST') return `${path} exists already and is not overwritten.`;
  if (failure.code === 'ENOENT') return `${path} cannot be written: its folder does not exist.`;
  return `${path} cannot be written: ${failure.message}`;
}

/** Disposal deletes a file that is not whole. */
export interface ExportTarget extends AsyncDisposable {
  write(data: string | Uint8Array): Promise<void>;
  /** Resolves when everything is written; a file is whole and on the disk then. */
  end(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

const standardOutput: ExportTarget = { write: print, end: nothing, [Symbol.asyncDispose]: nothing };

/** The target of `--out`: standard output without one and for `-`, else a new file. */
export function exportTarget(path: string | undefined): ExportTarget {
  return path === undefined || path === '-' ? standardOutput : newFile(path);
}

/**
 * Creates a file that only its owner can read. An existing file is never overwritten. The file has its name from `end`
 * on: what a killed process leaves, `<path>.<digits>.part`, would pass for a shorter export. `write` and `end` throw the
 * error that `errorOf` makes of a failure; `isCreated` is false when creating the file failed.
 */
function createNewFile(
  path: string,
  errorOf: (failure: NodeJS.ErrnoException, isCreated: boolean) => Error,
): ExportTarget {
  const part = `${path}.${randomUUID().slice(0, 8)}.part`;
  const removal = atEndOfProcess(() => rmSync(part, { force: true }));
  const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  let failure: Error | null = existsSync(path) ? existing(path) : null;
  let isCreated = false;
  file.once('open', () => {
    isCreated = true;
  });
  file.on('error', (error) => {
    failure ??= error;
  });
  const check = (): void => {
    if (failure !== null) throw errorOf(failure, isCreated);
  };
  return {
    async write(data) {
      check();
      if (!file.write(data)) await once(file, 'drain').catch(() => undefined);
    },
    async end() {
      file.end();
      await finished(file).catch(() => undefined);
      check();
      await giveName(part, path).catch((error: Error) => {
        throw errorOf(error, isCreated);
      });
    },
    async [Symbol.asyncDispose]() {
      if (!file.closed) await once(file.destroy(), 'close');
      if (isCreated) rmSync(part, { force: true });
      removal[Symbol.dispose]();
    },
  };
}

/** Durably gives a file its name, unless another file has it. */
async function giveName(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch {
    // The name is taken, or the file system has no second names for a file.
    if (existsSync(path)) throw existing(path);
    await rename(part, path);
  }
  await syncFolder(dirname(path));
}

function existing(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST' });
}
