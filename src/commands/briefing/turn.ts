/**
 * Allows one briefing at a time, and one for each scheduled time: stream `briefing_turn-all`.
 *
 * - A briefing takes the turn in the commit that requests it, and holds it until it has ended.
 */
import type { BriefingTurnEvent } from '../../events/briefing/events.ts';
import { type Decider, type Together, total } from '../decider.ts';
import { Refusal } from '../refusal.ts';
import { type BriefingState, briefing } from './decide.ts';
import { isTaken } from './schedule.ts';

export interface BriefingTurnCommand {
  readonly type: 'TakeTurn';
  readonly briefing_id: string;
  readonly scheduled_for: number | null;
}

export interface BriefingTurnState {
  /** The briefing that took the turn last. */
  readonly last: string | null;
  /** The scheduled time that was taken last, Unix milliseconds. */
  readonly taken: number | null;
}

export const BRIEFING_TURN_ID = 'all';
/** Lock key: requests run one at a time. */
export const BRIEFING_TURN = 'briefing';

export const briefingTurn: Decider<BriefingTurnCommand, BriefingTurnState, BriefingTurnEvent> = {
  category: 'briefing_turn',
  initial: { last: null, taken: null },
  decide({ briefing_id, scheduled_for }, { last, taken }, { now }) {
    if (last === briefing_id) return [];
    if (scheduled_for !== null && isTaken(scheduled_for, { taken, now })) {
      return new Refusal('conflict', 'There is a briefing for that time already.');
    }
    return [{ type: 'BriefingTurnTaken', data: { briefing_id, scheduled_for } }];
  },
  evolve: total((state, event) => {
    if (event.type !== 'BriefingTurnTaken') return state;
    const { briefing_id, scheduled_for } = event.data;
    return { last: briefing_id, taken: scheduled_for ?? state.taken };
  }),
};

/** A request takes the turn; refused while the briefing that holds it is running. */
export const takingTurn: Together<BriefingState> = (desk, { id, after }) => {
  if (after.status !== 'running') return undefined;
  const { last } = desk.read(briefingTurn, BRIEFING_TURN_ID);
  if (last !== null && last !== id && desk.read(briefing, last).status === 'running') {
    return new Refusal('conflict', `A briefing is being made: ${last}.`);
  }
  const { scheduled_for } = after.request;
  desk.send(briefingTurn, BRIEFING_TURN_ID, { type: 'TakeTurn', briefing_id: id, scheduled_for });
  return undefined;
};
