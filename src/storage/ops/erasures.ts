/**
 * Finishes erasures: `EventLog.erase` replaces a payload, and a compaction of the engine removes the old bytes from the
 * disk. This module compacts after erasures and records which ones are finished.
 *
 * - After an erasure it waits a second for further ones. It spends at most a tenth of the time on this work: after each
 *   run it waits nine times as long as the run took.
 * - `erased.json` in the data directory says which erasures are finished; it is written after the compaction. After a
 *   crash the work is repeated. Without the file it is done once, if the log records any erasure. A file that says more
 *   than the log records comes from another log, for example when the files of the engine were copied back by hand.
 * - A failure is reported and the work is tried again.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyValueEngine } from '../engine.ts';
import { StorageError } from '../errors.ts';
import { ERASURES_STREAM } from '../event-log.ts';
import { writeFileAtomic } from '../files.ts';
import type { StoredEventLog } from '../log/event-log.ts';
import type { Storage } from '../open.ts';
import type { Clock } from './schedule.ts';

export interface ErasureState {
  /** `done`: the bytes of every erased payload have left the files of the store. */
  readonly state: 'done' | 'waiting' | 'running';
  /** Position of the newest event that records an erasure, 0 when there is none. */
  readonly recorded: number;
  /** Erasures that are recorded up to this position are finished. */
  readonly doneThrough: number;
  /** When the work was last finished, Unix milliseconds; null when it never was. */
  readonly doneAt: number | null;
  /** Why the latest attempt failed, null when it did not. */
  readonly failure: string | null;
}

export interface ErasureParts {
  readonly storage: Pick<Storage, 'log' | 'engine' | 'directory'>;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock, which measures the work and the pauses. Default: `performance.now`. */
  readonly elapsed?: () => number;
  readonly report: (line: string) => void;
}

/** Removes bytes of deleted and replaced entries from the disk; false when it kept some because they are being read. */
export type Compaction = (engine: KeyValueEngine) => Promise<boolean>;

/** A compaction that waits for no reader. */
export async function compactAsRead(engine: KeyValueEngine, progress: (done: number, total: number) => void) {
  const isRead = (): boolean => engine.scrub !== undefined && engine.stats().snapshots > 0;
  const wasRead = isRead();
  await engine.compact(progress);
  return !wasRead && !isRead();
}

const FILE = 'erased.json';
const PAUSE_MS = 1_000;
/** The share of the time that the work may take. */
const TIME_SHARE_MAX = 0.1;
const RETRY_MS = 10_000;

/** The newest finished work. */
interface Done {
  readonly through: number;
  readonly at: number;
}

/**
 * Removes the bytes of deleted and replaced entries from the disk, and records this for the erasures that the log holds
 * at the call. Resolves with null when the compaction kept some.
 */
export async function removeErased(
  { log, engine, directory }: ErasureParts['storage'],
  { compact, now }: { readonly compact: Compaction; readonly now: () => number },
): Promise<Done | null> {
  const through = recordedIn(log);
  if (!(await compact(engine))) return null;
  const done = { through, at: now() };
  if (directory !== null && through > 0) writeFileAtomic(join(directory, FILE), `${JSON.stringify(done)}\n`);
  return done;
}

/** The erasures of one store, those of earlier processes too. The work begins with `start`. */
export class Erasures {
  readonly #parts: ErasureParts;
  readonly #elapsed: () => number;
  #recorded: number;
  #done: Done | null;
  #failure: string | null = null;
  #running: Promise<void> | null = null;
  /** Cancels the pause before the next work; null without one. */
  #cancel: (() => void) | null = null;
  /** The time of `#elapsed` before which the work does not begin by itself. */
  #notBefore = 0;
  #isStopped = true;
  #unsubscribe: () => void = () => {};

  constructor(parts: ErasureParts) {
    this.#parts = parts;
    this.#elapsed = parts.elapsed ?? (() => performance.now());
    this.#recorded = recordedIn(parts.storage.log);
    const done = doneIn(parts.storage.directory);
    this.#done = done !== null && done.through <= this.#recorded ? done : null;
  }

