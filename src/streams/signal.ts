/** A signal that wakes one waiter. A notification without a waiter is kept: the next `wait` returns at once. */
export interface Signal {
  notify(): void;
  /** Resolves at the next notification, when `until` aborts, or after `timeoutMs`. */
  wait(until: AbortSignal, timeoutMs?: number): Promise<void>;
}

export function createSignal(): Signal {
  let isNotified = false;
  let wake: (() => void) | null = null;
  return {
    notify() {
      isNotified = true;
      wake?.();
    },
    async wait(until, timeoutMs) {
      if (!isNotified && !until.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = () => resolve();
        const timer = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
        until.addEventListener('abort', wake);
        await promise;
        clearTimeout(timer);
        until.removeEventListener('abort', wake);
        wake = null;
      }
      isNotified = false;
    },
  };
}
