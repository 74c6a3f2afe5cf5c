/** Folders for copies of the log and of the views, in the folder for temporary files. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEndOfProcess } from './interrupt.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** A new folder that only its owner may use. It is removed on disposal, and when the process ends (`atEndOfProcess`). */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = join(tmpdir(), `daybook-${name}-${randomUUID()}`);
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  // Before the folder is made, so that there is no moment at which a signal leaves it behind.
  const removal = atEndOfProcess(remove);
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    [Symbol.dispose]() {
      removal[Symbol.dispose]();
      remove();
    },
  };
}
