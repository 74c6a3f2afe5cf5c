/**
 * History, then live, for any number of readers of one numbered sequence: a reader pulls from the store until it has
 * caught up, then shares the newest frames, each encoded once.
 *
 * - Numbers ascend; a reader gets every frame after its cursor exactly once, in order, across the seam.
 * - Nothing is queued per reader. A reader whose socket is blocked while 1 024 frames or 1 MiB went by is cut off and
 *   catches up from the store when it reconnects; reading history at one's own pace never counts.
 * - The ring is a shortcut: with an empty ring every reader would still get the same frames, from the store.
 * - Telling the readers takes at most half of the time: after a round that took t, the next begins t later, and what
 *   came meanwhile goes out together. A round that is over at once, as with few readers, delays nothing.
 */
// The package's front door loads two hundred files at start; these two are all that is needed here.
import type { Observable } from 'rxjs/internal/Observable';
import { Subject } from 'rxjs/internal/Subject';
import { Reader, type ReaderOptions, type Source, type TailReader, type Totals } from './reader.ts';
import { type Frame, oneWrite, Ring, type Write } from './ring.ts';

export const BEHIND_FRAMES_MAX = 1_024;
export const BEHIND_BYTES_MAX = 1_048_576;
export const KEEP_ALIVE_MS = 15_000;
const PAGE_FRAMES = 256;
/** Blocked readers are looked for after this many frames or bytes, not at each publish. */
const LOOK_FRAMES = 64;
const LOOK_BYTES = 65_536;
/** Rounds shorter than this are not spaced. */
const ROUND_MS_FREE = 1;

export interface Tail {
  readonly readers: number;
  /** Number of the newest frame published so far. */
  readonly published: number;
  /** The numbers as they grow. */
  readonly grown$: Observable<number>;
  publish(frames: readonly Frame[]): void;
  /** No more frames will come: readers end when they have read what there is. */
  end(): void;
  read(options: ReaderOptions): TailReader;
}

/** Frames after a number from the store, at most `limit`, in order; no more of it is iterated than is sent. */
export type PageReader = (after: number, limit: number) => Iterable<Frame>;

export function createTail(page: PageReader, published: number): Tail {
  return new SharedTail(page, published);
}

class SharedTail implements Tail, Source {
  readonly grown$ = new Subject<number>();
  readonly total: Totals = { frames: 0, bytes: 0 };
  ended = false;
  published: number;
  readonly #page: PageReader;
  readonly #ring = new Ring();
  readonly #readers = new Set<Reader>();
  #looked: Totals = { frames: 0, bytes: 0 };
  #ticking: NodeJS.Timeout | null = null;
  #resting = false;
  #newsWaits = false;

  constructor(page: PageReader, published: number) {
    this.#page = page;
    this.published = published;
  }

  get readers(): number {
    return this.#readers.size;
  }

  publish(frames: readonly Frame[]): void {
    const last = frames.at(-1);
    if (last === undefined) return;
    this.published = last.seq;
    for (const frame of frames) this.total.bytes += this.#ring.push(frame);
    this.total.frames += frames.length;
    this.grown$.next(last.seq);
    this.#newsWaits = true;
    if (!this.#resting) this.#tellReaders();
    this.#lookForBlocked();
  }

  end(): void {
    this.ended = true;
    for (const reader of this.#readers) reader.news();
    this.grown$.complete();
  }

  read(options: ReaderOptions): TailReader {
    const reader = new Reader(this, options);
    this.#readers.add(reader);
    this.#ticking ??= setInterval(() => {
      for (const each of this.#readers) each.tick();
    }, KEEP_ALIVE_MS).unref();
    return reader;
  }

  leave(reader: Reader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    if (this.#ticking !== null) clearInterval(this.#ticking);
    this.#ticking = null;
    this.#ring.clear();
  }

  isNewest(cursor: number): boolean {
    return !this.ended && this.#ring.last === cursor;
  }

  /**
   * What follows the cursor, as much as one write holds: from the ring when it reaches back that far, else from the
   * store.
   */
  following(cursor: number): Write | null {
    const { first } = this.#ring;
    const isHeld = first !== undefined && first <= cursor + 1;
    const stored = isHeld ? null : oneWrite(this.#page(cursor, PAGE_FRAMES));
    return stored ?? this.#ring.following(cursor);
  }

  #tellReaders(): void {
    this.#newsWaits = false;
    this.#resting = true;
    const begin = performance.now();
    for (const reader of this.#readers) reader.news();
    // What the readers' promises do with the news is done before the next immediate.
    setImmediate(() => {
      const took = performance.now() - begin;
      if (took < ROUND_MS_FREE) this.#endRest();
      else setTimeout(() => this.#endRest(), took);
    });
  }

  #endRest(): void {
    this.#resting = false;
    if (this.#newsWaits) this.#tellReaders();
  }

  #lookForBlocked(): void {
    const frames = this.total.frames - this.#looked.frames;
    const bytes = this.total.bytes - this.#looked.bytes;
    if (frames < LOOK_FRAMES && bytes < LOOK_BYTES) return;
    this.#looked = { ...this.total };
    for (const reader of this.#readers) {
      const since = reader.blockedSince;
      if (since === null) continue;
      const isBehind =
        this.total.frames - since.frames > BEHIND_FRAMES_MAX || this.total.bytes - since.bytes > BEHIND_BYTES_MAX;
      if (isBehind) reader.cutOff();
    }
  }
}
