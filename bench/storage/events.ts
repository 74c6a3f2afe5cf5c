/** The events of the benchmark: 250 bytes when stored, or with 240 bytes of data. */
import type { NewEvent } from '../../src/storage/event-log.ts';
import { uuidV7 } from '../../src/storage/uuid.ts';

export const EVENT_BYTES = 250;

const PADDING = 'abcdefghijklmnopqrstuvwxyz 0123456789 '.repeat(8);
/** The part of 250 bytes that the envelope leaves; high positions add a few digits. */
const NOTE_CHARACTERS = 26;
const LARGE_NOTE_CHARACTERS = 230;

export type EventSize = 'usual' | 'large';

export function eventOf(number: number, size: EventSize = 'usual'): NewEvent {
  const at = Date.now();
  return {
    id: uuidV7(at),
    type: 'ThingHappened',
    schema: 1,
    at,
    actor: 'owner',
    correlation: null,
    causation: null,
    data: { n: number, note: PADDING.slice(0, size === 'usual' ? NOTE_CHARACTERS : LARGE_NOTE_CHARACTERS) },
  };
}

/** Streams of a hundred events each. */
export const STREAM_EVENTS = 100;

export function streamName(index: number): string {
  return `thing-${String(index).padStart(6, '0')}`;
}
