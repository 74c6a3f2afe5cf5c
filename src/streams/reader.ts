/**
 * One reader of a tail: an iterator written by hand, because a generator could not be closed while it waits. One `next`
 * at a time.
 *
 * - A reader that is behind gets one write a turn of the event loop, so that a long history starves nobody.
 */
import type { Write } from './ring.ts';

/** What a reader gets: frames for one write, or the tick on which to send a keep-alive. */
export type Chunk = ({ readonly kind: 'frames' } & Write) | { readonly kind: 'tick' };

/** What was published so far. */
export interface Totals {
  frames: number;
  bytes: number;
}

export interface ReaderOptions {
  /** Frames after this number. */
  readonly after: number;
  /** Called once if the reader falls too far behind while its socket is blocked; destroy the socket. */
  readonly cutOff: () => void;
}

export interface TailReader extends AsyncIterableIterator<Chunk> {
  /** Ends the reader also while it waits; idempotent. */
  close(): void;
}

/** What a reader needs of its tail. */
export interface Source {
  readonly total: Readonly<Totals>;
  readonly ended: boolean;
  /** Surely nothing follows the cursor yet; false when it would take a look. */
  isNewest(cursor: number): boolean;
  following(cursor: number): Write | null;
  leave(reader: Reader): void;
}

const DONE: IteratorResult<Chunk> = { done: true, value: undefined };
const TICK: IteratorResult<Chunk> = { done: false, value: { kind: 'tick' } };

export class Reader implements TailReader {
  /** Published totals when the socket took its last chunk; null while the reader could take more. */
  blockedSince: Totals | null = null;
  readonly #source: Source;
  readonly #cutOff: () => void;
  #cursor: number;
  #waiting: ((result: IteratorResult<Chunk>) => void) | null = null;
  #closed = false;

  constructor(source: Source, options: ReaderOptions) {
    this.#source = source;
    this.#cursor = options.after;
    this.#cutOff = options.cutOff;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Chunk>> {
    this.blockedSince = null;
    if (this.#closed) return Promise.resolve(DONE);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      if (!this.#source.isNewest(this.#cursor)) setImmediate(() => this.news());
    });
  }

  return(): Promise<IteratorResult<Chunk>> {
    this.close();
    return Promise.resolve(DONE);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#source.leave(this);
    this.#hand(DONE);
  }

  cutOff(): void {
    this.close();
    this.#cutOff();
  }

  /** Hands out what there is, if the reader waits and there is something. */
  news(): void {
    if (this.#waiting === null) return;
    const write = this.#source.following(this.#cursor);
    if (write !== null) {
      this.#cursor = write.frames.at(-1)!.seq;
      this.blockedSince = { ...this.#source.total };
      this.#hand({ done: false, value: { kind: 'frames', ...write } });
    } else if (this.#source.ended) this.close();
  }

  tick(): void {
    this.#hand(TICK);
  }

  #hand(result: IteratorResult<Chunk>): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(result);
  }
}
