/**
 * Mutual exclusion in one process: asynchronous work that shares a key runs one after the other, first come first
 * served.
 */

export class KeyedMutex {
  /**
   * Starts the work that waits, for each key whose work is under way. Not the promises of that work: a table that the
   * map has replaced would keep them and their results in memory until the next full collection.
   */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Runs `work` when all earlier work of this key has settled. Settles as the work does; a failure does not reach the
   * work that waits behind it. When the key is free, `work` is called before this returns.
   */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, []);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.get(key)?.shift();
      if (next === undefined) this.#waiting.delete(key);
      else next();
    }
  }
}

/** The same for work of one kind. */
export class Mutex {
  readonly #mutex = new KeyedMutex();

  /** See `KeyedMutex.run`. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run('', work);
  }

  /** Resolves when all work submitted so far has settled; never rejects. */
  idle(): Promise<void> {
    return this.run(async () => undefined);
  }
}
