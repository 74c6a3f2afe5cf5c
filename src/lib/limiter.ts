/**
 * Bounded concurrency with a bounded queue: at most `runningMax` jobs run, at most `waitingMax` wait, more are refused.
 *
 * - A job is admitted first, which never waits, and acquires its slot later, which may.
 * - A slot that becomes free goes to the job that waits longest.
 */

export interface Limiter {
  /** Counts a job as running or waiting and returns the function that ends that; null when the limiter is full. */
  admit(): (() => void) | null;
  /** Waits for a slot to run and returns the function that frees it. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export interface LimiterOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
}

export function createLimiter({ runningMax, waitingMax }: LimiterOptions): Limiter {
  let admitted = 0;
  let running = 0;
  const waiting: (() => void)[] = [];

  /** Hands the slot over directly, so that a job that arrives meanwhile cannot take it. */
  function release(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    admit() {
      if (admitted >= runningMax + waitingMax) return null;
      admitted += 1;
      return once(() => {
        admitted -= 1;
      });
    },
    async acquire(signal) {
      signal.throwIfAborted();
      if (running < runningMax) running += 1;
      else await queued(waiting, signal);
      return once(release);
    },
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

function queued(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => {
    const at = waiting.indexOf(resolve);
    if (at < 0) return;
    waiting.splice(at, 1);
    reject(signal.reason);
  };
  waiting.push(resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
