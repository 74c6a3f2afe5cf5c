/** The outcome of `AdvancePhase`, computed from the state after it: the phase advanced, or blockers prevented it. */
import { z } from 'zod';
import { type Phase, zBlocker, zPhase } from '../../events/engagement/events.ts';
import { contentsOf } from './decide.ts';
import { phaseAfter, phaseFacts } from './phases.ts';
import { phaseReadiness } from './readiness.ts';
import type { EngagementState } from './state.ts';

export const zAdvanceOutcome = z.object({
  advanced: z.boolean(),
  from: zPhase,
  to: zPhase.nullable(),
  /** It advanced with blockers outstanding. */
  forced: z.boolean(),
  blockers: z.array(zBlocker),
  reason: z.string(),
});
export type AdvanceOutcome = Readonly<z.infer<typeof zAdvanceOutcome>>;

/** `moveId` is the id that the command gave to its move; a state that holds a move of this id has advanced. */
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
  const blockers = [...phaseReadiness(contentsOf(state), from).blockers];
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
