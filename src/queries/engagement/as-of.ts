/**
 * An engagement in its present state or in a past one: `?at=` names a position of the log or an RFC 3339 time, and the
 * stream is folded up to it, into views of its own.
 *
 * - A position includes its own event; a time includes the events of its millisecond.
 * - Before the engagement was opened and after it was removed the answer is 404. A removed engagement still answers for
 *   the times when it existed.
 */
import { z } from 'zod';
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { refused, sanitiseEcho } from '../../commands/refusal.ts';
import { decodeEvents, type StoredEvent } from '../../events/decode.ts';
import { engagementEvents } from '../../events/engagement/events.ts';
import type { EngagementDocument, EngagementOutline } from '../../events/engagement/records.ts';
import { engagementDocument, engagementOutline, engagements } from '../../projections/engagement.ts';
import type { Seen } from '../../projections/projection.ts';
import { openViews, type Views } from '../../projections/views.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { notFound } from './lookup.ts';

/** Present in answers to `?at=`: the requested moment, and the newest included event of the engagement. */
export const zAsOf = z.object({
  asked: z.string(),
  position: z.int(),
  at: z.int(),
  leaf_hash: z.string().length(64),
});
export type AsOf = Readonly<z.infer<typeof zAsOf>>;

/** Where engagements are read from: the views for the present, the log for the past. */
export interface EngagementSources {
  readonly log: EventLog;
  readonly views: Views;
}

interface At<Document> {
  readonly document: Document;
  /** null: the present state. */
  readonly asOf: AsOf | null;
}

/** The engagement with its evidence. Throws `Refused`. */
export function documentAsOf(sources: EngagementSources, id: string, at: string | undefined): At<EngagementDocument> {
  if (at !== undefined) return folded(sources.log, id, at);
  return present(id, engagementDocument(sources.views, id));
}

/** Without evidence, of which there may be much. Throws `Refused`. */
export function outlineAsOf(sources: EngagementSources, id: string, at: string | undefined): At<EngagementOutline> {
  if (at !== undefined) return folded(sources.log, id, at);
  return present(id, engagementOutline(sources.views, id));
}

function present<Document>(id: string, document: Document | undefined): At<Document> {
  if (document === undefined) throw notFound('Engagement', id);
  return { document, asOf: null };
}

/** The events of an engagement that exists or existed. Throws `Refused` (not found) for any other id. */
export function eventsOf(log: EventLog, id: string): IterableIterator<RecordedEvent> {
  if (log.streamVersion(streamOf(id)) === 0) throw notFound('Engagement', id);
  return log.readStream(streamOf(id));
}

export function streamOf(id: string): string {
  return `${decider.category}-${id}`;
}

function folded(log: EventLog, id: string, asked: string): At<EngagementDocument> {
  const events = eventsUntil(log, id, momentOf(log, asked));
  const document = documentAfter(id, events);
  if (document === undefined) {
    throw refused('not_found', `Engagement '${sanitiseEcho(id)}' did not exist at '${sanitiseEcho(asked)}'`);
  }
  const { position, at, leafHash: leaf_hash } = events.at(-1)!;
  return { document, asOf: { asked: withPlus(asked), position, at, leaf_hash } };
}

/** The engagement that the events of its stream lead to; undefined before it is opened and after it is removed. */
export function documentAfter(id: string, events: Iterable<StoredEvent & Seen>): EngagementDocument | undefined {
  const views = openViews(null);
  try {
    views.exec(engagements.create);
    for (const event of decodeEvents(engagementEvents, events)) engagements.on[event.type]?.(views, event);
    return engagementDocument(views, id);
  } finally {
    views.close();
  }
}

/**
 * A time includes all events up to the newest one that is not later than it: after a clock is set back, later events
 * have earlier times.
 */
function eventsUntil(log: EventLog, id: string, moment: Moment): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const event of eventsOf(log, id)) {
    if ('position' in moment && event.position > moment.position) break;
    events.push(event);
  }
  return 'position' in moment ? events : events.slice(0, events.findLastIndex(({ at }) => at <= moment.ms) + 1);
}

type Moment = { readonly position: number } | { readonly ms: number };

function momentOf(log: EventLog, asked: string): Moment {
  const head = log.head().position;
  if (/^\d{1,15}$/.test(asked)) {
    const position = Number(asked);
    if (position >= 1 && position <= head) return { position };
  } else {
    const ms = rfc3339(asked);
    if (ms !== undefined) return { ms };
  }
  throw refused(
    'invalid',
    `Invalid query: at: must be a position of the log from 1 to ${head}, or an RFC 3339 time such as ` +
      '2026-01-31T09:30:00Z',
  );
}

/** Decoding a query turns the `+` of a zone into a blank; this puts it back. */
function withPlus(asked: string): string {
  return asked.replace(/ (?=\d{2}:\d{2}$)/, '+');
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+\- ]\d{2}:\d{2})$/;

/**
 * Unix milliseconds; undefined for any other text. A blank before the zone counts as `+`, which a query string decodes
 * to a blank.
 */
export function rfc3339(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, day, hour, minute, second, fraction = '', zone] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const [offsetHours, offsetMinutes] = /[Zz]/.test(zone!)
    ? [0, 0]
    : [Number(zone!.slice(1, 3)), Number(zone!.slice(4))];
  const inRange =
    Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60 && offsetHours! <= 23 && offsetMinutes! <= 59;
  if (!inRange) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  const offset = (zone!.startsWith('-') ? -1 : 1) * (offsetHours! * 60 + offsetMinutes!) * 60;
  return midnight + (seconds - offset) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}
