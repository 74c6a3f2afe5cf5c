/** The decider of one time stamp: recorded once. */
import type { DataOf } from '../../events/define.ts';
import { type TimestampEvent, timestampEvents } from '../../events/tlog.ts';
import type { Decider } from '../decider.ts';

export interface RecordTimestamp extends DataOf<TimestampEvent, 'CheckpointTimestamped'> {
  readonly type: 'RecordTimestamp';
}

export interface TimestampState {
  readonly isRecorded: boolean;
}

export const checkpointTimestamp: Decider<RecordTimestamp, TimestampState, TimestampEvent> = {
  category: 'timestamp',
  events: timestampEvents,
  initial: { isRecorded: false },
  decide: ({ authority, size, checkpoint, response }, { isRecorded }) =>
    isRecorded ? [] : [{ type: 'CheckpointTimestamped', data: { authority, size, checkpoint, response } }],
  evolve(_state, event) {
    switch (event.type) {
      case 'CheckpointTimestamped':
        return { isRecorded: true };
    }
  },
};
