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
  return {
    admit(address, now) {
      let window = windows.get(address);
      if (window === undefined) {
        if (windows.size >= ADDRESSES_MAX) windows.delete(windows.keys().next().value!);
        window = { admitted: [], oldest: 0 };
      } else windows.delete(address);
      windows.set(address, window);
      forget(window, now - WINDOW_MS);
      if (window.admitted.length - window.oldest >= max) return false;
      window.admitted.push(now);
      return true;
    },
  };
}

/** Times of admitted requests, ascending; those before `oldest` have left the window. */
interface Window {
  admitted: number[];
  oldest: number;
}

function forget(window: Window, until: number): void {
  while (window.oldest < window.admitted.length && window.admitted[window.oldest]! <= until) window.oldest += 1;
  if (window.oldest > 1_024 && window.oldest * 2 > window.admitted.length) {
    window.admitted = window.admitted.slice(window.oldest);
    window.oldest = 0;
  }
}
