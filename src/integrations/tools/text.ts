/**
 * Text for models from arbitrary bytes: limited in bytes without splitting a character, and without control characters
 * that act on terminals.
 */
import { withoutEscapeSequences } from '../../lib/escape-sequences.ts';

/** Keeps the beginning and the end of a byte stream, in less than three times `bytesMax` of memory. */
export class HeadAndTail {
  readonly #bytesMax: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #seenBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get seenBytes(): number {
    return this.#seenBytes;
  }

  push(chunk: Buffer): void {
    this.#seenBytes += chunk.length;
    const toHead = Math.min(chunk.length, this.#bytesMax - this.#headBytes);
    if (toHead > 0) {
      this.#head.push(chunk.subarray(0, toHead));
      this.#headBytes += toHead;
    }
    if (toHead === chunk.length) return;
    this.#tail.push(chunk.subarray(toHead));
    this.#tailBytes += chunk.length - toHead;
    if (this.#tailBytes > 2 * this.#bytesMax) this.#shortenTail();
  }

  captured(): Captured {
    if (this.#seenBytes <= this.#headBytes + this.#bytesMax) {
      return { head: decode(Buffer.concat([...this.#head, ...this.#tail])), tail: '', droppedBytes: 0 };
    }
    this.#shortenTail();
    const kept = Buffer.concat(this.#head);
    const head = kept.subarray(0, characterEnd(kept, kept.length));
    const end = Buffer.concat(this.#tail);
    const tail = end.subarray(characterStart(end, 0));
    return { head: decode(head), tail: decode(tail), droppedBytes: this.#seenBytes - head.length - tail.length };
  }

  #shortenTail(): void {
    const all = Buffer.concat(this.#tail);
    // A copy frees the large buffer behind the slice.
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - this.#bytesMax)));
    this.#tail = [kept];
    this.#tailBytes = kept.length;
  }
}

/** The text of a stream: all of it in `head`, or both ends and the number of bytes dropped between them. */
export interface Captured {
  readonly head: string;
  readonly tail: string;
  readonly droppedBytes: number;
}

export const NOTHING_CAPTURED: Captured = { head: '', tail: '', droppedBytes: 0 };

/** At most about `bytesMax` bytes; a longer text keeps its beginning and end, with a note between them. */
export function clipMiddle(captured: Captured, bytesMax: number): string {
  const head = Buffer.from(captured.head);
  const tail = captured.droppedBytes === 0 ? head : Buffer.from(captured.tail);
  if (captured.droppedBytes === 0 && head.length <= bytesMax) return captured.head;
  const half = Math.max(0, Math.floor((bytesMax - NOTE_BYTES_MAX) / 2));
  const headEnd = characterEnd(head, Math.min(half, head.length));
  const tailStart = characterStart(tail, Math.max(0, tail.length - half));
  const whole = captured.droppedBytes === 0 ? head.length : head.length + captured.droppedBytes + tail.length;
  const omitted = whole - headEnd - (tail.length - tailStart);
  return `${head.toString('utf8', 0, headEnd)}\n[… ${omitted} bytes left out …]\n${tail.toString('utf8', tailStart)}`;
}

/** The longest prefix that fits, without splitting a character. */
export function clipEnd(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= bytesMax ? text : bytes.toString('utf8', 0, characterEnd(bytes, bytesMax));
}

/** Removes escape sequences and makes other control characters visible, except newline and tab. Not reversible. */
export function harmless(text: string): string {
  return visibleControls(withoutEscapeSequences(text).replace(/(?<!\r)\r+\n/g, '\n'));
}

/** Both ends of a stream, each `harmless`. */
export function harmlessEnds(captured: Captured): Captured {
  return { ...captured, head: harmless(captured.head), tail: harmless(captured.tail) };
}

/** Shows control characters as `\x1b`, except newline and tab. */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** A name or path for a list with one entry a line. */
export function onOneLine(name: string): string {
  return visibleControls(name).replaceAll('\n', '\\x0a');
}

/** The first lines that fit. Lines are not cut. */
export function linesThatFit(lines: readonly string[], bytesMax: number): readonly string[] {
  let room = bytesMax;
  const cut = lines.findIndex((line) => {
    room -= Buffer.byteLength(line) + 1;
    return room < 0;
  });
  return cut < 0 ? lines : lines.slice(0, cut);
}

const NOTE_BYTES_MAX = 48;

const CONTROLS = /[^\P{Cc}\t\n]/gu;

function decode(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** The last position up to `end` that splits no character. */
function characterEnd(bytes: Buffer, end: number): number {
  for (let at = end; at > Math.max(0, end - 4); at--) {
    const byte = bytes[at - 1] as number;
    if (byte < 0x80) return at;
    if (byte >= 0xc0) return at - 1 + sequenceLength(byte) <= end ? at - 1 + sequenceLength(byte) : at - 1;
  }
  return end;
}

/** The first position from `start` at which a character begins. */
function characterStart(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && at < start + 4 && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
