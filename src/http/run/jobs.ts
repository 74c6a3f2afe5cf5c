/** Jobs: the records of runs, cancelling, exact replay, and forks from any step. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { run } from '../../commands/run/decide.ts';
import { describeTools } from '../../commands/run/request.ts';
import { linkedRuns } from '../../projections/goal.ts';
import { job, jobJson, zJobRecord } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import type { PastViews } from '../../queries/as-of/past-views.ts';
import { forkOf, forkRequest, replayRecorded } from '../../queries/run/history.ts';
import { type PastJob, pastJob, withAsOf } from '../../queries/run/past-jobs.ts';
import { type RunRequestDependencies, zAgentRequest } from '../../queries/run/run-request.ts';
import { zReplay } from '../../queries/run/schemas.ts';
import type { Nodes } from '../../reactors/nodes/nodes.ts';
import { startRun } from '../../reactors/run/start-run.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Projector } from '../../streams/projector.ts';
import { asOfField, invalidAt, zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { HttpError, notFound } from '../server/errors.ts';
import { jsonArray } from '../server/json-array.ts';
import { type Answer, type Call, json, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { invalidPage, pastJobList, presentTexts, zJobQuery } from './job-list.ts';
import { closedWorkspace, tooManyRuns } from './schemas.ts';

const { get, post } = routesOf({ tag: 'runs' });

export interface Dependencies extends RunRequestDependencies {
  readonly log: EventLog;
  readonly past: PastViews;
  readonly projector: Pick<Projector, 'position'>;
  readonly nodes: JobJsonParts['nodes'];
}

const zId = z.object({ id: z.string() });
const unknown = { 404: 'Unknown job.' };
const zJobRecordAt = zJobRecord.extend(asOfField);
z.globalRegistry.add(zJobRecordAt, { id: 'JobRecord' });

const zFork = z
  .object({
    step: z
      .int()
      .min(0)
      .optional()
      .describe('Tool calls of the parent that the new run starts after; absent: all of them.'),
    task: z.string().optional(),
    approval: z.string().nullish(),
    interactive: zAgentRequest.shape.interactive,
  })
  .optional();
z.globalRegistry.add(zFork, { examples: [{ step: 3, task: 'Try it without the cache.' }] });

export function jobRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [listRoute(deps), jobRoute(deps), cancelRoute(deps), replayRoute(deps), forkRoute(deps)];
}

function listRoute(deps: Dependencies): RouteSpec {
  const list = jobLists(deps);
  return get('/jobs', {
    operation: 'list',
    summary:
      'Every job, most recent first; `limit` and `after` (a session id) page through them, the other parameters ' +
      'filter. With `at` the list as it was then, and `as_of` in each record.',
    query: zJobQuery,
    responses: ok('A bare array.', z.array(zJobRecordAt), invalidPage),
    handle: ({ query, request }) => list(query, request),
  });
}

function jobRoute(deps: Dependencies): RouteSpec {
  return get('/jobs/{id}', {
    operation: 'get',
    summary: 'One job; `at` answers as it was then.',
    params: zId,
    query: z.object({ at: zAt }),
    responses: ok('The record.', zJobRecordAt, { ...invalidAt, ...unknown }),
    async handle({ params: { id }, query: { at }, request }) {
      if (at === undefined) return record(deps, id);
      const { result, asOf } = await whileConnected(request, async (signal) =>
        pastJob(deps, id, { moment: await deps.past.moment(at, signal), signal }),
      );
      if (result === undefined) throw notFound('Job', id);
      return json(withAsOf(presentPastJson(deps, result), asOf));
    },
  });
}

function cancelRoute(deps: Dependencies): RouteSpec {
  return post('/jobs/{id}/cancel', {
    operation: 'cancel',
    dispatchOnly: true,
    summary:
      'Cancels a job permanently: the model call is aborted, the tool’s processes are killed. A finished job is unchanged.',
    params: zId,
    responses: ok('The record as it is now.', zJobRecordAt, unknown),
    async handle({ params, answerAfter }) {
      const command = { type: 'CancelRun', reason: 'user requested' } as const;
      return answerAfter(run, params.id, command, () => record(deps, params.id));
    },
  });
}

function replayRoute({ views, log, tools }: Dependencies): RouteSpec {
  return get('/jobs/{id}/replay', {
    operation: 'replay',
    summary: 'Folds the recorded run through today’s rules: the same effects in the same order, or where it diverges.',
    params: zId,
    responses: ok('The comparison.', zReplay, unknown),
    async handle({ params }) {
      if (job(views, params.id) === undefined) throw notFound('Job', params.id);
      return value({ session_id: params.id, ...(await replayRecorded(log, params.id, describeTools(tools.specs))) });
    },
  });
}

function forkRoute(deps: Dependencies): RouteSpec {
  return post('/jobs/{id}/fork', {
    operation: 'fork',
    dispatchOnly: true,
    summary: 'Starts a new run from the conversation of another one as it was after one of its steps.',
    params: zId,
    body: zFork,
    responses: ok(
      'The new run is queued.',
      { session_id: z.string() },
      {
        400: 'The run has no such step.',
        ...closedWorkspace,
        ...unknown,
        409: 'Events of the run are erased, or its folder is gone; it cannot be forked.',
        ...tooManyRuns,
      },
    ),
    handle: (call) => forkRun(deps, call),
  });
}

function record(parts: JobJsonParts, id: string): Answer {
  const text = presentJobJson(parts, id);
  if (text === undefined) throw notFound('Job', id);
  return json(text);
}

/** Lists of jobs. A short list of all jobs that depends on the views only is cached until their position changes. */
function jobLists(deps: Dependencies): (query: z.infer<typeof zJobQuery>, request: FastifyRequest) => Promise<Answer> {
  let cached: { readonly position: number; readonly answer: Answer } | null = null;
  return async ({ at, limit, after, goal, ...chosen }, request) => {
    const isFiltered = goal !== undefined || Object.values(chosen).some((value) => value !== undefined);
    if (at !== undefined) {
      if (isFiltered) throw new HttpError(400, '`at` goes with `limit` and `after` only.');
      return pastJobList(deps, { limit, after, at }, { request, shown: (found) => presentPastJson(deps, found) });
    }
    const position = deps.projector.position;
    const isWhole = limit === undefined && after === undefined && !isFiltered && !deps.nodes.isSelective;
    const ids = goal === undefined ? undefined : linkedRuns(deps.views, goal);
    const page = { ...chosen, limit, after, ids };
    if (isWhole && cached?.position === position) return cached.answer;
    const answer = await jsonArray(presentTexts(deps.views, page, (id) => presentJobJson(deps, id)));
    if (isWhole) cached = answer.kind === 'text' ? { position, answer } : null;
    return answer;
  };
}

