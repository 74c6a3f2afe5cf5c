/**
 * An engagement as it is, or as it was: `?at=` names a position of the log or an RFC 3339 time, and the stream is folded
 * up to it.
 *
 * - A position counts itself in; a time counts in what happened within its millisecond.
 * - Before it was opened and after it was removed there is no engagement: 404. A removed one can still be asked for the
 *   time when it was there.
 */
import { engagement as decider } from '../../commands/engagement/decide.ts';
import { documentOf, evolveEngagement } from '../../commands/engagement/state.ts';
import { sanitiseEcho } from '../../commands/refusal.ts';
import { decodeEvents } from '../../events/decode.ts';
import { engagementEvents } from '../../events/engagement/events.ts';
import type { EngagementDocument, EngagementOutline } from '../../events/engagement/records.ts';
import { type AsOf, nothing } from '../../http/engagement/schemas.ts';
import { HttpError } from '../../http/server/errors.ts';
import { engagementDocument, engagementOutline } from '../../projections/engagement.ts';
import type { Views } from '../../projections/views.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly log: EventLog;
  readonly views: Views;
}

export interface Then<Document> {
  readonly document: Document;
  /** null: as it is now. */
  readonly asOf: AsOf | null;
}

/** With everything. */
export function documentThen(deps: Dependencies, id: string, at: string | undefined): Then<EngagementDocument> {
  return at === undefined ? now(id, engagementDocument(deps.views, id)) : folded(deps, id, at);
}

/** Without evidence, of which there may be much. */
export function outlineThen(deps: Dependencies, id: string, at: string | undefined): Then<EngagementOutline> {
  return at === undefined ? now(id, engagementOutline(deps.views, id)) : folded(deps, id, at);
}

function now<Document>(id: string, document: Document | undefined): Then<Document> {
  if (document === undefined) throw nothing('Engagement', id);
  return { document, asOf: null };
}

/** The events of an engagement that exists or existed; 404 when there never was one with this id. */
export function eventsOf(deps: Dependencies, id: string): IterableIterator<RecordedEvent> {
  if (!/^[0-9a-f-]{36}$/.test(id) || deps.log.streamVersion(streamOf(id)) === 0) throw nothing('Engagement', id);
  return deps.log.readStream(streamOf(id));
}

export function streamOf(id: string): string {
  return `${decider.category}-${id}`;
}

function folded(deps: Dependencies, id: string, asked: string): Then<EngagementDocument> {
  const events = eventsUntil(deps, id, momentOf(deps, asked));
  const state = [...decodeEvents(engagementEvents, events)].reduce(evolveEngagement, decider.initial);
  if (state.presence !== 'open') {
    throw new HttpError(404, `Engagement '${sanitiseEcho(id)}' did not exist at '${sanitiseEcho(asked)}'`);
  }
  const { position, at, leafHash: leaf_hash } = events.at(-1)!;
  return { document: documentOf(id, state), asOf: { asked: withPlus(asked), position, at, leaf_hash } };
}

/** By time it is the newest event of that time or before that ends them: clocks go back now and then. */
function eventsUntil(deps: Dependencies, id: string, moment: Moment): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const event of eventsOf(deps, id)) {
    if ('position' in moment && event.position > moment.position) break;
    events.push(event);
  }
  return 'position' in moment ? events : events.slice(0, events.findLastIndex(({ at }) => at <= moment.ms) + 1);
}

type Moment = { readonly position: number } | { readonly ms: number };

function momentOf(deps: Dependencies, asked: string): Moment {
  const head = deps.log.head().position;
  if (/^\d{1,15}$/.test(asked)) {
    const position = Number(asked);
    if (position >= 1 && position <= head) return { position };
  } else {
    const ms = rfc3339(asked);
    if (ms !== undefined) return { ms };
  }
  throw new HttpError(
    400,
    `Invalid query: at: must be a position of the log from 1 to ${head}, or an RFC 3339 time such as ` +
      '2026-01-31T09:30:00Z',
  );
}

/** The `+` of a zone that a query turned into a blank is one again. */
function withPlus(asked: string): string {
  return asked.replace(/ (?=\d{2}:\d{2}$)/, '+');
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+\- ]\d{2}:\d{2})$/;

/** Unix milliseconds, or undefined for what is no such time. A `+` that came through a query as a blank is one. */
export function rfc3339(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, day, hour, minute, second, fraction = '', zone] = match as unknown as string[] & { 0: string };
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
