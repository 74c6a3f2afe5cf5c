/**
 * Finishes erasures: `EventLog.erase` replaces a payload, and the engine takes the old bytes off the disk when it
 * compacts. This does so by itself, and says until when it is done.
 *
 * - After an erasure it waits a second for further ones. It spends at most a tenth of the time on this work: before it
 *   begins again it waits nine times as long as it worked.
 * - What is done is in `erased.json` of the data directory, written last. After a crash the work is done again; a
 *   directory without the file has it done once, when its log records any erasure.
 * - A failure is reported and the work tried again.
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
  /** Erasures that are recorded up to this position are done. */
  readonly doneThrough: number;
  /** When the work was last finished, Unix milliseconds; null when it never was. */
  readonly doneAt: number | null;
  /** Why the latest attempt failed, null when it did not. */
  readonly failure: string | null;
}

export interface Erasures {
  state(): ErasureState;
  /** Begins now, without the pause. Resolves when nothing is left to do; rejects when that fails or the log closes. */
  finish(): Promise<void>;
  start(): void;
  /** Begins nothing more. What runs ends when the store closes, at once where that is possible. */
  stop(): void;
}

export interface ErasureParts {
  readonly storage: Pick<Storage, 'log' | 'engine' | 'directory'>;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

const FILE = 'erased.json';
const PAUSE_MS = 1_000;
/** Of the time; the rest is for others. */
const SHARE = 0.1;
const RETRY_MS = 10_000;

interface Done {
  readonly through: number;
  readonly at: number;
}

/**
 * Takes the bytes of deleted and replaced entries off the disk, and records that. For every erasure that the log holds
 * when it is called.
 */
export async function takeOffDisk(
  { log, engine, directory }: ErasureParts['storage'],
  { compact, now }: { readonly compact: (engine: KeyValueEngine) => Promise<void>; readonly now: () => number },
): Promise<Done> {
  const through = recordedIn(log);
  await compact(engine);
  const done = { through, at: now() };
  if (directory !== null && through > 0) writeFileAtomic(join(directory, FILE), `${JSON.stringify(done)}\n`);
  return done;
}

export function createErasures(parts: ErasureParts): Erasures {
  return new Finisher(parts);
}

class Finisher implements Erasures {
  readonly #parts: ErasureParts;
  #recorded: number;
  #done: Done | null;
  #failure: string | null = null;
  #running: Promise<void> | null = null;
  /** Cancels the pause, null when nothing waits. */
  #cancel: (() => void) | null = null;
  /** Unix milliseconds before which the work does not begin by itself. */
  #notBefore = 0;
  #isStopped = true;
  #leave: () => void = () => {};

  constructor(parts: ErasureParts) {
    this.#parts = parts;
    this.#recorded = recordedIn(parts.storage.log);
    this.#done = doneIn(parts.storage.directory);
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
    this.#leave = this.#parts.storage.log.onAppended((events) => {
      for (const { stream, position } of events) if (stream === ERASURES_STREAM) this.#recorded = position;
      this.#wake();
    });
    this.#wake();
  }

  async finish(): Promise<void> {
    while (!this.#isDone()) {
      if (this.#isStopped) throw new StorageError('STORAGE_CLOSED', 'The store is closed.');
      await (this.#running ?? this.#begin());
      if (this.#failure !== null) throw new StorageError('STORAGE_BUSY', this.#failure);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
    this.#cancel?.();
  }

  /** Nothing of an ephemeral store is on a disk. */
  #isDone(): boolean {
    return this.#parts.storage.directory === null || this.#recorded <= (this.#done?.through ?? 0);
  }

  #wake(): void {
    if (this.#isStopped || this.#isDone() || this.#running !== null || this.#cancel !== null) return;
    const { clock } = this.#parts;
    const pause = Math.max(PAUSE_MS, this.#notBefore - clock.now());
    this.#cancel = clock.after(pause, () => {
      this.#cancel = null;
      if (!this.#isStopped && this.#running === null) void this.#begin();
    });
  }

  /** Never rejects. */
  #begin(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#running = this.#work().finally(() => {
      this.#running = null;
      this.#wake();
    });
    return this.#running;
  }

  async #work(): Promise<void> {
    const { storage, clock, report } = this.#parts;
    const began = clock.now();
    try {
      const compact = (engine: KeyValueEngine) => engine.scrub?.() ?? engine.compact();
      this.#done = await takeOffDisk(storage, { compact, now: () => clock.now() });
      this.#failure = null;
      this.#notBefore = clock.now() + (clock.now() - began) * (1 / SHARE - 1);
    } catch (error) {
      const { message } = error as Error;
      this.#notBefore = clock.now() + RETRY_MS;
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

/** A file that is not as it was written says nothing: the work is done again. */
function doneIn(directory: string | null): Done | null {
  if (directory === null || !existsSync(join(directory, FILE))) return null;
  try {
    const { through, at } = JSON.parse(readFileSync(join(directory, FILE), 'utf8')) as Done;
    return Number.isSafeInteger(through) && Number.isSafeInteger(at) ? { through, at } : null;
  } catch {
    return null;
  }
}
