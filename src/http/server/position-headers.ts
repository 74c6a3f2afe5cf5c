/**
 * `Daybook-Position` and `Daybook-Min-Position`: a client reads its own writes, whichever daemons of the log it uses.
 *
 * - The 2xx answer of a mutation, and of a GET that records something, carries a position that covers its events. The
 *   answer to any other GET carries a position that the views had reached when it was computed, or the log where the
 *   route reads no views.
 * - A request with `Daybook-Min-Position` is answered once the views here have folded that position; 503 when that
 *   takes too long.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Timers, within } from '../../lib/timers.ts';
import type { Positions } from '../../streams/positions.ts';
import { HttpError, retryLater } from './errors.ts';
import { zCursor } from './query-params.ts';
import type { RouteSpec } from './route.ts';

const POSITION = 'daybook-position';
const MIN_POSITION = 'daybook-min-position';
const MIN_POSITION_MS_MAX = 2_000;
const RETRY_SECONDS = 1;

export interface PositionHeaders {
  /** Waits for the minimum position of the request. Throws 400 and 503. */
  admit(request: FastifyRequest): Promise<void> | undefined;
  /** Called before a GET is handled. */
  read(reply: FastifyReply, route: Pick<RouteSpec, 'withoutViews'>): void;
  /** Called before the answer of a request is sent that may have recorded events. */
  wrote(reply: FastifyReply): void;
}

export function createPositionHeaders(positions: Positions, timers: Timers): PositionHeaders {
  async function wait(position: number): Promise<void> {
    const isReached = await within(timers, MIN_POSITION_MS_MAX, (late) => positions.reached(position, late));
    if (isReached) return;
    const have = `This daemon has the log up to position ${positions.folded()}`;
    const message = `${have}; position ${position} did not come within ${MIN_POSITION_MS_MAX / 1_000} s.`;
    throw retryLater(message, RETRY_SECONDS);
  }
  return {
    admit({ headers }) {
      const text = headers[MIN_POSITION];
      if (text === undefined) return undefined;
      const parsed = zCursor.safeParse(text);
      if (!parsed.success) throw new HttpError(400, 'Daybook-Min-Position must be a whole number from 0.');
      return parsed.data <= positions.folded() ? undefined : wait(parsed.data);
    },
    read(reply, { withoutViews = false }) {
      reply.header(POSITION, withoutViews ? positions.written() : positions.folded());
    },
    wrote: (reply) => void reply.header(POSITION, positions.written()),
  };
}
