/** The record of the first answer to a request with an `Idempotency-Key`: one for each key. */
import type { RequestEvent } from '../events/request.ts';
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
  initial: { isAnswered: false },
  decide: ({ data }, { isAnswered }) => (isAnswered ? [] : [{ type: 'RequestAnswered', data }]),
  evolve: (state, { type }) => (type === 'RequestAnswered' ? { isAnswered: true } : state),
};
