/** The target of an export: standard output or a new file. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { print } from './text.ts';

export interface ExportTarget {
  write(data: string | Uint8Array): Promise<void>;
  /** Resolves when everything is written; a file is on the disk then. */
  end(): Promise<void>;
}

export const standardOutput: ExportTarget = { write: print, end: () => Promise.resolve() };

/**
 * Creates a file that only its owner can read. An existing file is never overwritten. `write` and `end` throw the error
 * that `errorOf` makes of a failure; `isCreated` is false when creating the file failed.
 */
export function createNewFile(path: string, errorOf: (failure: Error, isCreated: boolean) => Error): ExportTarget {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  let failure: Error | null = null;
  let isCreated = false;
  file.once('open', () => {
    isCreated = true;
  });
  file.on('error', (error) => {
    failure = error;
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
    },
  };
}
