/** Batches of events for marble tests: only what these tests look at. */
import type { RecordedEvent } from '../../src/storage/event-log.ts';

/** Events of stream `task-<position>` and type `Happened`, unless told otherwise. */
export function event(position: number, { stream = `task-${position}`, type = 'Happened' } = {}): RecordedEvent {
  return {
    position,
    stream,
    version: 1,
    id: `00000000-0000-7000-8000-${String(position).padStart(12, '0')}`,
    type,
    schema: 1,
    at: 0,
    actor: 'owner',
    correlation: null,
    causation: null,
    data: {},
    leafHash: '',
  };
}

export function batch(...positions: number[]): readonly RecordedEvent[] {
  return positions.map((position) => event(position));
}
