/**
 * Allows one briefing at a time, and one for each scheduled time. The only stream is `briefing_turn-all`.
 *
 * - A briefing takes the turn in the commit that requests it, and holds it until it has ended.
 */
import { type BriefingTurnEvent, briefingTurnEvents } from '../../events/briefing/events.ts';
import type { Decider, Policy } from '../decider.ts';
import { Refusal } from '../refusal.ts';
import { type BriefingState, briefing } from './decide.ts';
import { isTaken } from './schedule.ts';

export interface BriefingTurnCommand {
  readonly type: 'TakeTurn';
  readonly briefing_id: string;
  readonly scheduled_for: number | null;
}

export interface BriefingTurnState {
  /** Id of the briefing that took the turn last. */
  readonly last: string | null;
  /** The scheduled times that were taken last, Unix milliseconds; those under a wrong clock are among them. */
  readonly taken: readonly number[];
}

const TAKEN_MAX = 100;

export const BRIEFING_TURN_ID = 'all';
/** The lock key of requests, which run one at a time. */
export const BRIEFING_LOCK_KEY = 'briefing';

export const briefingTurn: Decider<BriefingTurnCommand, BriefingTurnState, BriefingTurnEvent> = {
  category: 'briefing_turn',
  events: briefingTurnEvents,
  initial: { last: null, taken: [] },
  decide({ briefing_id, scheduled_for }, { last, taken }, { now }) {
    if (last === briefing_id) return [];
    if (scheduled_for !== null && isTaken(scheduled_for, { taken, now })) {
      return new Refusal('conflict', 'There is a briefing for that time already.');
    }
    return [{ type: 'BriefingTurnTaken', data: { briefing_id, scheduled_for } }];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'BriefingTurnTaken': {
        const { briefing_id, scheduled_for } = event.data;
        return { last: briefing_id, taken: scheduled_for === null ? state.taken : withTaken(state, scheduled_for) };
      }
    }
  },
  /** Every time before it counts as taken, so that no briefing is made twice. */
  evolveErased: (state, { at }) => ({ ...state, taken: withTaken(state, at) }),
};

function withTaken({ taken }: BriefingTurnState, time: number): readonly number[] {
  return [...taken, time].slice(-TAKEN_MAX);
}

/** A request takes the turn, and is refused while the briefing with the turn is running. */
export const briefingPolicy: Policy<BriefingState> = (unit, { id, after }) => {
  if (after.status !== 'running') return undefined;
  const { last } = unit.read(briefingTurn, BRIEFING_TURN_ID);
  if (last !== null && last !== id && unit.read(briefing, last).status === 'running') {
    return new Refusal('conflict', `A briefing is being made: ${last}.`);
  }
  const { scheduled_for } = after.request;
  unit.send(briefingTurn, BRIEFING_TURN_ID, { type: 'TakeTurn', briefing_id: id, scheduled_for });
  return undefined;
};
