/** The record of the first answer to a request with an `Idempotency-Key`: one for each key. */
import { type RequestEvent, requestEvents } from '../events/request.ts';
import type { Decider } from './decider.ts';

export interface RequestCommand {
  readonly type: 'RecordAnswer';
  readonly data: RequestEvent['data'];
}

export interface RequestState {
  readonly isAnswered: boolean;
}

export const request: Decider<RequestCommand, RequestState, RequestEvent> = {
  category: 'request',
  events: requestEvents,
  initial: { isAnswered: false },
  decide: ({ data }, { isAnswered }) => (isAnswered ? [] : [{ type: 'RequestAnswered', data }]),
  evolve(_state, event) {
    switch (event.type) {
      case 'RequestAnswered':
        return { isAnswered: true };
    }
  },
};
