/**
 * A thread that copies the write-ahead log of the views into their file, through a connection of its own, as often as
 * it takes until nothing is left to copy.
 */
import { workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** What is written while the log is copied is left for the next time; so much for that is seldom needed. */
const TIMES_MAX = 4;

const database = new Database(workerData as string, { fileMustExist: true });
for (let times = 0; times < TIMES_MAX; times += 1) {
  const [{ busy, log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as [Record<string, number>];
  if (busy !== 0 || checkpointed === log) break;
}
database.close();
