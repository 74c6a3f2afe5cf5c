/**
 * History, then live, for any number of readers of one numbered sequence: a reader pulls pages from the store until it
 * has caught up, then shares the newest frames, each encoded once.
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

/** One event as it goes over the wire; `block` holds its SSE lines without the closing blank line. */
export interface Frame {
  readonly seq: number;
  readonly block: string;
}

export const BEHIND_FRAMES_MAX = 1_024;
export const BEHIND_BYTES_MAX = 1_048_576;
export const KEEP_ALIVE_MS = 15_000;
/** One write: what a blocked reader can at most hold besides what its socket took. Always at least one frame. */
const CHUNK_FRAMES_MAX = 256;
const CHUNK_BYTES_MAX = 16_384;
const RING_FRAMES_MAX = 1_024;
const RING_BYTES_MAX = 1_048_576;
/** Blocked readers are looked for after this many frames or bytes, not at each publish. */
const LOOK_FRAMES = 64;
const LOOK_BYTES = 65_536;
/** Rounds shorter than this are not spaced. */
const ROUND_MS_FREE = 1;

/** What a reader gets: the blocks for one write, joined by blank lines, or the tick on which to send a keep-alive. */
export type Chunk =
  | { readonly kind: 'frames'; readonly blocks: string; readonly last: number }
  | { readonly kind: 'tick' };

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

interface Totals {
  frames: number;
  bytes: number;
}

export function createTail(page: PageReader, published: number): Tail {
  return new SharedTail(page, published);
}

class SharedTail implements Tail {
  readonly grown$ = new Subject<number>();
  readonly total: Totals = { frames: 0, bytes: 0 };
  ended = false;
  published: number;
  readonly #page: PageReader;
  readonly #readers = new Set<Reader>();
  #looked: Totals = { frames: 0, bytes: 0 };
  #ring: Frame[] = [];
  #ringBytes = 0;
  #ticking: NodeJS.Timeout | null = null;
  #joined = { from: -1, to: -1, blocks: '' };
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
    for (const frame of frames) {
      const bytes = Buffer.byteLength(frame.block);
      this.total.bytes += bytes;
      this.#ringBytes += bytes;
      this.#ring.push(frame);
    }
    this.total.frames += frames.length;
    this.#trim();
    this.grown$.next(last.seq);
    this.#newsWaits = true;
    if (!this.#resting) this.#tellReaders();
    const { frames: framesBefore, bytes: bytesBefore } = this.#looked;
    if (this.total.frames - framesBefore >= LOOK_FRAMES || this.total.bytes - bytesBefore >= LOOK_BYTES) {
      this.#cutOffBlocked();
    }
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
    this.#ring = [];
    this.#ringBytes = 0;
  }

  /** What follows the cursor, as much as one write may hold: from the ring when it reaches back that far, else from the store. */
  following(cursor: number): readonly Frame[] {
    const first = this.#ring[0];
    if (first === undefined || first.seq > cursor + 1) {
      const frames = oneWrite(this.#page(cursor, CHUNK_FRAMES_MAX));
      if (frames.length > 0 || first === undefined) return frames;
    }
    return oneWrite(after(this.#ring, cursor));
  }

  /** Readers at the same place share one joined string. */
  blocksOf(frames: readonly Frame[]): string {
    const from = frames[0]!.seq;
    const to = frames.at(-1)!.seq;
    if (from === to) return frames[0]!.block;
    if (this.#joined.from !== from || this.#joined.to !== to) {
      this.#joined = { from, to, blocks: frames.map((frame) => frame.block).join('\n\n') };
    }
    return this.#joined.blocks;
  }

  #trim(): void {
    if (this.#ring.length <= 2 * RING_FRAMES_MAX && this.#ringBytes <= 2 * RING_BYTES_MAX) return;
    let keep = this.#ring.length;
    let bytes = 0;
    while (keep > 0 && this.#ring.length - keep < RING_FRAMES_MAX && bytes < RING_BYTES_MAX) {
      keep -= 1;
      bytes += Buffer.byteLength(this.#ring[keep]!.block);
    }
    this.#ring = this.#ring.slice(keep);
    this.#ringBytes = bytes;
  }

  #cutOffBlocked(): void {
    this.#looked = { ...this.total };
    for (const reader of this.#readers) {
      const since = reader.blockedSince;
      if (since === null) continue;
      const frames = this.total.frames - since.frames;
      const bytes = this.total.bytes - since.bytes;
      if (frames > BEHIND_FRAMES_MAX || bytes > BEHIND_BYTES_MAX) reader.cutOff();
    }
  }
}

/** The frames behind a cursor; readers are mostly near the end. */
function* after(ring: readonly Frame[], cursor: number): Iterable<Frame> {
  let from = ring.length;
  while (from > 0 && ring[from - 1]!.seq > cursor) from -= 1;
  for (let index = from; index < ring.length; index += 1) yield ring[index]!;
}

function oneWrite(frames: Iterable<Frame>): readonly Frame[] {
  const taken: Frame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    bytes += Buffer.byteLength(frame.block);
    if (taken.length > 0 && bytes > CHUNK_BYTES_MAX) break;
    taken.push(frame);
    if (taken.length >= CHUNK_FRAMES_MAX) break;
  }
  return taken;
}

const DONE: IteratorResult<Chunk> = { done: true, value: undefined };
const TICK: IteratorResult<Chunk> = { done: false, value: { kind: 'tick' } };

/** An iterator written by hand: a generator could not be closed while it waits. One `next` at a time. */
class Reader implements TailReader {
  /** Published totals when the socket took its last chunk; null while the reader waits for news. */
  blockedSince: Totals | null = null;
  readonly #tail: SharedTail;
  readonly #cutOff: () => void;
  #cursor: number;
  #waiting: ((result: IteratorResult<Chunk>) => void) | null = null;
  #closed = false;

  constructor(tail: SharedTail, options: ReaderOptions) {
    this.#tail = tail;
    this.#cursor = options.after;
    this.#cutOff = options.cutOff;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Chunk>> {
    this.blockedSince = null;
    const ready = this.#take();
    if (ready !== null) return Promise.resolve(ready);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<Chunk>> {
    this.close();
    return Promise.resolve(DONE);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tail.leave(this);
    this.#hand(DONE);
  }

  cutOff(): void {
    this.close();
    this.#cutOff();
  }

  news(): void {
    if (this.#waiting === null) return;
    const ready = this.#take();
    if (ready !== null) this.#hand(ready);
  }

  tick(): void {
    this.#hand(TICK);
  }

  #hand(result: IteratorResult<Chunk>): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(result);
  }

  #take(): IteratorResult<Chunk> | null {
    if (this.#closed) return DONE;
    const frames = this.#tail.following(this.#cursor);
    const last = frames.at(-1);
    if (last !== undefined) {
      this.#cursor = last.seq;
      this.blockedSince = { ...this.#tail.total };
      return { done: false, value: { kind: 'frames', blocks: this.#tail.blocksOf(frames), last: last.seq } };
    }
    if (!this.#tail.ended) return null;
    this.close();
    return DONE;
  }
}
