/** Folders for copies of the log and of the views, in the folder for temporary files. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from './errors.ts';
import { atEndOfProcess } from './interrupt.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/**
 * A new folder that only its owner may use. It is removed on disposal, and when the process ends (`atEndOfProcess`).
 * Throws `CommandError` when it cannot be made.
 */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = join(tmpdir(), `daybook-${name}-${randomUUID()}`);
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  // Before the folder is made, so that there is no moment at which a signal leaves it behind.
  const removal = atEndOfProcess(remove);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    removal[Symbol.dispose]();
    throw new CommandError(
      `Temporary files cannot be made: ${(error as Error).message}. Set TMPDIR to another folder.`,
    );
  }
  return {
    path,
    [Symbol.dispose]() {
      removal[Symbol.dispose]();
      remove();
    },
  };
}
