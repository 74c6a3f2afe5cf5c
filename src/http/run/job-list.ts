/** What the lists of jobs and sessions share: pages, present items, and items as of a past moment. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { JOB_STATUSES, type JobFilter, job, jobIds } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import {
  type JobPage,
  type PastJob,
  type PastJobSources,
  pastJobIds,
  pastJobTexts,
  unknownAfter,
} from '../../queries/run/past-jobs.ts';
import { zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { jsonArray } from '../server/json-array.ts';
import { queryList, queryNumber } from '../server/query-params.ts';
import type { Answer } from '../server/route.ts';

const LIMIT_MAX = 10_000;

export const zJobPage = z.object({
  limit: queryNumber({ min: 1, max: LIMIT_MAX }).optional(),
  after: z
    .string()
    .optional()
    .describe(
      'A session id: the page begins after it. A run that starts meanwhile moves to the front. With the same `at` ' +
        'all pages are of one moment.',
    ),
  at: zAt,
});

const zTime = queryNumber({ min: 0 });

/** A page of jobs, with filters. */
export const zJobQuery = zJobPage.extend({
  status: queryList(JOB_STATUSES).optional().describe('Only runs with this status; several with commas between them.'),
  provider: z.string().optional().describe('Only runs of this provider.'),
  q: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Each of its words is in the task or the summary, or (from four letters on) the id begins with it; eight count.',
    ),
  from: zTime.optional().describe('Started from this time on, and before that one. Unix milliseconds.'),
  to: zTime.optional().describe('Started before this time. Unix milliseconds.'),
  goal: z.string().optional().describe('Linked to this goal.'),
});

export const invalidPage = { 400: 'at is neither a position of the log nor a time, or after is no run of the list.' };

/**
 * A page of the present list: the text of each job, read when it is needed. A job without a text is skipped. Throws
 * `Refused` for an unknown `after`.
 */
export async function* presentTexts(
  views: Views,
  page: JobFilter & JobPage,
  textOf: (id: string) => string | undefined,
): AsyncGenerator<string> {
  if (page.after !== undefined && job(views, page.after) === undefined) throw unknownAfter();
  for await (const id of jobIds(views, page)) {
    const text = textOf(id);
    if (text !== undefined) yield text;
  }
}

/** A page of the list as of a moment. Throws `Refused` for an invalid `at` or `after`. */
export function pastJobList(
  sources: PastJobSources,
  { at, ...page }: JobPage & { readonly at: string },
  { request, shown }: { readonly request: FastifyRequest; shown(found: PastJob): string },
): Promise<Answer> {
  return whileConnected(request, async (signal) => {
    const moment = await sources.past.moment(at, signal);
    const ids = await pastJobIds(sources, moment, { ...page, signal });
    return jsonArray(pastJobTexts(sources, ids, { moment, signal: new AbortController().signal, shown }));
  });
}
