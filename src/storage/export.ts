/**
 * The log as JSON Lines: one event a line, with its leaf hash, in order of position.
 *
 * - A line is the event's canonical JSON with `leaf_hash` added at its end (and, for an erased one, `data` null and
 *   `erased` true): take those away, put `data` back out, and the bytes that were hashed are there again.
 */
import type { ReadOptions } from './event-log.ts';
import type { StoredEventLog } from './log/event-log.ts';
import { isErased, leafOf, textOf, toHex } from './log/record.ts';

const CHUNK_BYTES = 65_536;

/** The lines in chunks of some 64 KiB, as they stand when the export begins; one event is never held twice. */
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

/** One event as a line, from its stored record. */
export function exportLine(record: Uint8Array): Buffer {
  const text = textOf(record);
  const mark = isErased(record) ? ',"data":null,"erased":true' : '';
  const end = `${mark},"leaf_hash":"${toHex(leafOf(record))}"}\n`;
  return Buffer.concat([text.subarray(0, text.length - 1), Buffer.from(end)]);
}
