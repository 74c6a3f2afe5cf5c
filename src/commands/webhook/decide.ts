/**
 * The decider of inbound deliveries: a delivery has one outcome, which also answers its redeliveries.
 *
 * - Only a failed review may be requested again, by a redelivery.
 * - A review that the end of the process interrupted starts again, at most REVIEW_STARTS_MAX times.
 */
import type { DataOf } from '../../events/define.ts';
import {
  type DeliveryEvent,
  deliveryEvents,
  type ForgeRequest,
  type Received,
  type Review,
} from '../../events/webhook.ts';
import type { Decider, Decision } from '../decider.ts';
import { Refusal } from '../refusal.ts';

/** Limit of starts of one review: a diff that crashes the process each time fails in the end. */
export const REVIEW_STARTS_MAX = 3;

type Failure = DataOf<DeliveryEvent, 'ReviewFailed'>;
type Skill = DataOf<DeliveryEvent, 'SkillTriggered'>;

export type DeliveryCommand =
  | {
      readonly type: 'IgnoreDelivery';
      readonly received: Received;
      readonly event: string;
      readonly action: string | null;
    }
  | { readonly type: 'RequestReview'; readonly received: Received; readonly request: ForgeRequest }
  | { readonly type: 'StartReview' }
  | { readonly type: 'RecordReview'; readonly review: Review }
  | { readonly type: 'FailReview'; readonly failure: Failure }
  | { readonly type: 'RecoverReview'; readonly reason: string }
  | { readonly type: 'TriggerSkill'; readonly skill: Skill };

export type DeliveryState =
  | { readonly status: 'none' }
  | { readonly status: 'ignored' }
  | { readonly status: 'due'; readonly request: ForgeRequest; readonly starts: number }
  | { readonly status: 'reviewing'; readonly request: ForgeRequest; readonly starts: number }
  | { readonly status: 'reviewed'; readonly findings: number; readonly summary: string }
  | { readonly status: 'failed'; readonly failure: Failure }
  /** `skill` is null when its event is erased. */
  | { readonly status: 'triggered'; readonly skill: Skill | null };

export const delivery: Decider<DeliveryCommand, DeliveryState, DeliveryEvent> = {
  category: 'delivery',
  events: deliveryEvents,
  initial: { status: 'none' },
  decide,
  evolve,
  // A delivery that has started a run starts no second one.
  evolveErased: (state, { type }) => (type === 'SkillTriggered' ? { status: 'triggered', skill: null } : state),
};

function decide(command: DeliveryCommand, state: DeliveryState): Decision<DeliveryEvent> {
  switch (command.type) {
    case 'IgnoreDelivery': {
      const { received, event, action } = command;
      return state.status === 'none' ? [{ type: 'DeliveryIgnored', data: { ...received, event, action } }] : [];
    }
    case 'RequestReview': {
      const { received, request } = command;
      const isDue = state.status === 'none' || state.status === 'failed';
      return isDue ? [{ type: 'ReviewRequested', data: { ...received, request } }] : [];
    }
    case 'StartReview':
      return state.status === 'due' ? [{ type: 'ReviewStarted', data: { attempt: state.starts + 1 } }] : [];
    case 'RecordReview':
      return state.status === 'reviewing' ? [{ type: 'ReviewCompleted', data: command.review }] : [];
    case 'FailReview':
      return state.status === 'due' || state.status === 'reviewing'
        ? [{ type: 'ReviewFailed', data: command.failure }]
        : [];
    case 'RecoverReview':
      return recovered(command.reason, state);
    case 'TriggerSkill':
      return state.status === 'none'
        ? [{ type: 'SkillTriggered', data: command.skill }]
        : new Refusal('conflict', 'This delivery was taken already.');
  }
}

function recovered(reason: string, state: DeliveryState): Decision<DeliveryEvent> {
  if (state.status !== 'reviewing') return [];
  const interrupted: DeliveryEvent = { type: 'ReviewInterrupted', data: { attempt: state.starts, reason } };
  if (state.starts < REVIEW_STARTS_MAX) return [interrupted];
  const message = `The review was cut off ${REVIEW_STARTS_MAX} times and is given up.`;
  return [interrupted, { type: 'ReviewFailed', data: { kind: 'internal', message } }];
}

function evolve(state: DeliveryState, event: DeliveryEvent): DeliveryState {
  switch (event.type) {
    case 'DeliveryIgnored':
      return { status: 'ignored' };
    case 'ReviewRequested':
      return { status: 'due', request: event.data.request, starts: 0 };
    case 'ReviewStarted':
      return 'request' in state ? { ...state, status: 'reviewing', starts: event.data.attempt } : state;
    case 'ReviewInterrupted':
      return 'request' in state ? { ...state, status: 'due' } : state;
    case 'ReviewCompleted':
      return { status: 'reviewed', findings: event.data.findings.length, summary: event.data.summary };
    case 'ReviewFailed':
      return { status: 'failed', failure: event.data };
    case 'SkillTriggered':
      return { status: 'triggered', skill: event.data };
  }
}
