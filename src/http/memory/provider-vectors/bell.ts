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
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
        await promise;
        clearTimeout(timer);
        wake = null;
      }
      isRung = false;
    },
  };
}
