/**
 * A lock that work enters beside other work, and may upgrade to the exclusive lock.
 *
 * - Work that upgrades waits until all other work that has entered has left. Meanwhile nothing new enters. Further
 *   upgrades are granted one by one, so there is no deadlock between them.
 */
export class UpgradableLock {
  /** Resolves when work may enter again; null while it may. */
  closed: Promise<void> | null = null;
  #open: () => void = () => {};
  /** Work that has entered and does not wait for the exclusive lock. */
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
