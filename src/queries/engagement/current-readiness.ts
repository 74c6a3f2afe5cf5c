/** How ready each engagement of a list is to leave its current phase, by its id. */
import { type PhaseReadiness, phaseReadiness } from '../../commands/engagement/readiness.ts';
import type { Engagement } from '../../events/engagement/records.ts';
import { currentWork } from '../../projections/engagement/list.ts';
import type { Views } from '../../projections/views.ts';

/** Limit of engagements in one phase whose readiness is in an answer, which has about 2 KB for each. */
export const READINESS_PER_PHASE_MAX = 400;

/** The readiness of the first `READINESS_PER_PHASE_MAX` engagements of each phase; the others are absent. */
export function currentReadiness(
  views: Views,
  engagements: readonly Engagement[],
): Readonly<Record<string, PhaseReadiness>> {
  const first = Object.values(Object.groupBy(engagements, ({ current_phase }) => current_phase)).flatMap((ofPhase) =>
    ofPhase.slice(0, READINESS_PER_PHASE_MAX),
  );
  const work = currentWork(
    views,
    first.map(({ id }) => id),
  );
  return Object.fromEntries(first.map(({ id, current_phase }) => [id, phaseReadiness(work.get(id)!, current_phase)]));
}
