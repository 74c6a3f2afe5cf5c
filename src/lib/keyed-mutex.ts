/**
 * Mutual exclusion in one process: asynchronous work that shares a key runs one after the other, first come first
 * served.
 */

export class KeyedMutex {
  /** The newest work of each key with unfinished work. */
  readonly #newest = new Map<string, Promise<unknown>>();

  /**
   * Runs `work` when all earlier work of this key has settled. Settles as the work does; a failure does not reach the
   * work that waits behind it. When the key is free, `work` is called before this returns.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#newest.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#newest.set(key, mine);
    const settled = (): void => {
      if (this.#newest.get(key) === mine) this.#newest.delete(key);
    };
    mine.then(settled, settled);
    return mine;
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
