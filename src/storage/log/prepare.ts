/**
 * Validates an append and serializes its events, before it is queued.
 *
 * - A prepared event holds its canonical JSON except position and version, which the commit assigns.
 * - A refused append writes nothing.
 */
import { canonicalCopy, canonicalJson } from '../canonical-json.ts';
import { valueInvalid } from '../errors.ts';
import type { ExpectedVersion, NewEvent, StreamAppend } from '../event-log.ts';

const EVENT_BYTES_MAX = 16_777_216;
const APPEND_EVENTS_MAX = 10_000;
const APPEND_BYTES_MAX = 67_108_864;
const NAME_BYTES_MAX = 255;

export interface PreparedEvent {
  /** A copy, so that later changes of the writer's object have no effect. */
  readonly event: NewEvent;
  /** Canonical JSON up to and including `"position":`. */
  readonly before: string;
  /** Canonical JSON after the position, up to and including `"version":`. */
  readonly between: string;
}

export interface PreparedStream {
  readonly stream: string;
  readonly expectedVersion: ExpectedVersion;
  readonly events: readonly PreparedEvent[];
}

export interface PreparedAppend {
  readonly streams: readonly PreparedStream[];
  /** Approximate bytes to write: UTF-16 code units of a small text. */
  readonly bytes: number;
  readonly events: number;
}

/** Validates all parts of an append. Throws `STORAGE_VALUE_INVALID`. */
export function prepareAppend(batch: readonly StreamAppend[]): PreparedAppend {
  let bytes = 0;
  let events = 0;
  const streams = batch.map(({ stream, expectedVersion, events: newEvents }) => {
    const streamText = checkedText('stream name', stream);
    checkExpected(stream, expectedVersion);
    const prepared = newEvents.map((event) => prepareEvent(event, streamText));
    for (const { before, between } of prepared) bytes += before.length + between.length;
    events += prepared.length;
    return { stream, expectedVersion, events: prepared };
  });
  if (events > APPEND_EVENTS_MAX) {
    throw valueInvalid(`An append holds ${events} events; the limit is ${APPEND_EVENTS_MAX}.`);
  }
  // A code unit takes up to three bytes.
  if (bytes > APPEND_BYTES_MAX / 3) bytes = exactBytes(streams);
  if (bytes > APPEND_BYTES_MAX) throw valueInvalid(`An append holds ${bytes} bytes; the limit is ${APPEND_BYTES_MAX}.`);
  return { streams, bytes, events };
}

function exactBytes(streams: readonly PreparedStream[]): number {
  const events = streams.flatMap((stream) => stream.events);
  return events.reduce((sum, { before, between }) => sum + Buffer.byteLength(before) + Buffer.byteLength(between), 0);
}

/** The complete canonical JSON of an event. */
export function canonicalEvent(event: PreparedEvent, position: number, version: number): string {
  return `${event.before}${position}${event.between}${version}}`;
}

/** Whether a stream, a type or an actor may have the name: 1 to 255 bytes of UTF-8 without control characters. */
export function isName(name: string): boolean {
  if (isSimple(name)) return true;
  if (typeof name !== 'string' || name.length === 0 || Buffer.byteLength(name) > NAME_BYTES_MAX) return false;
  return !CONTROL.test(name) && name.isWellFormed();
}

/** Whether the text is a name whose characters need no escape in JSON. */
function isSimple(name: string): boolean {
  return typeof name === 'string' && name.length > 0 && name.length <= NAME_BYTES_MAX && SIMPLE.test(name);
}

/** Limit of the fields after the data: position, schema, stream, type and version at their longest. */
const AFTER_DATA_BYTES_MAX = 2_048;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SIMPLE = /^[ !#-[\]-~]*$/;
const CONTROL = /\p{Cc}/u;

/** Validates one event; `streamText` is the result of `checkedText` for its stream name. */
export function prepareEvent(event: NewEvent, streamText: string): PreparedEvent {
  const { id, type, schema, at, actor, correlation, causation, data } = event;
  if (typeof id !== 'string' || !UUID_V7.test(id)) {
    throw valueInvalid(`The event id "${String(id).slice(0, 64)}" must be a lower-case UUID of version 7.`);
  }
  const typeText = checkedText('event type', type);
  const actorText = checkedText('actor', actor);
  const correlationText = correlation === null ? 'null' : `"${checkedText('correlation', correlation)}"`;
  const causationText = causation === null ? 'null' : `"${checkedText('causation', causation)}"`;
  if (!Number.isSafeInteger(schema) || schema < 1)
    throw valueInvalid(`The schema of event ${id} must be a whole number from 1.`);
  if (!Number.isSafeInteger(at) || at < 0)
    throw valueInvalid(`The time of event ${id} must be whole milliseconds from 1970.`);
  const dataText = canonicalJson(data);
  const before =
    `{"actor":"${actorText}","at":${at},"causation":${causationText},"correlation":${correlationText},` +
    `"data":${dataText},"id":"${id}","position":`;
  if (before.length > EVENT_BYTES_MAX / 3 && Buffer.byteLength(before) > EVENT_BYTES_MAX - AFTER_DATA_BYTES_MAX) {
    throw valueInvalid(
      `Event ${id} holds more than ${EVENT_BYTES_MAX - AFTER_DATA_BYTES_MAX} bytes of canonical JSON.`,
    );
  }
  const between = `,"schema":${schema},"stream":"${streamText}","type":"${typeText}","version":`;
  const copy = canonicalCopy(data, dataText) as NewEvent['data'];
  return { event: { id, type, schema, at, actor, correlation, causation, data: copy }, before, between };
}

/** Checks a name and returns its canonical JSON without the quotes, which mostly equals the name. */
export function checkedText(what: string, name: string): string {
  if (isSimple(name)) return name;
  if (!isName(name)) {
    throw valueInvalid(`The ${what} must be a text of 1 to ${NAME_BYTES_MAX} bytes without control characters.`);
  }
  return canonicalJson(name).slice(1, -1);
}

function checkExpected(stream: string, expected: ExpectedVersion): void {
  if (expected === 'any' || expected === 'none') return;
  if (!Number.isSafeInteger(expected) || expected < 0) {
    throw valueInvalid(
      `The expected version of ${stream} must be "any", "none" or a whole number from 0; it is ${expected}.`,
    );
  }
}
