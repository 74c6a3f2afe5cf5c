/**
 * Backpressure: delays commits when flushes or compactions cannot keep up, first briefly, then until there is room.
 *
 * - From twice the compaction trigger of level 0 on, each group of commits waits 1 ms. From four times the trigger on,
 *   or when the active memtable is full and two frozen ones wait, commits stop until maintenance calls `relieve`.
 * - Every wait is reported with its duration.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineEvents } from '../engine.ts';
import type { ReadState } from './state.ts';

/** Frozen memtables that may wait for their flush. */
const FROZEN_MAX = 2;
/** Limits of tables in level 0, as multiples of the number that starts a compaction. */
const SLOW_FACTOR = 2;
const STOP_FACTOR = 4;
const SLOW_MS = 1;

export interface BackpressureLimits {
  readonly memtableBytes: number;
  readonly levelZeroTables: number;
}

export class Backpressure {
  readonly #state: ReadState;
  readonly #limits: BackpressureLimits;
  readonly #stalled: EngineEvents['stalled'];
  #stop: { readonly promise: Promise<void>; readonly end: () => void } | null = null;
  #slow: Promise<void> | null = null;
  /** The next group has waited already. */
  #hasWaited = false;
  #isOff = false;

  constructor(state: ReadState, limits: BackpressureLimits, stalled: EngineEvents['stalled']) {
    this.#state = state;
    this.#limits = limits;
    this.#stalled = stalled;
  }

  /** Whether the active memtable is full and one more frozen one is allowed. */
  get shouldFreeze(): boolean {
    return this.#isFull && this.#state.frozen.length < FROZEN_MAX;
  }

  /** The promise that the next group of commits must wait for, or null. */
  next(): Promise<void> | null {
    if (this.#isOff) return null;
    if (this.#mustStop) return this.#stopped();
    const tables = this.#state.levels.tables[0]!.length;
    if (tables < this.#limits.levelZeroTables * SLOW_FACTOR) return null;
    if (this.#hasWaited) {
      this.#hasWaited = false;
      return null;
    }
    this.#slow ??= this.#slowed();
    return this.#slow;
  }

  /** Ends the stop if level 0 and the frozen memtables allow commits again. */
  relieve(): void {
    if (this.#stop === null || this.#mustStop) return;
    this.#endStop();
  }

  /** Ends all waits for good: the engine closes or has failed. */
  turnOff(): void {
    this.#isOff = true;
    this.#endStop();
  }

  get #isFull(): boolean {
    return this.#state.memtable.bytes >= this.#limits.memtableBytes;
  }

  get #mustStop(): boolean {
    if (this.#isFull && this.#state.frozen.length >= FROZEN_MAX) return true;
    return this.#state.levels.tables[0]!.length >= this.#limits.levelZeroTables * STOP_FACTOR;
  }

  #stopped(): Promise<void> {
    if (this.#stop !== null) return this.#stop.promise;
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = performance.now();
    this.#stop = {
      promise,
      end: () => {
        this.#stalled({ seconds: (performance.now() - began) / 1000 });
        resolve();
      },
    };
    return promise;
  }

  #endStop(): void {
    const stop = this.#stop;
    this.#stop = null;
    stop?.end();
  }

  async #slowed(): Promise<void> {
    const began = performance.now();
    await sleep(SLOW_MS);
    this.#slow = null;
    this.#hasWaited = true;
    this.#stalled({ seconds: (performance.now() - began) / 1000 });
  }
}
