/**
 * Reads of the log: by position and by stream, forward and backward, lazily.
 *
 * - A read ends at the head that the caller passes; later appends do not appear in it.
 * - Positions have no gaps: a missing one is reported as damage, never as a shorter answer.
 */
import type { Entry, Reader } from '../engine.ts';
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

/** The events by position; `head` is the last position that the read may return. */
export function* readAll(reader: Reader, head: number, options: ReadOptions): IterableIterator<RecordedEvent> {
  for (const { position, record } of readRaw(reader, head, options)) yield decodeEvent(record, position);
}

/** The stored records by position. Throws `RangeError` for malformed options, `STORAGE_CORRUPT` for a gap. */
export function* readRaw(reader: Reader, head: number, options: ReadOptions): IterableIterator<RawEvent> {
  const { from, to, reverse } = spanOf(options, head);
  if (from > to) return;
  let expected = reverse ? to : from;
  for (const entry of reader.range({ gte: eventKey(from), lte: eventKey(to), reverse })) {
    const position = numberOf(entry.key);
    if (position !== expected) throw damaged(`the event at position ${expected} is missing`);
    yield { position, record: entry.value };
    expected += reverse ? -1 : 1;
  }
  if (expected !== (reverse ? from - 1 : to + 1)) throw damaged(`the event at position ${expected} is missing`);
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
    for (const { key, value } of eventsOf(reader, indexed, span)) {
      const event = decodeEvent(value, numberOf(key));
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

/** The stored events of an index entry that lie inside the span of versions. */
function* eventsOf(
  reader: Reader,
  { version, position, count }: StreamIndexEntry,
  { from, to, reverse }: Span,
): IterableIterator<Entry> {
  const shift = position - version;
  const first = Math.max(version, from) + shift;
  const last = Math.min(version + count - 1, to) + shift;
  let expected = reverse ? last : first;
  for (const entry of entriesBetween(reader, { from: first, to: last, reverse })) {
    if (numberOf(entry.key) !== expected) throw damaged(`the event at position ${expected} is missing`);
    yield entry;
    expected += reverse ? -1 : 1;
  }
  if (expected !== (reverse ? first - 1 : last + 1)) throw damaged(`the event at position ${expected} is missing`);
}

/** The stored events between two positions. One event, the usual case, is looked up without a range. */
function* entriesBetween(reader: Reader, { from, to, reverse }: Span): IterableIterator<Entry> {
  if (from !== to) {
    yield* reader.range({ gte: eventKey(from), lte: eventKey(to), reverse });
    return;
  }
  const key = eventKey(from);
  const value = reader.get(key);
  if (value !== undefined) yield { key, value };
}
