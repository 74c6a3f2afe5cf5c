/** Every event of an engagement, oldest first, with its place in the log and the hash that proves it; removal too. */
import { z } from 'zod';
import { zEnvelope } from '../../events/envelope.ts';
import type { Views } from '../../projections/views.ts';
import { eventsOf, streamOf } from '../../queries/engagement/as-of.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { value } from '../server/answer.ts';
import { zCursor } from '../server/cursor.ts';
import { queryNumber } from '../server/query-number.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { badRequest, unknownId, zId } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly log: EventLog;
  readonly views: Views;
}

const HISTORY_LIMIT_DEFAULT = 500;
const HISTORY_LIMIT_MAX = 5_000;

const zHistoryQuery = z.object({
  /** A position of the log. */
  after: zCursor.default(0),
  limit: queryNumber({ min: 1, max: HISTORY_LIMIT_MAX }).default(HISTORY_LIMIT_DEFAULT),
});

export function historyRoute(deps: Dependencies): RouteSpec {
  return route({
    method: 'GET',
    path: '/engagements/{id}/history',
    summary: 'Every event of an engagement, newest last; `next` is where to go on, null at the end.',
    tag: 'engagements',
    auth: 'bearer',
    params: zId,
    query: zHistoryQuery,
    responses: {
      200: {
        description: 'A page.',
        schema: z.object({
          events: z.array(zEnvelope.extend({ reason: z.string() })),
          next: z.int().nullable(),
        }),
      },
      ...badRequest,
      ...unknownId,
    },
    handle: ({ params, query }) => value(page(deps, params.id, query)),
  });
}

function page(deps: Dependencies, id: string, { after, limit }: z.infer<typeof zHistoryQuery>) {
  const found: RecordedEvent[] = [];
  let more = false;
  for (const event of eventsAfter(deps, id, after)) {
    more = found.length === limit;
    if (more) break;
    found.push(event);
  }
  const events = found.map((event) => ({ ...envelopeOf(event), reason: reasonOf(event) }));
  return { events, next: more ? found.at(-1)!.position : null };
}

/** Pages go on from an event of this stream: it is not read from its beginning for each. */
function* eventsAfter(deps: Dependencies, id: string, after: number): Iterable<RecordedEvent> {
  const all = eventsOf(deps, id);
  const last = deps.log.at(after);
  const events = last?.stream === streamOf(id) ? deps.log.readStream(streamOf(id), { after: last.version }) : all;
  for (const event of events) if (event.position > after) yield event;
}

/** An erased event has lost its reason with its data. */
function reasonOf({ data }: RecordedEvent): string {
  const reason = (data as { readonly reason?: unknown } | null)?.reason;
  return typeof reason === 'string' ? reason : '';
}
