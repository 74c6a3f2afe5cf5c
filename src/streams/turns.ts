/**
 * Whose turn it is to carry out a command.
 *
 * - Work of one key goes one after the other; work of different keys goes on side by side.
 * - Who cannot get anywhere beside the others asks to be alone: nobody new enters, those inside finish, then it goes on
 *   by itself. Those who ask meanwhile follow one by one; nobody waits for somebody who waits for them.
 */
export class Turns {
  /** The newest work of a key; only keys with work under way. */
  readonly #newest = new Map<string, Promise<unknown>>();
  /** Resolves when everybody may enter again; null while they may. */
  closed: Promise<void> | null = null;
  #open: () => void = () => {};
  /** Those inside who do not wait to be alone. */
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#newest.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#newest.set(key, mine);
    const done = (): void => {
      if (this.#newest.get(key) === mine) this.#newest.delete(key);
    };
    mine.then(done, done);
    return mine;
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
  alone(): Promise<void> {
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
