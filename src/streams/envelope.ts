/** The wire form of a recorded event. */
import type { Envelope } from '../events/envelope.ts';
import type { RecordedEvent } from '../storage/event-log.ts';

/** The envelope of an event, its fields in the order of the wire. */
export function envelopeOf(event: RecordedEvent): Envelope {
  const { position, stream, version, id, type, schema, at, actor, correlation, causation, data, leafHash } = event;
  return {
    position,
    stream,
    version,
    id,
    type,
    schema,
    at,
    actor,
    correlation,
    causation,
    data,
    leaf_hash: leafHash,
    ...(event.erased === true ? { erased: true as const } : {}),
  };
}

/** The envelope of an event as JSON. */
export function envelopeJson(event: RecordedEvent): string {
  return JSON.stringify(envelopeOf(event));
}
