/**
 * The decider of one idempotent request, stream `request-<hash of method, path and key>`: its first answer is recorded
 * and stays.
 */
import { type RequestEvent, requestEvents } from '../events/request.ts';
import type { Decider } from './decider.ts';
import { Refusal } from './refusal.ts';

export interface RequestCommand {
  readonly type: 'RecordAnswer';
  readonly answer: RequestEvent['data'];
}

export type RequestState = 'open' | 'answered';

export const idempotentRequest: Decider<RequestCommand, RequestState, RequestEvent> = {
  category: 'request',
  events: requestEvents,
  initial: 'open',
  decide({ answer }, state) {
    if (state === 'answered') return new Refusal('conflict', 'This request was answered already.');
    return [{ type: 'RequestAnswered', data: answer }];
  },
  evolve(_state, event) {
    switch (event.type) {
      case 'RequestAnswered':
        return 'answered';
    }
  },
};
