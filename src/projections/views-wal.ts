/** When the pages of the views' write-ahead log are copied into their file, and by whom. */
import type { Database } from 'better-sqlite3';
import type { Statements } from './views-statements.ts';

/** Copies the write-ahead log of the views into their file elsewhere than in the turns of the event loop. */
export interface CheckpointsElsewhere {
  readonly isRunning: boolean;
  /** Begins to copy unless that is going on. False when it cannot: then it is done here. */
  begin(path: string): boolean;
}

/**
 * The same pages change again and again: the longer the write-ahead log may grow, the fewer are copied back. 16 MiB.
 */
export const CHECKPOINT_PAGES = 4_096;
/** When it grows so far although it is copied elsewhere, it is copied here, within a commit. 64 MiB. */
const CHECKPOINT_PAGES_MAX = 4 * CHECKPOINT_PAGES;
/**
 * The length of the write-ahead log is asked for after every so many commits: it costs a third of a small commit. A
 * commit that takes so many ms has written a mebibyte or more; it is asked for after each of these.
 */
const COMMITS_PER_LOOK = 8;
const LARGE_COMMIT_MS = 1;
/** Milliseconds for which `empty` waits for a copy that goes on elsewhere, and between two looks. */
const WAIT_MS_MAX = 10_000;
const LOOK_MS = 5;

interface CheckpointRow {
  /** 1 when somebody else kept it from going on. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** Nothing ever changes it: it is what a pause waits for. */
const WAITING = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export class WriteAheadLog {
  readonly #database: Database;
  readonly #statements: Statements;
  /** Null when the log is copied here, by SQLite itself. */
  #elsewhere: CheckpointsElsewhere | null;
  #commits = 0;

  constructor(database: Database, statements: Statements, elsewhere: CheckpointsElsewhere | null) {
    this.#database = database;
    this.#statements = statements;
    this.#elsewhere = elsewhere;
    if (elsewhere !== null) database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES_MAX}`);
  }

  /** Called after each commit with the milliseconds that it took. */
  committed(ms: number): void {
    if (this.#elsewhere === null || this.#elsewhere.isRunning) return;
    this.#commits += 1;
    if (ms < LARGE_COMMIT_MS && this.#commits % COMMITS_PER_LOOK !== 0) return;
    const { log, checkpointed } = this.#checkpoint('NOOP');
    if (log - checkpointed < CHECKPOINT_PAGES || this.#elsewhere.begin(this.#database.name)) return;
    this.#elsewhere = null;
    this.#database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  }

  /** Copies all pages and cuts the log to no length. It waits for a copy that goes on elsewhere. */
  empty(): void {
    const end = performance.now() + (this.#elsewhere?.isRunning === true ? WAIT_MS_MAX : 0);
    while (this.#checkpoint('TRUNCATE').busy !== 0 && performance.now() < end) {
      Atomics.wait(WAITING, 0, 0, LOOK_MS);
    }
  }

  /** `NOOP` only says how many pages the log has, and how many of them are copied. */
  #checkpoint(mode: 'NOOP' | 'TRUNCATE'): CheckpointRow {
    return this.#statements.prepared(`PRAGMA wal_checkpoint(${mode})`).get() as CheckpointRow;
  }
}
