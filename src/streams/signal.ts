/** Wakes one sleeper: rung while nobody sleeps, the next sleep is none. */
export interface Bell {
  ring(): void;
  /** Until it rings, the signal aborts, or the time is over. */
  sleep(signal: AbortSignal, ms?: number): Promise<void>;
}

export function createBell(): Bell {
  let isRung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      isRung = true;
      wake?.();
    },
    async sleep(signal, ms) {
      if (!isRung && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = () => resolve();
        const timer = ms === undefined ? undefined : setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        await promise;
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        wake = null;
      }
      isRung = false;
    },
  };
}
