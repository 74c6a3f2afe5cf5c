/**
 * Backpressure: delays commits when flushes or compactions cannot keep up, first briefly, then until there is room.
 *
 * - From twice the compaction trigger of level 0 on, each group of commits waits 1 ms. From four times the trigger on,
 *   or when the active memtable is full and two frozen ones wait, commits stop until maintenance calls `relieve`.
 * - When maintenance calls `refuse`, because the disk is full, commits that would stop are refused until `relieve`.
 * - Every wait is reported with its duration.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineEvents } from '../engine.ts';
import type { StorageError } from '../errors.ts';
import type { LsmConfig } from './config.ts';
import type { ReadState } from './state.ts';

/** Frozen memtables that may wait for their flush. */
const FROZEN_MAX = 2;
/** Limits of tables in level 0, as multiples of the number that starts a compaction. */
const SLOW_FACTOR = 2;
const STOP_FACTOR = 4;
const SLOW_MS = 1;

/** Decides whether the next group of commits waits, and for how long. */
export class Backpressure {
  readonly #state: ReadState;
  readonly #config: LsmConfig;
  readonly #stalled: EngineEvents['stalled'];
  #stop: {
    readonly promise: Promise<StorageError | null>;
    readonly end: (refusal: StorageError | null) => void;
  } | null = null;
  /** Why maintenance cannot make room; null while it can. */
  #noRoom: StorageError | null = null;
  #slow: Promise<null> | null = null;
  /** The next group has waited already. */
  #hasWaited = false;
  #isOff = false;

  constructor(state: ReadState, config: LsmConfig, stalled: EngineEvents['stalled']) {
    this.#state = state;
    this.#config = config;
    this.#stalled = stalled;
  }

  /** Whether the active memtable is full and one more frozen one is allowed. */
  get shouldFreeze(): boolean {
    return this.#isFull && this.#state.frozen.length < FROZEN_MAX;
  }

  /** The promise that the next group of commits must wait for, or null. It resolves with a refusal, or null. */
  next(): Promise<StorageError | null> | null {
    if (this.#isOff) return null;
    if (this.#mustStop) return this.#noRoom === null ? this.#stopped() : Promise.resolve(this.#noRoom);
    const tables = this.#state.levels.tables[0]!.length;
    if (tables < this.#config.level_zero_tables * SLOW_FACTOR) return null;
    if (this.#hasWaited) {
      this.#hasWaited = false;
      return null;
    }
    this.#slow ??= this.#slowed();
    return this.#slow;
  }

  /** Ends the stop, or the refusal, if level 0 and the frozen memtables allow commits again. */
  relieve(): void {
    if (this.#mustStop) return;
    this.#noRoom = null;
    this.#endStop(null);
  }

  /** Refuses commits that have to stop, until `relieve`. */
  refuse(reason: StorageError): void {
    this.#noRoom = reason;
    this.#endStop(reason);
  }

  /** Ends all waits for good: the engine closes or has failed. */
  turnOff(): void {
    this.#isOff = true;
    this.#endStop(null);
  }

  get #isFull(): boolean {
    return this.#state.memtable.bytes >= this.#config.memtable_bytes;
  }

  get #mustStop(): boolean {
    if (this.#isFull && this.#state.frozen.length >= FROZEN_MAX) return true;
    return this.#state.levels.tables[0]!.length >= this.#config.level_zero_tables * STOP_FACTOR;
  }

  #stopped(): Promise<StorageError | null> {
    if (this.#stop !== null) return this.#stop.promise;
    const { promise, resolve } = Promise.withResolvers<StorageError | null>();
    const began = performance.now();
    this.#stop = {
      promise,
      end: (refusal) => {
        this.#stalled({ seconds: (performance.now() - began) / 1000 });
        resolve(refusal);
      },
    };
    return promise;
  }

  #endStop(refusal: StorageError | null): void {
    const stop = this.#stop;
    this.#stop = null;
    stop?.end(refusal);
  }

  async #slowed(): Promise<null> {
    const began = performance.now();
    await sleep(SLOW_MS);
    this.#slow = null;
    this.#hasWaited = true;
    this.#stalled({ seconds: (performance.now() - began) / 1000 });
    return null;
  }
}
