/**
 * An engagement in its present state or in a past one.
 *
 * - Before the engagement was opened and after it was removed the answer is 404. A removed engagement still answers for
 *   the times when it existed.
 */
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import type { EngagementDocument, EngagementOutline } from '../../events/engagement/records.ts';
import { engagementDocument, engagementOutline } from '../../projections/engagement/document.ts';
import { engagements } from '../../projections/engagement/engagement.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { AsOf, PastViews } from '../as-of/past-views.ts';
import { notFound } from './lookup.ts';

/** The sources of engagements: the views for the present, the log for the past. */
export interface EngagementSources {
  readonly log: EventLog;
  readonly views: Views;
  readonly past: PastViews;
}

interface At<Document> {
  readonly document: Document;
  /** null: the present state. */
  readonly asOf: AsOf | null;
}

type Read<Document> = (views: Views, id: string) => Document | undefined;

/** The engagement with its evidence. Throws `Refused`. */
export function documentAsOf(
  sources: EngagementSources,
  id: string,
  at: string | undefined,
): Promise<At<EngagementDocument>> {
  return readAsOf(sources, { id, at, read: engagementDocument });
}

/** Without evidence, of which there may be much. Throws `Refused`. */
export function outlineAsOf(
  sources: EngagementSources,
  id: string,
  at: string | undefined,
): Promise<At<EngagementOutline>> {
  return readAsOf(sources, { id, at, read: engagementOutline });
}

async function readAsOf<Document>(
  { log, views, past }: EngagementSources,
  { id, at, read }: { readonly id: string; readonly at: string | undefined; readonly read: Read<Document> },
): Promise<At<Document>> {
  if (at === undefined) {
    const document = read(views, id);
    if (document === undefined) throw notFound('Engagement', id);
    return { document, asOf: null };
  }
  requireStream(log, id);
  const scope = { projection: engagements, stream: streamOf(id) };
  const { result, asOf } = await past.read(await past.moment(at), scope, (then) => read(then, id));
  if (result !== undefined) return { document: result, asOf };
  throw refused('not_found', `Engagement '${sanitiseEcho(id)}' did not exist at '${at}'`);
}

export function streamOf(id: string): string {
  return `${decider.category}-${id}`;
}

/** Throws `Refused` (not found) for an engagement that never existed. */
export function requireStream(log: EventLog, id: string): void {
  if (log.streamVersion(streamOf(id)) === 0) throw notFound('Engagement', id);
}
