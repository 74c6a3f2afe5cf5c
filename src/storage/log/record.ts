/**
 * Encoding and decoding of event records and the head record (docs/formats/event-log.md).
 *
 * - The leaf hash is computed over the stored bytes.
 * - Decoding throws `STORAGE_CORRUPT` for a record that does not belong in its place.
 */
import type { Bytes } from '../engine.ts';
import { otherFormat } from '../errors.ts';
import type { NewEvent, RecordedEvent } from '../event-log.ts';
import { type Frontier, HASH_BYTES, type Hash, sha256 } from '../merkle.ts';
import { damaged } from './damage.ts';
import { readNumber, writeNumber } from './keys.ts';

const LIVE = 0x00;
const ERASED = 0x02;
const LIVE_TEXT_AT = HASH_BYTES + 1;
const ERASED_TEXT_AT = LIVE_TEXT_AT + HASH_BYTES;
const HEAD_VERSION = 1;
const HEAD_FRONTIER_AT = 25;

/** The record of a live event from its canonical JSON, and its leaf hash in a separate buffer. */
export function liveRecord(canonical: string): { readonly record: Buffer; readonly leaf: Hash } {
  const bytes = Buffer.byteLength(canonical);
  const record = Buffer.allocUnsafe(LIVE_TEXT_AT + bytes);
  record.write(canonical, LIVE_TEXT_AT, bytes === canonical.length ? 'latin1' : 'utf8');
  record[HASH_BYTES] = LIVE;
  const leaf = sha256(record.subarray(HASH_BYTES));
  record.set(leaf, 0);
  return { record, leaf };
}

/** The record of an erased event from the canonical JSON of its metadata. */
export function erasedRecord(leaf: Hash, metadata: string): Buffer {
  const text = Buffer.from(metadata);
  return Buffer.concat([leaf, Buffer.of(ERASED), sealOf(leaf, text), text]);
}

/** The leaf hash in a record. */
export function leafOf(record: Bytes): Hash {
  if (record.length <= LIVE_TEXT_AT) throw damaged('a record is too short to be an event');
  return record.subarray(0, HASH_BYTES);
}

/** Whether the payload of the event was erased. */
export function isErased(record: Bytes): boolean {
  return record[HASH_BYTES] === ERASED;
}

/** The seal in an erased record: a hash over leaf hash and metadata. */
export function sealIn(record: Bytes): Hash {
  return record.subarray(LIVE_TEXT_AT, ERASED_TEXT_AT);
}

/** The JSON bytes of a record: the whole event, or only its metadata when it is erased. */
export function textOf(record: Bytes): Buffer {
  return asBuffer(record).subarray(isErased(record) ? ERASED_TEXT_AT : LIVE_TEXT_AT);
}

/** Whether the stored bytes match the leaf hash of a live record or the seal of an erased one. */
export function isIntact(record: Bytes): boolean {
  const leaf = leafOf(record);
  switch (record[HASH_BYTES]) {
    case LIVE:
      return Buffer.compare(sha256(record.subarray(HASH_BYTES)), leaf) === 0;
    case ERASED:
      return Buffer.compare(sealOf(leaf, record.subarray(ERASED_TEXT_AT)), sealIn(record)) === 0;
    default:
      return false;
  }
}

/** The event of the record at `position`. Does not check the leaf hash; `isIntact` does. */
export function decodeEvent(record: Bytes, position: number): RecordedEvent {
  const kind = record[HASH_BYTES];
  if (kind !== LIVE && kind !== ERASED) throw damaged(`the record at position ${position} is of unknown kind ${kind}`);
  const bytes = asBuffer(record);
  const event = parse(bytes.toString('utf8', kind === LIVE ? LIVE_TEXT_AT : ERASED_TEXT_AT), position);
  if (event.position !== position) throw damaged(`position ${position} holds the event of ${event.position}`);
  event.leafHash = bytes.toString('hex', 0, HASH_BYTES);
  if (kind === ERASED) {
    event.data = null;
    event.erased = true;
  }
  return event;
}

/** Which event a record holds, and its place in log and stream. */
export type RecordPlace = Pick<RecordedEvent, 'id' | 'position' | 'stream' | 'version'>;

/** The beginning of the fields after the data. Inside a JSON string its quotes would be escaped. */
const AFTER_DATA = Buffer.from(',"id":"');

/** Like `decodeEvent` without the payload, in a third of the time. */
export function placeIn(record: Bytes, position: number): RecordPlace {
  const bytes = asBuffer(record);
  const at = bytes.lastIndexOf(AFTER_DATA);
  const place = parse(`{${bytes.toString('utf8', at + 1)}`, position);
  if (place.position !== position) throw damaged(`position ${position} holds the event of ${place.position}`);
  return place;
}

/** The event that `decodeEvent` will return for the record of this new event. */
export function recordedEvent(
  { id, type, schema, at, actor, correlation, causation, data }: NewEvent,
  { position, stream, version, leafHash }: Pick<RecordedEvent, 'position' | 'stream' | 'version' | 'leafHash'>,
): RecordedEvent {
  return { actor, at, causation, correlation, data, id, position, schema, stream, type, version, leafHash };
}

/** The head record: what the log needs to continue after an open. */
export interface Head {
  readonly frontier: Frontier;
  /** The greatest event id in the log, '' in an empty log. */
  readonly newestId: string;
}

/** The head record: the frontier of the tree and the newest id. */
export function encodeHead({ frontier, newestId }: Head): Bytes {
  const record = Buffer.alloc(HEAD_FRONTIER_AT + frontier.roots.length * HASH_BYTES);
  record[0] = HEAD_VERSION;
  writeNumber(record, 1, frontier.size);
  record.write(newestId.replaceAll('-', ''), 9, 'hex');
  for (const [index, root] of frontier.roots.entries()) record.set(root, HEAD_FRONTIER_AT + index * HASH_BYTES);
  return record;
}

/** Reads a head record. Throws `STORAGE_FOREIGN` for another format, `STORAGE_CORRUPT` for a wrong size. */
export function decodeHead(record: Bytes): Head {
  if (record[0] !== HEAD_VERSION) {
    throw otherFormat('event-log', { offset: 0, version: record[0]!, known: HEAD_VERSION });
  }
  const size = record.length < HEAD_FRONTIER_AT ? Number.NaN : readNumber(record, 1);
  if (!Number.isSafeInteger(size) || record.length !== HEAD_FRONTIER_AT + onesIn(size) * HASH_BYTES) {
    throw damaged('its head record has a wrong size');
  }
  const roots: Hash[] = [];
  for (let at = HEAD_FRONTIER_AT; at < record.length; at += HASH_BYTES)
    roots.push(record.subarray(at, at + HASH_BYTES));
  const hex = toHex(record.subarray(9, HEAD_FRONTIER_AT));
  const newestId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { frontier: { size, roots }, newestId };
}

/** The bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('hex');
}

/** A `Buffer` over the same bytes, without a copy. */
function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function sealOf(leaf: Hash, metadata: Uint8Array): Hash {
  return sha256(Buffer.concat([Buffer.of(ERASED), leaf, metadata]));
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function parse(text: string, position: number): Mutable<RecordedEvent> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(`the event at position ${position} is no JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null) throw damaged(`the event at position ${position} is no JSON object`);
  return value as Mutable<RecordedEvent>;
}

function onesIn(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}
