/** Engagements by id, and the 404 for unknown ones. */
import { noSuch } from '../../commands/engagement/decide.ts';
import { type PhaseReadiness, phaseReadiness } from '../../commands/engagement/readiness.ts';
import { Refused } from '../../commands/refusal.ts';
import type { Engagement, EngagementOutline } from '../../events/engagement/records.ts';
import { engagement, engagementOutline } from '../../projections/engagement/document.ts';
import { currentWork } from '../../projections/engagement/list.ts';
import type { Views } from '../../projections/views.ts';

/** The engagement in its present state. Throws `Refused` (not found). */
export function requireEngagement(views: Views, id: string): Engagement {
  const row = engagement(views, id);
  if (row === undefined) throw notFound('Engagement', id);
  return row;
}

/** The engagement without its evidence, in its present state. Throws `Refused` (not found). */
export function requireOutline(views: Views, id: string): EngagementOutline {
  const outline = engagementOutline(views, id);
  if (outline === undefined) throw notFound('Engagement', id);
  return outline;
}

export function notFound(...what: Parameters<typeof noSuch>): Refused {
  return new Refused(noSuch(...what));
}

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
