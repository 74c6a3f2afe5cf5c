/**
 * The stream index: finds the positions of a stream's events. One entry covers the events that one append added to the
 * stream, which have consecutive versions and consecutive positions.
 */
import type { Change, Entry } from '../engine.ts';
import { damaged } from './damage.ts';
import { readNumber, readStreamIndexKey, streamIndexKey, writeNumber } from './keys.ts';

export interface StreamIndexEntry {
  readonly stream: string;
  /** Version of the first event. */
  readonly version: number;
  /** Position of the first event. */
  readonly position: number;
  /** Number of events. */
  readonly count: number;
}

const VALUE_BYTES = 12;

/** The change that stores an index entry. */
export function encodeIndexEntry({ stream, version, position, count }: StreamIndexEntry): Change {
  const value = Buffer.allocUnsafe(VALUE_BYTES);
  writeNumber(value, 0, position);
  value.writeUInt32BE(count, 8);
  return { key: streamIndexKey(stream, version), value };
}

/** Throws `STORAGE_CORRUPT` for a record that cannot be an index entry. */
export function decodeIndexEntry({ key, value }: Entry): StreamIndexEntry {
  if (key.length < 11 || value.length !== VALUE_BYTES) throw damaged('a stream index entry has a wrong size');
  const { stream, version } = readStreamIndexKey(key);
  const count = new DataView(value.buffer, value.byteOffset).getUint32(8);
  const indexed = { stream, version, position: readNumber(value, 0), count };
  if (indexed.version < 1 || indexed.count < 1 || indexed.position < 1) {
    throw damaged(`an index entry of stream ${stream} is impossible`);
  }
  return indexed;
}
