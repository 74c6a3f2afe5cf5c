/**
 * The newest frames of a sequence, shared by its subscribers, and how frames are batched into writes.
 *
 * - Frames are in order; when the buffer is full, its older half is dropped.
 * - Subscribers at the same cursor get the same bytes, encoded once.
 */

/** One entry of a numbered sequence, as it is sent. */
export interface Frame {
  readonly seq: number;
  /** One line of JSON. */
  readonly json: string;
  /** Its size in a write, in bytes. */
  readonly bytes: number;
}

/** An entry that the subscriber did not select: only its number counts. */
interface SkippedEntry {
  readonly seq: number;
  readonly json: null;
}

export type Entry = Frame | SkippedEntry;

/** Everything published so far. */
export interface Totals {
  readonly frames: number;
  readonly bytes: number;
}

const BUFFER_FRAMES_MAX = 8_192;
const BUFFER_BYTES_MAX = 4_194_304;
/** Limits of one write: a blocked subscriber holds one in memory. A single frame may exceed the bytes. */
const WRITE_FRAMES_MAX = 256;
const WRITE_BYTES_MAX = 16_384;
/** Stored entries that are read for one write. */
const SCANNED_MAX = 2_000;

/** A frame, with its size on the wire. */
export function frame(seq: number, json: string): Frame {
  return { seq, json, bytes: Buffer.byteLength(json) + `id: ${seq}\ndata: \n\n`.length };
}

/** One or more frames that are sent together. */
export class Write {
  readonly frames: readonly Frame[];
  #bytes: Buffer | null = null;

  constructor(frames: readonly Frame[]) {
    this.frames = frames;
  }

  /** The number of the last frame. */
  get through(): number {
    return this.frames.at(-1)!.seq;
  }

  /** The frames as Server-Sent Events; encoded on first use. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.frames.map(({ seq, json }) => `id: ${seq}\ndata: ${json}\n\n`).join(''));
    return this.#bytes;
  }
}

/** The newest frames of one sequence. */
export class ReplayBuffer {
  #frames: Frame[] = [];
  #bytes = 0;
  #published: Totals = { frames: 0, bytes: 0 };
  /** Shared by subscribers at the same cursor until more is published. */
  #newestWrite: Write | null = null;
  #newestWriteAt: Totals | null = null;
  /** The buffer holds all frames after this number. */
  #after: number;

  constructor(after: number) {
    this.#after = after;
  }

  /** The number of the newest published frame. */
  get newest(): number {
    return this.#frames.at(-1)?.seq ?? this.#after;
  }

  get published(): Totals {
    return this.#published;
  }

  push(frames: readonly Frame[]): void {
    const bytes = frames.reduce((sum, each) => sum + each.bytes, 0);
    this.#frames.push(...frames);
    this.#bytes += bytes;
    this.#published = { frames: this.#published.frames + frames.length, bytes: this.#published.bytes + bytes };
    if (this.#frames.length > BUFFER_FRAMES_MAX || this.#bytes > BUFFER_BYTES_MAX) this.#dropOlderHalf();
  }

  /** Whether the buffer holds all frames after the cursor; otherwise they are read from the store. */
  reaches(cursor: number): boolean {
    return cursor >= this.#after;
  }

  /** The next write after a cursor that the buffer reaches; null when there are no frames. */
  following(cursor: number): Write | null {
    let from = this.#frames.length;
    while (from > 0 && this.#frames[from - 1]!.seq > cursor) from -= 1;
    const first = this.#frames[from];
    if (first === undefined) return null;
    if (this.#newestWrite?.frames[0] !== first || this.#newestWriteAt !== this.#published) {
      this.#newestWrite = new Write(oneWrite(this.#frames.slice(from, from + WRITE_FRAMES_MAX)).frames);
      this.#newestWriteAt = this.#published;
    }
    return this.#newestWrite;
  }

  /** Drops all frames, because stored entries have changed. */
  clear(): void {
    this.#after = this.newest;
    this.#frames = [];
    this.#bytes = 0;
    this.#newestWrite = null;
  }

  #dropOlderHalf(): void {
    const count = Math.ceil(this.#frames.length / 2);
    this.#after = this.#frames[count - 1]!.seq;
    this.#frames = this.#frames.slice(count);
    this.#bytes = this.#frames.reduce((sum, each) => sum + each.bytes, 0);
  }
}

interface OneWrite {
  readonly frames: readonly Frame[];
  /** The number of the last entry that was taken or skipped; undefined when there was none. */
  readonly through: number | undefined;
  /** Whether there are no entries after `through`. */
  readonly isAll: boolean;
}

/** Takes as many entries as one write holds; iterates no further. */
export function oneWrite(entries: Iterable<Entry>): OneWrite {
  const frames: Frame[] = [];
  let through: number | undefined;
  let bytes = 0;
  let scanned = 0;
  for (const entry of entries) {
    scanned += 1;
    if (entry.json !== null) {
      bytes += entry.bytes;
      if (frames.length > 0 && bytes > WRITE_BYTES_MAX) return { frames, through, isAll: false };
      frames.push(entry);
    }
    through = entry.seq;
    if (frames.length >= WRITE_FRAMES_MAX || scanned >= SCANNED_MAX) return { frames, through, isAll: false };
  }
  return { frames, through, isAll: true };
}