  state(): ErasureState {
    const through = this.#done?.through ?? 0;
    const isDone = this.#isDone();
    return {
      state: isDone ? 'done' : this.#running === null ? 'waiting' : 'running',
      recorded: this.#recorded,
      doneThrough: isDone ? this.#recorded : through,
      doneAt: this.#done?.at ?? null,
      failure: this.#failure,
    };
  }

  start(): void {
    this.#isStopped = false;
    this.#unsubscribe = this.#parts.storage.log.onAppended((events) => {
      for (const { stream, position } of events) if (stream === ERASURES_STREAM) this.#recorded = position;
      this.#wake();
    });
    this.#wake();
  }

  /**
   * Works now, without the pause. Resolves when all erasures are finished; rejects on failure or when the log closes.
   */
  async finish(): Promise<void> {
    while (!this.#isDone()) {
      if (this.#isStopped) throw new StorageError('STORAGE_CLOSED', 'The store is closed.');
      await (this.#running ?? this.#begin());
      if (this.#failure !== null) throw new StorageError('STORAGE_BUSY', this.#failure);
    }
  }

  /** Works now, with this compaction, also when all erasures are finished. Rejects as the compaction does. */
  async finishBy(compact: Compaction): Promise<void> {
    while (this.#running !== null) await this.#running;
    const work = this.#remove(compact);
    await this.#alone(work);
    await work;
  }

  /** Starts no further work. Running work ends when the store closes, at once if the engine can. */
  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#cancel?.();
  }

  /** An ephemeral store has no files. */
  #isDone(): boolean {
    return this.#parts.storage.directory === null || this.#recorded <= (this.#done?.through ?? 0);
  }

  #wake(): void {
    if (this.#isStopped || this.#isDone() || this.#running !== null || this.#cancel !== null) return;
    const pause = Math.max(PAUSE_MS, this.#notBefore - this.#elapsed());
    this.#cancel = this.#parts.clock.after(pause, () => {
      this.#cancel = null;
      if (!this.#isStopped && this.#running === null) void this.#begin();
    });
  }

  /** Never rejects. */
  #begin(): Promise<void> {
    return this.#alone(this.#work());
  }

  /** Until the work ends, no other begins. Never rejects. */
  #alone(work: Promise<void>): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    const ended = (): void => {
      this.#running = null;
      this.#wake();
    };
    this.#running = work.then(ended, ended);
    return this.#running;
  }

  async #remove(compact: Compaction): Promise<void> {
    const { storage, clock } = this.#parts;
    const began = this.#elapsed();
    const done = await removeErased(storage, { compact, now: () => clock.now() });
    if (done !== null && done.through > 0) this.#done = done;
    this.#failure = null;
    const ended = this.#elapsed();
    this.#notBefore = ended + (ended - began) * (1 / TIME_SHARE_MAX - 1);
  }

  async #work(): Promise<void> {
    const { report } = this.#parts;
    try {
      await this.#remove(async (engine) => {
        await (engine.scrub?.() ?? engine.compact());
        return true;
      });
    } catch (error) {
      const { message } = error as Error;
      this.#notBefore = this.#elapsed() + RETRY_MS;
      if (this.#failure !== message && !this.#isStopped) {
        report(`Erased texts are still on the disk: ${message} It is tried again.`);
      }
      this.#failure = message;
    }
  }
}

function recordedIn(log: Pick<StoredEventLog, 'readStream'>): number {
  const [newest] = log.readStream(ERASURES_STREAM, { reverse: true, limit: 1 });
  return newest?.position ?? 0;
}

/** Null when the file is absent or malformed: then the work is done again. */
function doneIn(directory: string | null): Done | null {
  if (directory === null || !existsSync(join(directory, FILE))) return null;
  try {
    const { through, at } = JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as Done;
    return Number.isSafeInteger(through) && Number.isSafeInteger(at) ? { through, at } : null;
  } catch {
    return null;
  }
}
