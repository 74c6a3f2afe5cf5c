/** The worker thread that verifies a backup: restores it to a scratch folder and reads every byte. */
import { parentPort, workerData } from 'node:worker_threads';
import { type RestoreOptions, restoreStorage } from '../backup.ts';
import { StorageError, type StorageErrorCode } from '../errors.ts';
import type { LogHead } from '../event-log.ts';

export type RestoreTask = Pick<RestoreOptions, 'from' | 'directory'>;
/** The message of the thread. Errors are plain objects, because they lose their class between threads. */
export type RestoreOutcome =
  | { readonly head: LogHead }
  | { readonly error: { readonly code: StorageErrorCode | undefined; readonly message: string } };

async function restore(task: RestoreTask): Promise<RestoreOutcome> {
  try {
    return { head: await restoreStorage(task) };
  } catch (error) {
    const code = error instanceof StorageError ? error.code : undefined;
    return { error: { code, message: (error as Error).message } };
  }
}

parentPort!.postMessage(await restore(workerData as RestoreTask));
