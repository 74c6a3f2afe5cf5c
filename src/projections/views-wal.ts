/** Decides when and by which thread the write-ahead log of the views is copied into their file. */
import type { Database } from 'better-sqlite3';
import type { Statements } from './views-statements.ts';

/** Copies the write-ahead log of the views into their file outside of the event loop. */
export interface CheckpointsElsewhere {
  readonly isRunning: boolean;
  /** Begins to copy unless a copy is running. Returns false when it cannot; then the caller copies. */
  begin(path: string): boolean;
}

/** 16 MiB. The same pages change repeatedly, so a longer write-ahead log means fewer copied pages. */
export const CHECKPOINT_PAGES = 4_096;
/** 64 MiB. A write-ahead log that reaches this size although it is copied elsewhere is copied here, within a commit. */
const CHECKPOINT_PAGES_MAX = 4 * CHECKPOINT_PAGES;
/**
 * The length of the write-ahead log is read after this many commits, because that costs a third of a small commit. A
 * commit that takes LARGE_COMMIT_MS has written a mebibyte or more; the length is read after each of these.
 */
const COMMITS_PER_LOOK = 8;
const LARGE_COMMIT_MS = 1;
/** How long `empty` waits for a copy elsewhere, and how often it checks. */
const WAIT_MS_MAX = 10_000;
const LOOK_MS = 5;

interface CheckpointRow {
  /** 1 when another connection blocked the checkpoint. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** Never changed: `Atomics.wait` on it is a pause. */
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

  /**
   * Copies all pages and truncates the log. Waits for a copy that runs elsewhere. False when another program reads
   * older rows, or when a transaction is open.
   */
  empty(): boolean {
    if (this.#database.inTransaction) return false;
    const end = performance.now() + (this.#elsewhere?.isRunning === true ? WAIT_MS_MAX : 0);
    while (this.#checkpoint('TRUNCATE').busy !== 0) {
      if (performance.now() >= end) return false;
      Atomics.wait(WAITING, 0, 0, LOOK_MS);
    }
    return true;
  }

  /** `NOOP` only reports how many pages the log has, and how many of them are copied. */
  #checkpoint(mode: 'NOOP' | 'TRUNCATE'): CheckpointRow {
    return this.#statements.prepared(`PRAGMA wal_checkpoint(${mode})`).get() as CheckpointRow;
  }
}
