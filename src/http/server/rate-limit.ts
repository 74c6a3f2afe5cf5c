/**
 * Sliding-window rate limits per client address: an admitted request counts for one minute, a refused one does not
 * count.
 */

const WINDOW_MS = 60_000;
export const RETRY_AFTER_SECONDS = 5;
/** Limit of tracked addresses; beyond it the address that was idle longest is dropped. */
const ADDRESSES_MAX = 10_000;

export interface RateLimiter {
  /** Whether a request from the address is admitted now; an admitted one is counted. */
  admit(address: string, now: number): boolean;
}

/** `max` requests in any 60 seconds. */
export function createRateLimiter(max: number): RateLimiter {
  const windows = new Map<string, Window>();

  /** The window of an address, moved to the end of the map, so that the address idle longest comes first. */
  function windowOf(address: string): Window {
    const known = windows.get(address);
    if (known !== undefined) windows.delete(address);
    else if (windows.size >= ADDRESSES_MAX) windows.delete(windows.keys().next().value!);
    const window = known ?? { times: [], counts: [], oldest: 0, admitted: 0 };
    windows.set(address, window);
    return window;
  }

  return {
    admit(address, now) {
      const window = windowOf(address);
      forget(window, now - WINDOW_MS);
      if (window.admitted >= max) return false;
      admit(window, now);
      return true;
    },
  };
}

/** A clock that never goes back: when `now` is set back, this clock continues from its last value. */
export function monotonic(now: () => number): () => number {
  let ahead = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time + ahead < last) ahead = last - time;
    last = time + ahead;
    return last;
  };
}

/** Admitted requests by millisecond, ascending; those before the index `oldest` have left the window. */
interface Window {
  times: number[];
  counts: number[];
  oldest: number;
  /** Requests in the window. */
  admitted: number;
}

function admit(window: Window, now: number): void {
  window.admitted += 1;
  const last = window.times.length - 1;
  if (last >= window.oldest && window.times[last] === now) {
    window.counts[last]! += 1;
    return;
  }
  window.times.push(now);
  window.counts.push(1);
}

function forget(window: Window, until: number): void {
  while (window.oldest < window.times.length && window.times[window.oldest]! <= until) {
    window.admitted -= window.counts[window.oldest]!;
    window.oldest += 1;
  }
  if (window.oldest > 1_024 && window.oldest * 2 > window.times.length) {
    window.times = window.times.slice(window.oldest);
    window.counts = window.counts.slice(window.oldest);
    window.oldest = 0;
  }
}
