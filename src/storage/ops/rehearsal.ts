/** The thread that restores a backup into a scratch folder and reads every byte of it: the proof that it can be done. */
import { parentPort, workerData } from 'node:worker_threads';
import { restoreStorage } from '../backup.ts';
import { StorageError } from '../errors.ts';
import type { Rehearsal, Rehearsed } from './backups.ts';

async function rehearsed(rehearsal: Rehearsal): Promise<Rehearsed> {
  try {
    return { head: await restoreStorage(rehearsal) };
  } catch (error) {
    const code = error instanceof StorageError ? error.code : undefined;
    return { error: { code, message: (error as Error).message } };
  }
}

parentPort!.postMessage(await rehearsed(workerData as Rehearsal));
