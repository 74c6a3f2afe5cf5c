/** Engagements by id, and the 404 for unknown ones. */
import { noSuch } from '../../commands/engagement/decide.ts';
import { Refused } from '../../commands/refusal.ts';
import type { Engagement, EngagementOutline } from '../../events/engagement/records.ts';
import { engagement, engagementOutline } from '../../projections/engagement/document.ts';
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
