/**
 * A mutex for each key, and one exclusive lock over all of them.
 *
 * - Work with one key runs one at a time; work with different keys runs concurrently.
 * - Work that needs the exclusive lock waits until all other work that has entered has left. Meanwhile nothing new
 *   enters. Further requests for the lock are granted one by one, so there is no deadlock between them.
 */
export class KeyedMutex {
  /** The waiters of each locked key; null while a locked key has none. */
  readonly #locked = new Map<string, (() => void)[] | null>();
  /** Resolves when work may enter again; null while it may. */
  closed: Promise<void> | null = null;
  #open: () => void = () => {};
  /** Work that has entered and does not wait for the exclusive lock. */
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** Null when the key is locked at once, else what to wait for. Every `lock` is followed by one `unlock`. */
  lock(key: string): Promise<void> | null {
    const waiting = this.#locked.get(key);
    if (waiting === undefined) {
      this.#locked.set(key, null);
      return null;
    }
    return new Promise((resolve) => {
      if (waiting === null) this.#locked.set(key, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** The longest waiter gets the key. */
  unlock(key: string): void {
    const next = this.#locked.get(key)?.shift();
    if (next === undefined) this.#locked.delete(key);
    else next();
  }

  /** Only while `closed` is null. Every `enter` is followed by one `leave`. */
  enter(): void {
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    this.#next();
  }

  /** For work that has entered: resolves when it holds the exclusive lock, which it gives back with `leave`. */
  exclusive(): Promise<void> {
    this.closed ??= new Promise((resolve) => {
      this.#open = resolve;
    });
    const granted = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.leave();
    return granted;
  }

  #next(): void {
    if (this.#inside > 0) return;
    const first = this.#waiting.shift();
    if (first !== undefined) {
      this.#inside = 1;
      first();
    } else if (this.closed !== null) {
      this.closed = null;
      this.#open();
    }
  }
}
