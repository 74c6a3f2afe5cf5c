/** What asking to advance came to, computed from the state it led to: an advance, or a refusal that changed nothing. */
import type { Blocker, Phase } from '../../events/engagement/events.ts';
import { contentsOf } from './decide.ts';
import { phaseAfter, phaseFacts } from './phases.ts';
import { phaseReadiness } from './readiness.ts';
import type { EngagementState } from './state.ts';

export interface AdvanceOutcome {
  readonly advanced: boolean;
  readonly from: Phase;
  readonly to: Phase | null;
  /** It advanced with blockers outstanding. */
  readonly forced: boolean;
  readonly blockers: readonly Blocker[];
  readonly reason: string;
}

/** `moveId` is the id that the command offered for its move: a state that has it was led to by an advance. */
export function advanceOutcome(state: EngagementState, moveId: string): AdvanceOutcome {
  const move = state.moves.find(({ id }) => id === moveId);
  if (move !== undefined) {
    const { from, to, blockers } = move;
    const forced = move.kind === 'forced';
    const reason = forced
      ? `Advanced from ${named(from)} to ${named(to)} by force, overriding ${counted(blockers.length)}.`
      : `Advanced from ${named(from)} to ${named(to)}: nothing stood in the way.`;
    return { advanced: true, from, to, forced, blockers, reason };
  }
  const from = state.facts.current_phase;
  const to = phaseAfter(from);
  const { blockers } = phaseReadiness(contentsOf(state), from);
  const reason =
    to === null
      ? `${named(from)} is the final phase; there is none to advance to.`
      : `${named(from)} cannot be closed: ${counted(blockers.length)} outstanding.`;
  return { advanced: false, from, to, forced: false, blockers, reason };
}

function named(phase: Phase): string {
  return phaseFacts(phase).title;
}

function counted(blockers: number): string {
  return blockers === 1 ? '1 blocker' : `${blockers} blockers`;
}
