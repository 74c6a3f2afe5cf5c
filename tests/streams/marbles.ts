/** What tests of the operators and of subscriptions share: batches of events, and time that stands still. */
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { nextTurn$, type Pace } from '../../src/streams/operators.ts';

/** Rounds take no time, however busy the machine is. */
export const NO_PAUSE: Pace = { turn$: nextTurn$, now: () => 0 };

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
