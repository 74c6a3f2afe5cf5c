/** Every event of an engagement, oldest first, with its position and leaf hash; also of a removed engagement. */
import { z } from 'zod';
import { zEnvelope } from '../../events/envelope.ts';
import { historyPage, reasonOf } from '../../queries/engagement/history.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { envelopeOf } from '../../streams/envelope.ts';
import { ok } from '../responses.ts';
import { queryNumber, zCursor } from '../server/query-params.ts';
import { type RouteSpec, value } from '../server/route.ts';
import { ofEngagement, zId } from './schemas.ts';

interface Dependencies {
  readonly log: EventLog;
}

const HISTORY_LIMIT_DEFAULT = 500;
const HISTORY_LIMIT_MAX = 5_000;

export function historyRoute({ log }: Dependencies): RouteSpec {
  return ofEngagement.get('/history', {
    operation: 'history',
    summary: 'Every event of an engagement, newest last; `next` is where to go on, null at the end.',
    params: zId,
    query: z.object({
      after: zCursor.default(0).describe('A position of the log.'),
      limit: queryNumber({ min: 1, max: HISTORY_LIMIT_MAX }).default(HISTORY_LIMIT_DEFAULT),
    }),
    responses: ok('A page.', {
      events: z
        .array(zEnvelope.extend({ reason: z.string().describe("Why, in the caller's words or in a default text.") }))
        .describe('Events of the engagement, oldest first.'),
      next: z.int().nullable(),
    }),
    handle({ params, query }) {
      const { events, next } = historyPage(log, params.id, query);
      return value({ events: events.map((event) => ({ ...envelopeOf(event), reason: reasonOf(event) })), next });
    },
  });
}
