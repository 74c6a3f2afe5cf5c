/** The outcome of `AdvancePhase`, from the engagement after it: the phase advanced, or blockers prevented it. */
import { z } from 'zod';
import { phaseAfter, phaseFacts } from '../../commands/engagement/phases.ts';
import { phaseReadiness } from '../../commands/engagement/readiness.ts';
import { type Phase, zBlocker, zPhase } from '../../events/engagement/events.ts';
import type { EngagementOutline } from '../../events/engagement/records.ts';
import { counted } from '../markdown.ts';

export const zAdvanceOutcome = z.object({
  advanced: z.boolean().describe('Whether the phase was left.'),
  from: zPhase.describe('The phase that was left, or is to be.'),
  to: zPhase.nullable().describe('The phase that was entered, or would be; null after the last one.'),
  forced: z.boolean().describe('It advanced with blockers outstanding.'),
  blockers: z.array(zBlocker),
  reason: z.string().describe('What came of it, in one sentence.'),
});
export type AdvanceOutcome = Readonly<z.infer<typeof zAdvanceOutcome>>;

/** `moveId` is the move id of the command: the engagement has advanced if it has a move with this id. */
export function advanceOutcome(outline: EngagementOutline, moveId: string): AdvanceOutcome {
  const move = outline.moves.find(({ id }) => id === moveId);
  if (move !== undefined) {
    const { from, to, blockers } = move;
    const forced = move.kind === 'forced';
    const reason = forced
      ? `Advanced from ${named(from)} to ${named(to)} by force, overriding ${counted(blockers.length, 'blocker')}.`
      : `Advanced from ${named(from)} to ${named(to)}: nothing stood in the way.`;
    return { advanced: true, from, to, forced, blockers, reason };
  }
  const from = outline.engagement.current_phase;
  const to = phaseAfter(from);
  const blockers = [...phaseReadiness(outline, from).blockers];
  const reason =
    to === null
      ? `${named(from)} is the final phase; there is none to advance to.`
      : `${named(from)} cannot be closed: ${counted(blockers.length, 'blocker')} outstanding.`;
  return { advanced: false, from, to, forced: false, blockers, reason };
}

function named(phase: Phase): string {
  return phaseFacts(phase).title;
}
