/** Where a reader of a numbered stream wants to go on: `Last-Event-ID` of a reconnect, else the query. */
import type { FastifyRequest } from 'fastify';
import { HttpError } from './errors.ts';
import { queryNumber } from './query-number.ts';

export const zCursor = queryNumber({ min: 0 });

/** The number after which to go on, or undefined when the reader names none. Throws 400 for what is not a number. */
export function cursorOf(request: FastifyRequest, query: number | undefined): number | undefined {
  const header = request.headers['last-event-id'];
  if (typeof header !== 'string' || header === '') return query;
  const parsed = zCursor.safeParse(header);
  if (!parsed.success) throw new HttpError(400, 'Last-Event-ID must be the id of an event of this stream.');
  return parsed.data;
}
