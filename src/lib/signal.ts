/** A signal between one sender and one waiter. A signal that is sent before the wait ends that wait at once. */
export interface Signal {
  send(): void;
  /** Resolves when the signal was sent, `abort` aborts, or `ms` milliseconds are over. */
  wait(abort: AbortSignal, ms?: number): Promise<void>;
}

export function createSignal(): Signal {
  let isSent = false;
  let wake: (() => void) | null = null;
  return {
    send() {
      isSent = true;
      wake?.();
    },
    async wait(abort, ms) {
      if (!isSent && !abort.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = () => resolve();
        const timer = ms === undefined ? undefined : setTimeout(wake, ms);
        abort.addEventListener('abort', wake);
        await promise;
        clearTimeout(timer);
        abort.removeEventListener('abort', wake);
        wake = null;
      }
      isSent = false;
    },
  };
}
