/**
 * Holds commits back when flushes or compactions cannot keep up, first a little, then until there is room again.
 *
 * - Past `slowTables` tables in level 0 each group of commits waits a moment; past `stopTables`, or with all frozen
 *   memtables waiting and the active one full, it waits until maintenance says that something became shorter.
 * - Every wait is reported with its length.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineEvents } from '../engine.ts';
import type { ReadState } from './state.ts';

/** Frozen memtables that may wait for their flush. */
const FROZEN_MAX = 2;
/** Tables in level 0, as multiples of what starts a compaction. */
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
  /** The slow wait before the next group has been served. */
  #isPaid = false;
  #isOff = false;

  constructor(state: ReadState, limits: BackpressureLimits, stalled: EngineEvents['stalled']) {
    this.#state = state;
    this.#limits = limits;
    this.#stalled = stalled;
  }

  /** The active memtable is full and there is room for one more frozen one. */
  get shouldFreeze(): boolean {
    return this.#isFull && this.#state.frozen.length < FROZEN_MAX;
  }

  /** Null, or what the next group of commits must wait for. */
  next(): Promise<void> | null {
    if (this.#isOff) return null;
    if (this.#mustStop) return this.#stopped();
    const tables = this.#state.levels.tables[0]!.length;
    if (tables < this.#limits.levelZeroTables * SLOW_FACTOR) return null;
    if (this.#isPaid) {
      this.#isPaid = false;
      return null;
    }
    this.#slow ??= this.#slowed();
    return this.#slow;
  }

  /** Something became shorter: those who wait may look again. */
  relieve(): void {
    if (this.#stop === null || this.#mustStop) return;
    this.#endStop();
  }

  /** Nobody waits from now on: the engine closes or failed. */
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
    this.#isPaid = true;
    this.#stalled({ seconds: (performance.now() - began) / 1000 });
  }
}
