/** Erases payloads inside a commit: seals the metadata and gathers what the erasure's own events say. */
import { canonicalJson } from '../canonical-json.ts';
import type { Bytes, Change, Reader } from '../engine.ts';
import type { Json } from '../event-log.ts';
import { damaged } from './damage.ts';
import { eventKey } from './keys.ts';
import { decodeEvent, erasedRecord, isErased, isIntact, leafOf, sealIn, toHex } from './record.ts';

export const ERASURES_STREAM = 'log-erasures';
export const ERASED_TYPE = 'PayloadErased';
export const ERASED_PER_EVENT_MAX = 1_000;

/** What one erasure says of itself in the log. */
export interface ErasedPayload {
  readonly position: number;
  readonly leaf_hash: string;
  readonly seal: string;
}

export interface Erasure {
  readonly changes: readonly Change[];
  /** `data` of the events to append, empty when everything was erased before. */
  readonly records: readonly Json[];
}

/** `positions` are checked to lie in the log; those erased before are left as they are. */
export function eraseFrom(reader: Reader, positions: readonly number[]): Erasure {
  const changes: Change[] = [];
  const erased: ErasedPayload[] = [];
  for (const position of [...new Set(positions)].sort((a, b) => a - b)) {
    const key = eventKey(position);
    const record = reader.get(key);
    if (record === undefined) throw damaged(`the event at position ${position} is missing`);
    if (isErased(record)) continue;
    const value = sealed(record, position);
    changes.push({ key, value });
    erased.push({ position, leaf_hash: toHex(leafOf(value)), seal: toHex(sealIn(value)) });
  }
  const records: Json[] = [];
  for (let at = 0; at < erased.length; at += ERASED_PER_EVENT_MAX) {
    records.push({ erased: erased.slice(at, at + ERASED_PER_EVENT_MAX).map((payload) => ({ ...payload })) });
  }
  return { changes, records };
}

/** Only intact bytes are sealed: an erase must not turn damage into something that verifies. */
function sealed(record: Bytes, position: number): Buffer {
  if (!isIntact(record)) throw damaged(`the event at position ${position} does not match its leaf hash`);
  const { leafHash, data, ...metadata } = decodeEvent(record, position);
  if (metadata.stream === ERASURES_STREAM) {
    throw new RangeError(`Position ${position} records an erasure and cannot be erased itself.`);
  }
  return erasedRecord(Buffer.from(leafHash, 'hex'), canonicalJson(metadata));
}
