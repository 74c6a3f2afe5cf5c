/** `?at=`: an answer as of a moment, which is a position of the log or an RFC 3339 time. Such an answer has `as_of`. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Views } from '../../projections/views.ts';
import { type PastScope, type PastViews, zAsOf } from '../../queries/as-of/past-views.ts';
import { whileConnected } from './disconnect.ts';
import { type Answer, value } from './route.ts';

/** The query field `at`; `PastViews` reads it. */
export const zAt = z.string().optional().describe('Answers as of then: a position of the log, or an RFC 3339 time.');

/** The field that `at` adds to an answer. */
export const asOfField = { as_of: zAsOf.optional() };

export const invalidAt = { 400: 'at is neither a position of the log nor a time.' };

export interface AsOfSources {
  readonly views: Views;
  readonly past: PastViews;
}

/** The result of `read` on the present views, or with `at` on the views as of then. Passes on errors of `read`. */
export async function answerAt(
  { views, past }: AsOfSources,
  { at, request }: { readonly at: string | undefined; readonly request: FastifyRequest },
  { read, ...scope }: PastScope & { readonly read: (views: Views) => object },
): Promise<Answer> {
  if (at === undefined) return value(read(views));
  const { result, asOf } = await whileConnected(request, async (signal) =>
    past.read(await past.moment(at, signal), scope, read, signal),
  );
  return value({ ...result, as_of: asOf });
}
