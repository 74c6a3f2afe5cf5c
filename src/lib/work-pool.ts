/**
 * Bounded concurrency with a bounded queue: at most `runningMax` jobs run, at most `waitingMax` wait, more are refused.
 *
 * - A job is admitted first, which never waits, and runs in a slot later, which may. So a job can prepare before it
 *   takes a slot, and take one several times.
 * - A slot that becomes free goes to the job that waits longest.
 */

export interface WorkPoolOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** The error of a job for which there is no room. */
  readonly full: () => Error;
}

export class WorkPool {
  readonly #options: WorkPoolOptions;
  readonly #closing = new AbortController();
  readonly #admitted = new Set<Promise<unknown>>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(options: WorkPoolOptions) {
    this.#options = options;
  }

  /**
   * Admits a job. Its signal aborts with the caller's, if there is one, and when the pool closes. Rejects with the error
   * of the job, or with `full()`.
   */
  async admit<Result>(signal: AbortSignal | null, job: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { runningMax, waitingMax, full } = this.#options;
    if (this.#admitted.size >= runningMax + waitingMax) throw full();
    const closing = this.#closing.signal;
    const work = job(signal === null ? closing : AbortSignal.any([signal, closing]));
    this.#admitted.add(work);
    try {
      return await work;
    } finally {
      this.#admitted.delete(work);
    }
  }

  /** Does work of an admitted job in a slot. Rejects with the signal's reason when it aborts during the wait. */
  async inSlot<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    if (this.#running < this.#options.runningMax) this.#running += 1;
    else await this.#queued(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Admits a job that needs a slot from its beginning to its end. */
  run<Result>(signal: AbortSignal | null, job: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.admit(signal, (either) => this.inSlot(either, () => job(either)));
  }

  /** Aborts all jobs, present and future, and waits for the present ones. */
  async close(reason: Error): Promise<void> {
    this.#closing.abort(reason);
    await Promise.allSettled(this.#admitted);
  }

  /** Hands the slot over directly, so that a job that arrives meanwhile cannot take it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  #queued(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }
}
