/**
 * A shared lock that its holders may upgrade to the exclusive lock.
 *
 * - An upgrade waits until all other holders have left; meanwhile nothing enters. Several upgrades are granted one by
 *   one, so they cannot deadlock.
 */
export class UpgradableLock {
  /** Resolves when the lock may be entered again; null while it may. */
  closed: Promise<void> | null = null;
  #open: () => void = () => {};
  /** Number of holders that do not wait for the exclusive lock. */
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** Only while `closed` is null. Every `enter` is followed by one `leave`. */
  enter(): void {
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    this.#next();
  }

  /** Upgrades a holder: resolves when it has the exclusive lock, which `leave` releases. */
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
