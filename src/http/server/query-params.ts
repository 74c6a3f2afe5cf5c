/** What parameters of several routes share: whole numbers, lists, the cursor of a reader, and the answer at its end. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { numberText } from '../../lib/number-text.ts';
import { HttpError } from './errors.ts';

interface Range {
  readonly min: number;
  readonly max?: number;
}

/** A whole number of a body. */
export function zWhole({ min, max = Number.MAX_SAFE_INTEGER }: Range) {
  const error = `must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`;
  return z.int({ error, abort: true }).min(min, error).max(max, error);
}

/** A whole number of a query. Digits only: `0x10`, `1e2`, blanks and a repeated parameter are refused. */
export function queryNumber(range: Range) {
  return numberText(/^\d{1,15}$/, zWhole(range));
}

/** Some of the values, separated by commas. */
export function queryList<const Value extends string>(values: readonly Value[]) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values)));
}

export const zCursor = queryNumber({ min: 0 });

/** 204 keeps an `EventSource` from reconnecting: the stream has ended, and the reader has its last event. */
export const STREAM_OVER = { kind: 'empty', status: 204 } as const;
export const streamOverResponse = { 204: { description: 'The stream has ended, and nothing follows this event.' } };

/** `Last-Event-ID` of a reader that reconnects, else the query's cursor. Throws 400 for a header that is no number. */
export function cursorOf(request: FastifyRequest, query: number | undefined): number | undefined {
  const header = request.headers['last-event-id'];
  if (typeof header !== 'string' || header === '') return query;
  const parsed = zCursor.safeParse(header);
  if (!parsed.success) throw new HttpError(400, 'Last-Event-ID must be the id of an event of this stream.');
  return parsed.data;
}
