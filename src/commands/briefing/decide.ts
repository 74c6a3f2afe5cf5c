/**
 * The decider of one briefing: requested, its facts gathered, its text written. It always ends, written or failed.
 *
 * - Gathering only reads, and asking a model changes nothing outside. So an interrupted briefing continues from its
 *   recorded stage, with a limited number of starts.
 * - The facts are recorded once, and the text is written from them.
 */
import {
  type BriefingEvent,
  type BriefingRequest,
  type BriefingText,
  briefingEvents,
} from '../../events/briefing/events.ts';
import type { DataOf } from '../../events/define.ts';
import type { Decider, Decision } from '../decider.ts';

/** Limit of starts of one briefing: a briefing that crashes the process each time fails in the end. */
export const BRIEFING_STARTS_MAX = 3;

type Data<Type extends BriefingEvent['type']> = DataOf<BriefingEvent, Type>;
export type Gathered = Data<'BriefingGathered'>;

export type BriefingCommand =
  | ({ readonly type: 'RequestBriefing' } & BriefingRequest)
  | { readonly type: 'StartBriefing' }
  | { readonly type: 'RecordFacts'; readonly gathered: Gathered }
  | { readonly type: 'AskBriefingModel'; readonly asked: Omit<Data<'BriefingModelAsked'>, 'call'> }
  | { readonly type: 'RecordBriefingAnswer'; readonly answered: Data<'BriefingModelAnswered'> }
  | { readonly type: 'RecordBriefingModelFailure'; readonly failed: Data<'BriefingModelFailed'> }
  | { readonly type: 'WriteBriefing'; readonly text: BriefingText }
  | { readonly type: 'FailBriefing'; readonly message: string }
  | { readonly type: 'RecoverBriefing'; readonly reason: string };

export type BriefingState =
  | { readonly status: 'none' }
  | {
      readonly status: 'running';
      readonly request: BriefingRequest;
      readonly starts: number;
      readonly underWay: boolean;
      readonly gathered: Gathered | null;
      /** Number of model calls so far. `isAsking`: the newest has no outcome yet. */
      readonly calls: number;
      readonly isAsking: boolean;
    }
  | { readonly status: 'ended' };

/** The writer of a text that is computed from the facts. */
export const NO_MODEL = { kind: 'computed', provider: null, model: null } as const;

type Running = Extract<BriefingState, { status: 'running' }>;

export const briefing: Decider<BriefingCommand, BriefingState, BriefingEvent> = {
  category: 'briefing',
  events: briefingEvents,
  initial: { status: 'none' },
  decide(command, state) {
    if (command.type === 'RequestBriefing') {
      const { scheduled_for, settings } = command;
      return state.status === 'none' ? [{ type: 'BriefingRequested', data: { scheduled_for, settings } }] : [];
    }
    return state.status === 'running' ? decideRunning(command, state) : [];
  },
  evolve(state, event) {
    if (event.type === 'BriefingRequested') {
      const fresh = { starts: 0, underWay: false, gathered: null, calls: 0, isAsking: false };
      return { status: 'running', request: event.data, ...fresh };
    }
    return state.status === 'running' ? evolveRunning(state, event) : state;
  },
};

function decideRunning(
  command: Exclude<BriefingCommand, { type: 'RequestBriefing' }>,
  state: Running,
): Decision<BriefingEvent> {
  switch (command.type) {
    case 'StartBriefing':
      return state.underWay ? [] : [{ type: 'BriefingStarted', data: { attempt: state.starts + 1 } }];
    case 'RecordFacts':
      return state.gathered === null ? [{ type: 'BriefingGathered', data: command.gathered }] : [];
    case 'AskBriefingModel':
      if (state.gathered === null || state.isAsking) return [];
      return [{ type: 'BriefingModelAsked', data: { call: state.calls + 1, ...command.asked } }];
    case 'RecordBriefingAnswer':
      return isOpen(state, command.answered) ? [{ type: 'BriefingModelAnswered', data: command.answered }] : [];
    case 'RecordBriefingModelFailure':
      return isOpen(state, command.failed) ? [{ type: 'BriefingModelFailed', data: command.failed }] : [];
    case 'WriteBriefing':
      return state.gathered === null ? [] : [{ type: 'BriefingWritten', data: command.text }];
    case 'FailBriefing':
      return [{ type: 'BriefingFailed', data: { message: command.message } }];
    case 'RecoverBriefing':
      return recovered(command.reason, state);
  }
}

function isOpen({ isAsking, calls }: Running, { call }: { readonly call: number }): boolean {
  return isAsking && call === calls;
}

/** When the model's answer is interrupted too often, the computed text of the gathered facts becomes the briefing. */
function recovered(reason: string, { underWay, starts, gathered }: Running): Decision<BriefingEvent> {
  if (!underWay) return [];
  const interrupted: BriefingEvent = { type: 'BriefingInterrupted', data: { attempt: starts, reason } };
  if (starts < BRIEFING_STARTS_MAX) return [interrupted];
  if (gathered !== null) {
    const { headline, markdown } = gathered;
    const notes = [`It was cut off ${BRIEFING_STARTS_MAX} times: this is the briefing as the facts alone make it.`];
    return [
      interrupted,
      { type: 'BriefingWritten', data: { headline, markdown, writer: NO_MODEL, dropped: [], notes } },
    ];
  }
  const message = `The briefing was cut off ${BRIEFING_STARTS_MAX} times and is given up.`;
  return [interrupted, { type: 'BriefingFailed', data: { message } }];
}

function evolveRunning(state: Running, event: Exclude<BriefingEvent, { type: 'BriefingRequested' }>): BriefingState {
  switch (event.type) {
    case 'BriefingStarted':
      return { ...state, underWay: true, starts: event.data.attempt };
    case 'BriefingGathered':
      return { ...state, gathered: event.data };
    case 'BriefingModelAsked':
      return { ...state, calls: event.data.call, isAsking: true };
    case 'BriefingModelAnswered':
    case 'BriefingModelFailed':
      return { ...state, isAsking: false };
    case 'BriefingInterrupted':
      return { ...state, underWay: false, isAsking: false };
    case 'BriefingWritten':
    case 'BriefingFailed':
      return { status: 'ended' };
  }
}
