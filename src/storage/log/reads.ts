/**
 * Reads of the log: by position and by stream, forward and backward, lazily.
 *
 * - A read sees the log as it stood when its iteration began: nothing beyond that head, nothing missing below it.
 * - Positions are dense; a missing one is damage, never a shorter answer.
 */
import type { Entry, Reader } from '../engine.ts';
import type { ReadOptions, RecordedEvent } from '../event-log.ts';
import { damaged } from './damage.ts';
import { eventKey, numberOf, runKey } from './keys.ts';
import { decodeEvent } from './record.ts';
import { decodeRun, type Run } from './run.ts';

/** Bounds of a read: from and to are inclusive positions or versions, `from` > `to` is empty. */
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

export function* readAll(reader: Reader, head: number, options: ReadOptions): IterableIterator<RecordedEvent> {
  for (const { position, record } of readRaw(reader, head, options)) yield decodeEvent(record, position);
}

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

/** `version` is that of the stream's last event now. */
export function* readStream(
  reader: Reader,
  stream: { readonly name: string; readonly version: number },
  options: ReadOptions,
): IterableIterator<RecordedEvent> {
  const span = spanOf(options, stream.version);
  if (span.from > span.to) return;
  for (const run of runsOf(reader, stream.name, span)) {
    for (const entry of eventsOf(reader, run, span)) {
      const event = decodeEvent(entry.value, numberOf(entry.key));
      if (event.stream !== stream.name) throw damaged(`position ${event.position} is indexed under ${stream.name}`);
      yield event;
    }
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

/** The runs that hold versions of the span, in its direction; the one that `from` falls into begins before it. */
function* runsOf(reader: Reader, stream: string, { from, to, reverse }: Span): IterableIterator<Run> {
  const first = firstRun(reader, stream, from);
  let expected: number | undefined;
  const bounds = { gte: runKey(stream, first.version), lte: runKey(stream, to), reverse };
  for (const entry of reader.range(bounds)) {
    const run = decodeRun(entry);
    const meets = reverse ? run.version + run.count : run.version;
    if (expected !== undefined && meets !== expected)
      throw damaged(`stream ${stream} has a gap at version ${expected}`);
    yield run;
    expected = reverse ? run.version : run.version + run.count;
  }
}

function firstRun(reader: Reader, stream: string, version: number): Run {
  const bounds = { gte: runKey(stream, 0), lte: runKey(stream, version), reverse: true, limit: 1 };
  for (const entry of reader.range(bounds)) {
    const run = decodeRun(entry);
    if (run.version + run.count > version) return run;
  }
  throw damaged(`stream ${stream} has no run that holds version ${version}`);
}

/** The stored events of a run that lie inside the span. */
function* eventsOf(reader: Reader, run: Run, { from, to, reverse }: Span): IterableIterator<Entry> {
  const shift = run.position - run.version;
  const first = Math.max(run.version, from) + shift;
  const last = Math.min(run.version + run.count - 1, to) + shift;
  let expected = reverse ? last : first;
  for (const entry of entriesBetween(reader, { from: first, to: last, reverse })) {
    if (numberOf(entry.key) !== expected) throw damaged(`the event at position ${expected} is missing`);
    yield entry;
    expected += reverse ? -1 : 1;
  }
  if (expected !== (reverse ? first - 1 : last + 1)) throw damaged(`the event at position ${expected} is missing`);
}

/** A look-up where one is enough: most runs are single events. */
function* entriesBetween(reader: Reader, { from, to, reverse }: Span): IterableIterator<Entry> {
  if (from !== to) {
    yield* reader.range({ gte: eventKey(from), lte: eventKey(to), reverse });
    return;
  }
  const key = eventKey(from);
  const value = reader.get(key);
  if (value !== undefined) yield { key, value };
}
