/** The thread that restores a backup into a scratch folder and reads every byte of it: the proof that it works. */
import { parentPort, workerData } from 'node:worker_threads';
import { type RestoreOptions, restoreStorage } from '../backup.ts';
import { StorageError, type StorageErrorCode } from '../errors.ts';
import type { LogHead } from '../event-log.ts';

export type RestoreCheck = Pick<RestoreOptions, 'from' | 'directory'>;
/** What the thread answers; errors lose their class on the way. */
export type RestoreOutcome =
  | { readonly head: LogHead }
  | { readonly error: { readonly code: StorageErrorCode | undefined; readonly message: string } };

async function rehearsed(rehearsal: RestoreCheck): Promise<RestoreOutcome> {
  try {
    return { head: await restoreStorage(rehearsal) };
  } catch (error) {
    const code = error instanceof StorageError ? error.code : undefined;
    return { error: { code, message: (error as Error).message } };
  }
}

parentPort!.postMessage(await rehearsed(workerData as RestoreCheck));
