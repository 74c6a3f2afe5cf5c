/**
 * Splits chunks of UTF-8 bytes into lines, for import and append.
 *
 * - Only `\n`, optionally after `\r`, ends a line: JSON text may contain U+2028 and a lone `\r`.
 * - Invalid UTF-8 is refused with the line number, never replaced.
 */
import { valueInvalid } from './errors.ts';

/** Chunks of bytes may be cut anywhere, also inside a character. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

export interface Line {
  /** Counted from 1, including blank lines. */
  readonly number: number;
  readonly text: string;
}

/** Four times the largest event, to allow for escapes. */
const LINE_BYTES_MAX = 67_108_864;
const NEWLINE = 0x0a;

/** The lines that are not blank. Throws `STORAGE_VALUE_INVALID` for invalid UTF-8 and for lines beyond 64 MiB. */
export async function* linesOf(chunks: Chunks): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    const buffer = Buffer.from(chunk as Uint8Array);
    let from = 0;
    for (let end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, from)) {
      const text = decode([...parts, buffer.subarray(from, end)], number);
      if (text.trim() !== '') yield { number, text };
      parts = [];
      bytes = 0;
      number += 1;
      from = end + 1;
    }
    parts.push(buffer.subarray(from));
    bytes += buffer.length - from;
    if (bytes > LINE_BYTES_MAX) throw valueInvalid(`Line ${number} holds more than ${LINE_BYTES_MAX} bytes.`);
  }
  const text = decode(parts, number);
  if (text.trim() !== '') yield { number, text };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decode(parts: readonly Uint8Array[], number: number): string {
  try {
    return UTF_8.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    throw valueInvalid(`Line ${number} holds bytes that are not UTF-8.`);
  }
}
