/**
 * Reads of the log: by position and by stream, forward and backward, lazily.
 *
 * - A read ends at the head that the caller passes; later appends do not appear in it.
 * - Positions have no gaps: a missing one is reported as damage, never as a shorter answer.
 */
import type { Bytes, Entry, Reader } from '../engine.ts';
import type { EventPlace, ReadOptions, RecordedEvent } from '../event-log.ts';
import { damaged } from './damage.ts';
import { categoryIndexKeys, eventKey, numberOf, streamIndexKey } from './keys.ts';
import { decodeEvent } from './record.ts';
import { decodeIndexEntry, type StreamIndexEntry } from './stream-index.ts';

/** Bounds of a read: inclusive positions or versions. Empty when `from` > `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly reverse: boolean;
}

/** Stored records by position, undecoded: for export and verification. */
export interface RawEvent {
  readonly position: number;
  /** The record as docs/formats/event-log.md draws it. */
  readonly record: Uint8Array;
}

/** The stored record at a position that the log has. Throws `STORAGE_CORRUPT` when it is missing. */
export function recordAt(reader: Reader, position: number): Bytes {
  const record = reader.get(eventKey(position));
  if (record === undefined) throw damaged(`the event at position ${position} is missing`);
  return record;
}

/** The events by position; `head` is the last position that the read may return. */
export function* readAll(reader: Reader, head: number, options: ReadOptions): IterableIterator<RecordedEvent> {
  for (const { position, record } of readRaw(reader, head, options)) yield decodeEvent(record, position);
}

/** The stored records by position. Throws `RangeError` for malformed options, `STORAGE_CORRUPT` for a gap. */
export function* readRaw(reader: Reader, head: number, options: ReadOptions): IterableIterator<RawEvent> {
  const span = spanOf(options, head);
  if (span.from <= span.to) yield* eventsIn(reader, span);
}

/** The events of one stream; `version` is the version of its last event. */
export function* readStream(
  reader: Reader,
  stream: { readonly name: string; readonly version: number },
  options: ReadOptions,
): IterableIterator<RecordedEvent> {
  const span = spanOf(options, stream.version);
  if (span.from > span.to) return;
  for (const indexed of indexEntriesOf(reader, stream.name, span)) {
    for (const { position, record } of eventsIn(reader, positionsIn(span, indexed))) {
      const event = decodeEvent(record, position);
      if (event.stream !== stream.name) throw damaged(`position ${event.position} is indexed under ${stream.name}`);
      yield event;
    }
  }
}

/** Where the events of a category are, from its index entries; `head` is the last position that the read may return. */
export function* readPlaces(reader: Reader, category: string, head: number): IterableIterator<EventPlace> {
  for (const entry of reader.range(categoryIndexKeys(category))) {
    const { position, count } = decodeIndexEntry(entry);
    if (position <= head) yield { position, count };
  }
}

function spanOf({ after, limit = Number.POSITIVE_INFINITY, reverse = false }: ReadOptions, last: number): Span {
  checkWhole('after', after ?? 0);
  if (limit !== Number.POSITIVE_INFINITY) checkWhole('limit', limit);
  if (reverse) {
    const to = Math.min(last, after === undefined ? last : after - 1);
    return { from: Math.max(1, to - limit + 1), to, reverse };
  }
  const from = (after ?? 0) + 1;
  return { from, to: Math.min(last, from + limit - 1), reverse };
}

function checkWhole(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} must be a whole number from 0; it is ${value}.`);
}

/** The index entries that cover the span, in its direction. The entry that covers `from` may begin before it. */
function* indexEntriesOf(
  reader: Reader,
  stream: string,
  { from, to, reverse }: Span,
): IterableIterator<StreamIndexEntry> {
  const first = indexEntryAt(reader, stream, from);
  let expected: number | undefined;
  const bounds = { gte: streamIndexKey(stream, first.version), lte: streamIndexKey(stream, to), reverse };
  for (const entry of reader.range(bounds)) {
    const indexed = decodeIndexEntry(entry);
    const end = indexed.version + indexed.count;
    const meets = reverse ? end : indexed.version;
    if (expected !== undefined && meets !== expected)
      throw damaged(`stream ${stream} has a gap at version ${expected}`);
    yield indexed;
    expected = reverse ? indexed.version : end;
  }
}

/** The index entry that covers a version. */
function indexEntryAt(reader: Reader, stream: string, version: number): StreamIndexEntry {
  const bounds = { gte: streamIndexKey(stream, 0), lte: streamIndexKey(stream, version), reverse: true, limit: 1 };
  for (const entry of reader.range(bounds)) {
    const indexed = decodeIndexEntry(entry);
    if (indexed.version + indexed.count > version) return indexed;
  }
  throw damaged(`stream ${stream} has no index entry for version ${version}`);
}

/** The positions of the versions of a span that an index entry has. */
function positionsIn(versions: Span, { version, position, count }: StreamIndexEntry): Span {
  const shift = position - version;
  const from = Math.max(version, versions.from) + shift;
  return { from, to: Math.min(version + count - 1, versions.to) + shift, reverse: versions.reverse };
}

/** The stored records of a span of positions, which is not empty. */
function* eventsIn(reader: Reader, span: Span): IterableIterator<RawEvent> {
  const { from, to, reverse } = span;
  let expected = reverse ? to : from;
  for (const { key, value } of entriesIn(reader, span)) {
    const position = numberOf(key);
    if (position !== expected) throw damaged(`the event at position ${expected} is missing`);
    yield { position, record: value };
    expected += reverse ? -1 : 1;
  }
  if (expected !== (reverse ? from - 1 : to + 1)) throw damaged(`the event at position ${expected} is missing`);
}

/** The entries of a span of positions. One event, the usual case of a stream, is looked up without a range. */
function entriesIn(reader: Reader, { from, to, reverse }: Span): Iterable<Entry> {
  const key = eventKey(from);
  if (from !== to) return reader.range({ gte: key, lte: eventKey(to), reverse });
  const value = reader.get(key);
  return value === undefined ? [] : [{ key, value }];
}