async function forkRun(
  deps: Dependencies,
  { params, body, answerAfter }: Call<z.infer<typeof zId>, unknown, z.infer<typeof zFork>>,
): Promise<Answer> {
  const parent = job(deps.views, params.id);
  if (parent === undefined) throw notFound('Job', params.id);
  const { fork, state } = forkOf(deps.log, params.id, body?.step);
  const request = forkRequest(parent, state, body);
  return startRun(deps, answerAfter, { body: request, fork, answer: (session_id) => value({ session_id }) });
}

interface JobJsonParts {
  readonly views: Views;
  readonly nodes: Pick<Nodes, 'isSelective' | 'executing' | 'obstacle'>;
}

/**
 * The record of a job, and on a shared log the daemon that executes it; undefined for an unknown job. The daemon that
 * executes an active run comes from the leases, the daemon that executed an ended one from the events of the run.
 */
function presentJobJson({ views, nodes }: JobJsonParts, id: string): string | undefined {
  const text = jobJson(views, id);
  if (text === undefined || !nodes.isSelective) return text;
  const row = job(views, id);
  if (row === undefined) return undefined;
  const isActive = row.status === 'queued' || row.status === 'running';
  const node = isActive ? JSON.stringify(nodes.executing(id)) : row.node;
  const waiting = isActive && node === 'null' ? nodes.obstacle(row.workspace) : null;
  return withNode(text, node, waiting);
}

/** The record at a past moment. Leases are not in the log, so `node` is the daemon that had executed the run last. */
function presentPastJson({ nodes }: Pick<JobJsonParts, 'nodes'>, { json, row }: PastJob): string {
  return nodes.isSelective ? withNode(json, row.node, null) : json;
}

/** `node` is JSON. */
function withNode(text: string, node: string | null, waiting: string | null): string {
  return `${text.slice(0, -1)},"node":${node},"waiting":${JSON.stringify(waiting)}}`;
}
