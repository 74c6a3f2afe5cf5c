/**
 * Export of the log as JSON Lines: one event per line, in order of position, with its leaf hash.
 *
 * - A line is the event's canonical JSON with `leaf_hash` appended; without it, the line is the hashed text. An erased
 *   event's line is its metadata with `data` null, `erased` true and `leaf_hash` appended.
 */
import type { ReadOptions } from './event-log.ts';
import type { StoredEventLog } from './log/event-log.ts';
import { isErased, leafOf, textOf, toHex } from './log/record.ts';

const CHUNK_BYTES = 65_536;

/** The lines in chunks of about 64 KiB, up to the head at the first step. */
export function* exportLines(log: StoredEventLog, options: ReadOptions = {}): Generator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const { record } of log.readRaw(options)) {
    const line = exportLine(record);
    parts.push(line);
    bytes += line.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

/** The line of one stored record. */
export function exportLine(record: Uint8Array): Buffer {
  const text = textOf(record);
  const mark = isErased(record) ? ',"data":null,"erased":true' : '';
  const end = `${mark},"leaf_hash":"${toHex(leafOf(record))}"}\n`;
  return Buffer.concat([text.subarray(0, text.length - 1), Buffer.from(end)]);
}
