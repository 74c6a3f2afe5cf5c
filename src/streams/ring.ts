/**
 * The newest frames of a tail, shared by all its readers, and what of them goes into one write.
 *
 * - Frames are in order; when the ring is full the oldest half goes.
 * - Readers at the same place get the same bytes, encoded once.
 */
export interface Frame {
  readonly seq: number;
  /** Its SSE lines without the closing blank line. */
  readonly block: string;
}

/** Frames for one write, never none, and their bytes as they go over the wire. */
export interface Write {
  readonly frames: readonly Frame[];
  readonly bytes: Buffer;
}

const RING_FRAMES_MAX = 8_192;
const RING_BYTES_MAX = 4_194_304;
/** What a blocked reader can hold at most besides what its socket took. One frame goes out however large it is. */
const WRITE_FRAMES_MAX = 256;
const WRITE_BYTES_MAX = 16_384;
const BLANK_LINE = '\n\n';

export class Ring {
  #frames: Frame[] = [];
  #bytes = 0;
  #newest: Write | null = null;

  /** Number of the oldest frame held, undefined when there is none. */
  get first(): number | undefined {
    return this.#frames[0]?.seq;
  }

  get last(): number | undefined {
    return this.#frames.at(-1)?.seq;
  }

  /** Answers the bytes of the frame. */
  push(frame: Frame): number {
    const bytes = Buffer.byteLength(frame.block);
    this.#frames.push(frame);
    this.#bytes += bytes;
    if (this.#frames.length > RING_FRAMES_MAX || this.#bytes > RING_BYTES_MAX) this.#dropOldest();
    return bytes;
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
    this.#newest = null;
  }

  /** What of the held frames follows the cursor. */
  following(cursor: number): Write | null {
    let from = this.#frames.length;
    while (from > 0 && this.#frames[from - 1]!.seq > cursor) from -= 1;
    const to = from + fits(this.#frames, from);
    if (from === to) return null;
    const { frames } = this.#newest ?? { frames: [] };
    const isSame = frames[0] === this.#frames[from] && frames.at(-1) === this.#frames[to - 1];
    if (!isSame) this.#newest = encoded(this.#frames.slice(from, to));
    return this.#newest;
  }

  #dropOldest(): void {
    this.#frames = this.#frames.slice(Math.ceil(this.#frames.length / 2));
    this.#bytes = this.#frames.reduce((sum, { block }) => sum + Buffer.byteLength(block), 0);
  }
}

/** As many of the frames as one write holds; no more of them is iterated. */
export function oneWrite(frames: Iterable<Frame>): Write | null {
  const taken: Frame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    bytes += Buffer.byteLength(frame.block);
    if (taken.length > 0 && bytes > WRITE_BYTES_MAX) break;
    taken.push(frame);
    if (taken.length >= WRITE_FRAMES_MAX) break;
  }
  return taken.length === 0 ? null : encoded(taken);
}

/** How many of the frames from an index on fit into one write. */
function fits(frames: readonly Frame[], from: number): number {
  let count = 0;
  for (let bytes = 0; from + count < frames.length && count < WRITE_FRAMES_MAX; count += 1) {
    bytes += Buffer.byteLength(frames[from + count]!.block);
    if (count > 0 && bytes > WRITE_BYTES_MAX) break;
  }
  return count;
}

function encoded(frames: readonly Frame[]): Write {
  return { frames, bytes: Buffer.from(frames.map(({ block }) => block + BLANK_LINE).join('')) };
}
