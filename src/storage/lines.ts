/**
 * Lines of UTF-8 text from chunks of bytes: what `import` and `append` read.
 *
 * - Only `\n` ends a line, with or without `\r` before it: JSON may hold U+2028 and a lone `\r` as they are.
 * - Bytes that are not UTF-8 are refused by the number of their line, never replaced.
 */
import { StorageError } from './errors.ts';

/** A chunk of text holds whole characters; bytes may be cut anywhere. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

export interface Line {
  /** Counted from 1, blank lines too. */
  readonly number: number;
  readonly text: string;
}

/** Four times the greatest event: room for escapes. */
const LINE_BYTES_MAX = 67_108_864;
const NEWLINE = 0x0a;

/** Every line that is not blank. */
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
    if (bytes > LINE_BYTES_MAX) throw refused(`Line ${number} holds more than ${LINE_BYTES_MAX} bytes.`);
  }
  const text = decode(parts, number);
  if (text.trim() !== '') yield { number, text };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decode(parts: readonly Uint8Array[], number: number): string {
  try {
    return UTF_8.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  } catch {
    throw refused(`Line ${number} holds bytes that are not UTF-8.`);
  }
}

function refused(what: string): StorageError {
  return new StorageError('STORAGE_VALUE_INVALID', what);
}
