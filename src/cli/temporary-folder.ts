/** Folders for copies of the log and of the views, in the folder for temporary files. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/**
 * A new folder that only its owner may use. It is removed on disposal, and when the process ends, also by Ctrl-C or
 * SIGTERM, which end it at the next turn of the event loop.
 */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = join(tmpdir(), `daybook-${name}-${randomUUID()}`);
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = (signal: 'SIGINT' | 'SIGTERM'): never => process.exit(128 + constants.signals[signal]);
  // Before the folder is made, so that there is no moment at which a signal leaves it behind.
  process.on('exit', remove).on('SIGINT', end).on('SIGTERM', end);
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove).off('SIGINT', end).off('SIGTERM', end);
      remove();
    },
  };
}
