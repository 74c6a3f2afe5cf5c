/**
 * A worker thread that checkpoints the database of the views through its own connection: it copies the write-ahead log
 * into the database file until nothing is left to copy.
 */
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** A checkpoint leaves frames that were written meanwhile to the next one. That many are rarely needed. */
const CHECKPOINTS_MAX = 4;

const database = new Database(workerData as string, { fileMustExist: true });
for (let count = 0; count < CHECKPOINTS_MAX; count += 1) {
  const [{ busy, log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as [Record<string, number>];
  if (busy !== 0 || checkpointed === log) break;
}
database.close();
