/** Cooperative scheduling of long work: lets the event loop run every few milliseconds. */

const SLICE_MS = 2;

/**
 * Measures the time that a loop has used since the event loop last ran:
 *
 * ```ts
 * const pause = slice.pause();
 * if (pause !== null) await pause;
 * ```
 */
export class TimeSlice {
  #endsAt = performance.now() + SLICE_MS;

  /** Null while less than 2 ms have passed; afterwards the promise to await before continuing. */
  pause(): Promise<void> | null {
    if (performance.now() < this.#endsAt) return null;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#endsAt = performance.now() + SLICE_MS;
        resolve();
      });
    });
  }
}
