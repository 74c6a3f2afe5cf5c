/** Long work on the thread of the event loop, in slices: between two slices the event loop serves everybody else. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** A slice holds the event loop for about this long. */
const SLICE_MS = 5;

export class TimeSlices {
  #begun = performance.now();

  /** True once the slice is over; then `next` is due. Called after each small step. */
  get isOver(): boolean {
    return performance.now() - this.#begun >= SLICE_MS;
  }

  /** Begins the next slice after a turn of the event loop. */
  async next(): Promise<void> {
    await nextTurn();
    this.#begun = performance.now();
  }
}
