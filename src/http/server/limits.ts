/** Sliding-window rate limits per client address: only admitted requests count, and they count for just one minute. */

export const WINDOW_MS = 60_000;
export const RETRY_AFTER_SECONDS = 5;
/** Addresses remembered at once; beyond it the quietest is forgotten. */
const ADDRESSES_MAX = 10_000;

export interface Limiter {
  /** Whether a request from the address is admitted now; an admitted one is counted. */
  admit(address: string, now: number): boolean;
}

/** `max` requests in any 60 seconds. */
export function createLimiter(max: number): Limiter {
  const windows = new Map<string, Window>();
  /** Whose window stands last; mostly the one who asks again. */
  let latest: string | null = null;

  /** The window of an address, behind all others: the first one is the quietest. */
  function windowOf(address: string): Window {
    const known = windows.get(address);
    if (known !== undefined && address === latest) return known;
    if (known !== undefined) windows.delete(address);
    else if (windows.size >= ADDRESSES_MAX) windows.delete(windows.keys().next().value!);
    const window = known ?? { times: [], counts: [], oldest: 0, admitted: 0 };
    windows.set(address, window);
    latest = address;
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

/** A clock that never goes back: while the system's is set back it goes on from where it was. */
export function ascending(now: () => number): () => number {
  let ahead = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const given = now();
    if (given + ahead < last) ahead = last - given;
    last = given + ahead;
    return last;
  };
}

/** Admitted requests by the millisecond they came in, ascending; those before `oldest` have left the window. */
interface Window {
  times: number[];
  counts: number[];
  oldest: number;
  /** How many are in the window. */
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
