/**
 * Whose turn it is to carry out a command.
 *
 * - Work of one key goes one after the other; work of different keys goes on side by side.
 * - Who cannot get anywhere beside the others asks to be alone: nobody new enters, those inside finish, then it goes on
 *   by itself. Those who ask meanwhile follow one by one; nobody waits for somebody who waits for them.
 */
export class KeyedMutex {
  /** Who waits for a key, only of keys that are taken; null while nobody does. */
  readonly #taken = new Map<string, (() => void)[] | null>();
  /** Resolves when everybody may enter again; null while they may. */
  closed: Promise<void> | null = null;
  #open: () => void = () => {};
  /** Those inside who do not wait to be alone. */
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  /** Null when the key is the caller's at once, else what it must wait for. Whoever takes a key gives it back. */
  lock(key: string): Promise<void> | null {
    const waiting = this.#taken.get(key);
    if (waiting === undefined) {
      this.#taken.set(key, null);
      return null;
    }
    return new Promise((resolve) => {
      if (waiting === null) this.#taken.set(key, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** The key goes to who waited longest. */
  unlock(key: string): void {
    const next = this.#taken.get(key)?.shift();
    if (next === undefined) this.#taken.delete(key);
    else next();
  }

  /** Not while `closed`. Whoever enters leaves. */
  enter(): void {
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    this.#next();
  }

  /** For somebody inside: resolves when nobody else is, until it leaves. */
  exclusive(): Promise<void> {
    this.closed ??= new Promise((resolve) => {
      this.#open = resolve;
    });
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.leave();
    return turn;
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
