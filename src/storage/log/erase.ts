/** Erasure of payloads: the tombstones that replace the records, and the events that record the erasure in the log. */
import { canonicalJson } from '../canonical-json.ts';
import type { Bytes, Reader } from '../engine.ts';
import { ERASURES_STREAM, type NewEvent, type RecordedEvent } from '../event-log.ts';
import { uuidV7 } from '../uuid.ts';
import { damaged } from './damage.ts';
import type { Tombstone } from './primary.ts';
import { recordAt } from './reads.ts';
import { decodeEvent, erasedRecord, isErased, isIntact, leafOf, sealIn, toHex } from './record.ts';

const ERASED_TYPE = 'PayloadErased';
const ERASED_PER_EVENT_MAX = 1_000;

/** One payload in the data of a `PayloadErased` event. */
export type ErasedPayload = {
  readonly position: number;
  readonly leaf_hash: string;
  readonly seal: string;
};

/** The payloads that an event records as erased; none for an event of another kind. */
export function erasedIn(event: RecordedEvent): readonly ErasedPayload[] {
  return isErasure(event) ? (event.data as { readonly erased: readonly ErasedPayload[] }).erased : [];
}

/** A description of the fault in the data of an event that records an erasure; undefined when there is none. */
export function erasureFault(event: RecordedEvent): string | undefined {
  if (!isErasure(event)) return undefined;
  const { erased } = (event.data ?? {}) as { readonly erased?: unknown };
  return Array.isArray(erased) && erased.every(isPayload) ? undefined : 'it records an erasure and names no payloads';
}

function isErasure({ stream, type }: RecordedEvent): boolean {
  return stream === ERASURES_STREAM && type === ERASED_TYPE;
}

function isPayload(value: unknown): boolean {
  const { position, leaf_hash, seal } = (value ?? {}) as Partial<ErasedPayload>;
  return Number.isSafeInteger(position) && typeof leaf_hash === 'string' && typeof seal === 'string';
}

export interface Erasure {
  readonly tombstones: readonly Tombstone[];
  /** The `PayloadErased` events to append, none when every payload was erased before. */
  readonly events: readonly NewEvent[];
}

/**
 * Prepares the erasure of `positions`, which must exist; those erased before are skipped. `at` stamps the events, in
 * Unix milliseconds. Throws `RangeError` for the record of an erasure, `STORAGE_CORRUPT` for a damaged event.
 */
export function erasureOf(reader: Reader, positions: readonly number[], at: number): Erasure {
  const tombstones: Tombstone[] = [];
  const erased: ErasedPayload[] = [];
  for (const position of [...new Set(positions)].sort((a, b) => a - b)) {
    const record = recordAt(reader, position);
    if (isErased(record)) continue;
    const erasedForm = tombstone(record, position);
    tombstones.push({ position, record: erasedForm });
    erased.push({ position, leaf_hash: toHex(leafOf(erasedForm)), seal: toHex(sealIn(erasedForm)) });
  }
  const events: NewEvent[] = [];
  for (let from = 0; from < erased.length; from += ERASED_PER_EVENT_MAX) {
    events.push(erasureEvent(erased.slice(from, from + ERASED_PER_EVENT_MAX), at));
  }
  return { tombstones, events };
}

function erasureEvent(payloads: readonly ErasedPayload[], at: number): NewEvent {
  return {
    id: uuidV7(at),
    type: ERASED_TYPE,
    schema: 1,
    at,
    actor: 'system',
    correlation: null,
    causation: null,
    data: { erased: payloads },
  };
}

/** The erased form of a record. Damaged records are refused: an erasure must not make damage verify. */
function tombstone(record: Bytes, position: number): Buffer {
  if (!isIntact(record)) throw damaged(`the event at position ${position} does not match its leaf hash`);
  const { leafHash, data, ...metadata } = decodeEvent(record, position);
  if (metadata.stream === ERASURES_STREAM) {
    throw new RangeError(`Position ${position} records an erasure and cannot be erased itself.`);
  }
  return erasedRecord(Buffer.from(leafHash, 'hex'), canonicalJson(metadata));
}
