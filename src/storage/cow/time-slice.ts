/** Long work in slices: the event loop gets its turn every few milliseconds. */
import { performance } from 'node:perf_hooks';

const SLICE_MS = 2;

export class TimeSlice {
  #sliceEnds = performance.now() + SLICE_MS;

  /** Null while the slice lasts; else what to await before going on. */
  pause(): Promise<void> | null {
    if (performance.now() < this.#sliceEnds) return null;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#sliceEnds = performance.now() + SLICE_MS;
        resolve();
      });
    });
  }
}
