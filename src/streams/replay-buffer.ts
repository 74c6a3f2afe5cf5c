/**
 * The newest frames of a sequence, held once for all its subscribers, and what of them goes into one write.
 *
 * - Frames are in order; when the buffer is full its older half goes.
 * - Subscribers at the same place get the same bytes, encoded once.
 */

/** One entry of a numbered sequence, as it is sent. */
export interface Frame {
  readonly seq: number;
  /** One line of JSON. */
  readonly json: string;
  /** What it takes in a write, in bytes. */
  readonly bytes: number;
}

/** An entry that the subscriber did not select: only its number counts. */
export interface PassedOver {
  readonly seq: number;
  readonly json: null;
}

export type Entry = Frame | PassedOver;

/** What was published so far. */
export interface Totals {
  readonly frames: number;
  readonly bytes: number;
}

const BUFFER_FRAMES_MAX = 8_192;
const BUFFER_BYTES_MAX = 4_194_304;
/** What a blocked subscriber holds at most besides what its socket took. One frame goes out however large it is. */
const WRITE_FRAMES_MAX = 256;
const WRITE_BYTES_MAX = 16_384;
/** Entries of the store that are looked at in one turn of the event loop. */
const SCANNED_MAX = 2_000;

export function frame(seq: number, json: string): Frame {
  return { seq, json, bytes: Buffer.byteLength(json) + `id: ${seq}\ndata: \n\n`.length };
}

/** Frames that go out together, never none. */
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

  /** The frames as Server-Sent Events; made when first asked for. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.frames.map(({ seq, json }) => `id: ${seq}\ndata: ${json}\n\n`).join(''));
    return this.#bytes;
  }
}

export class ReplayBuffer {
  #frames: Frame[] = [];
  #bytes = 0;
  #published: Totals = { frames: 0, bytes: 0 };
  /** For subscribers at the same place, as long as nothing more is published. */
  #newestWrite: Write | null = null;
  #writtenAt: Totals | null = null;
  /** All frames after this number are held. */
  #after: number;

  constructor(after: number) {
    this.#after = after;
  }

  /** Everything up to here is published. */
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

  /** Whether all that follows the cursor is held here; otherwise the store has it. */
  reaches(cursor: number): boolean {
    return cursor >= this.#after;
  }

  /** What follows a cursor that the buffer reaches, as much as one write holds. */
  following(cursor: number): Write | null {
    let from = this.#frames.length;
    while (from > 0 && this.#frames[from - 1]!.seq > cursor) from -= 1;
    const first = this.#frames[from];
    if (first === undefined) return null;
    if (this.#newestWrite?.frames[0] !== first || this.#writtenAt !== this.#published) {
      this.#newestWrite = new Write(oneWrite(this.#frames.slice(from, from + WRITE_FRAMES_MAX)).frames);
      this.#writtenAt = this.#published;
    }
    return this.#newestWrite;
  }

  /** Drops all frames: the store has other ones now. */
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

export interface Taken {
  readonly frames: readonly Frame[];
  /** The number of the last entry taken or passed over, undefined when there was none. */
  readonly through: number | undefined;
  /** There is nothing after `through`. */
  readonly isAll: boolean;
}

/** As many of the entries as one write holds; no more of them is iterated. */
export function oneWrite(entries: Iterable<Entry>): Taken {
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
