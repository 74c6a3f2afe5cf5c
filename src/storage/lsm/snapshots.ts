/**
 * The live snapshots, by sequence: flushes and compactions keep the versions that a snapshot sees.
 *
 * - Sequences ascend: a later snapshot never has a lower sequence.
 */
import { checkKey, checkRange } from '../checks.ts';
import type { Snapshot } from '../engine.ts';
import { StorageError } from '../errors.ts';
import type { ReadState } from './state.ts';

/** The snapshots that are not released yet. */
export class Snapshots {
  readonly #state: ReadState;
  /** Throws when the store must not be read. */
  readonly #checkReadable: () => void;
  readonly #live = new Map<number, number>();

  constructor(state: ReadState, checkReadable: () => void) {
    this.#state = state;
    this.#checkReadable = checkReadable;
  }

  get count(): number {
    let count = 0;
    for (const each of this.#live.values()) count += each;
    return count;
  }

  /** Sequences of live snapshots, ascending. */
  sequences(): readonly number[] {
    return [...this.#live.keys()];
  }

  /** A snapshot of the current state. */
  take(): Snapshot {
    const state = this.#state;
    const { sequence } = state;
    this.#live.set(sequence, (this.#live.get(sequence) ?? 0) + 1);
    let isReleased = false;
    const check = (): void => {
      this.#checkReadable();
      if (isReleased) throw new StorageError('STORAGE_CLOSED', 'The snapshot was released.');
    };
    return {
      get: (key) => {
        check();
        checkKey(key);
        return state.get(key, sequence);
      },
      range: (options = {}) => {
        check();
        checkRange(options);
        return state.range(options, { sequence: () => sequence, check });
      },
      release: () => {
        if (!isReleased) this.#release(sequence);
        isReleased = true;
      },
    };
  }

  #release(sequence: number): void {
    const count = this.#live.get(sequence)!;
    if (count === 1) this.#live.delete(sequence);
    else this.#live.set(sequence, count - 1);
  }
}
