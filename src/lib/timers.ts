/** Waiting with injected timers, so that tests control the time. */

export interface Timers {
  /** Calls back once after so many milliseconds; returns a function that cancels the call. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The timers of this process. */
export const systemTimers: Timers = {
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds; rejects with the signal's reason when it aborts first. */
export function sleep(timers: Timers, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timers.after(milliseconds, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Calls `work` with a signal that aborts after so many milliseconds, unless the work has ended before. */
export async function within<Result>(
  timers: Timers,
  milliseconds: number,
  work: (timeout: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController();
  const cancel = timers.after(milliseconds, () => timeout.abort(new Error(`It took longer than ${milliseconds} ms.`)));
  try {
    return await work(timeout.signal);
  } finally {
    cancel();
  }
}

/**
 * Whether a pause of at most `msMax` that ends at `until` is not over. One that would end later began before the clock
 * was set back, and is over.
 */
export function isPaused(until: number, { now, msMax }: { readonly now: number; readonly msMax: number }): boolean {
  return now < until && until <= now + msMax;
}
