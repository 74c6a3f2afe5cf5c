/** Engagements by id, and the 404 for unknown ones. */
import { type Refused, refused, sanitiseEcho } from '../../commands/refusal.ts';
import type { Engagement } from '../../events/engagement/records.ts';
import { engagement } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';

/**
 * The engagement in its present state. Throws `Refused` (not found). A handler calls it before it dispatches: a caller's
 * id may be no valid name of a stream, and the decider does not know it.
 */
export function requireEngagement(views: Views, id: string): Engagement {
  const found = engagement(views, id);
  if (found === undefined) throw notFound('Engagement', id);
  return found;
}

export function notFound(kind: 'Engagement' | 'Deliverable', id: string): Refused {
  return refused('not_found', `${kind} '${sanitiseEcho(id)}' not found`);
}
