/** Jobs: the records of runs, cancelling, exact replay, and forks from any step. */
import { z } from 'zod';
import { run } from '../../commands/run/decide.ts';
import { type RecordedRunEvent, replayRun } from '../../commands/run/replay.ts';
import { evolveRun, forkedConversation, initialRun, type RunState } from '../../commands/run/state.ts';
import type { Config } from '../../config.ts';
import { decodeEvent } from '../../events/decode.ts';
import { runEvents } from '../../events/run/events.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import type { ModelsPort } from '../../ports/models.ts';
import type { PluginFiles } from '../../ports/plugins.ts';
import type { ToolsPort } from '../../ports/tools.ts';
import { job, jobJson, jobsJson } from '../../projections/run/jobs.ts';
import type { Views } from '../../projections/views.ts';
import { describeTools } from '../../reactors/run/agent-run.ts';
import type { EventLog, RecordedEvent } from '../../storage/event-log.ts';
import type { Projector } from '../../streams/projector.ts';
import { type Answer, json, value } from '../server/answer.ts';
import { HttpError, notFound, zError } from '../server/errors.ts';
import { queryNumber } from '../server/query-params.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import type { AgentRequestBody } from './run-request.ts';
import { zJobRecord, zReplay } from './schemas.ts';
import { noRoom, startRun } from './start-run.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly version: string;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly models: ModelsPort;
  readonly tools: ToolsPort;
  readonly plugins: PluginFiles;
}

const zId = z.object({ id: z.string() });
const unknown = { 404: { description: 'Unknown job.', schema: zError } };
const LIMIT_MAX = 10_000;

const zFork = z
  .object({
    /** Tool calls of the parent that the new run starts after; absent: all of them. */
    step: z.int().min(0).optional(),
    task: z.string().optional(),
    approval: z.string().nullish(),
    interactive: z.boolean().nullish(),
  })
  .optional();

export function jobRoutes(deps: Dependencies): readonly RouteSpec[] {
  const list = cachedList(deps);
  return [
    route({
      method: 'GET',
      path: '/jobs',
      summary: 'Every job, most recent first; `limit` and `after` (a session id) page through them.',
      tag: 'jobs',
      auth: 'bearer',
      query: z.object({
        limit: queryNumber({ min: 1, max: LIMIT_MAX }).optional(),
        after: z.string().optional(),
      }),
      responses: { 200: { description: 'A bare array.', schema: z.array(zJobRecord) } },
      handle: ({ query }) =>
        query.limit === undefined && query.after === undefined
          ? json(list())
          : json(`[${jobsJson(deps.views, query).join(',')}]`),
    }),
    route({
      method: 'GET',
      path: '/jobs/{id}',
      summary: 'One job.',
      tag: 'jobs',
      auth: 'bearer',
      params: zId,
      responses: { 200: { description: 'The record.', schema: zJobRecord }, ...unknown },
      handle: ({ params }) => record(deps, params.id),
    }),
    route({
      method: 'POST',
      path: '/jobs/{id}/cancel',
      summary:
        'Cancels a job for good: the model call is aborted, the tool’s processes are killed. A finished job is unchanged.',
      tag: 'jobs',
      auth: 'bearer',
      params: zId,
      responses: { 200: { description: 'The record as it is now.', schema: zJobRecord }, ...unknown },
      async handle({ params, dispatch }) {
        if (job(deps.views, params.id) === undefined) throw notFound('Job', params.id);
        await dispatch(run, params.id, { type: 'CancelRun', reason: 'user requested' });
        return record(deps, params.id);
      },
    }),
    route({
      method: 'GET',
      path: '/jobs/{id}/replay',
      summary:
        'Folds the recorded run through today’s rules: the same effects in the same order, or where it diverges.',
      tag: 'jobs',
      auth: 'bearer',
      params: zId,
      responses: { 200: { description: 'The comparison.', schema: zReplay }, ...unknown },
      handle({ params }) {
        if (job(deps.views, params.id) === undefined) throw notFound('Job', params.id);
        const report = replayRun(recordedRun(deps.log, params.id), describeTools(deps.tools));
        return value({ session_id: params.id, ...report });
      },
    }),
    route({
      method: 'POST',
      path: '/jobs/{id}/fork',
      summary: 'Starts a new run from the conversation of another one as it was after one of its steps.',
      tag: 'jobs',
      auth: 'bearer',
      params: zId,
      body: zFork,
      responses: {
        200: { description: 'The new run is queued.', schema: z.object({ session_id: z.string() }) },
        400: { description: 'The run has no such step, or worked in a folder that holds credentials.', schema: zError },
        ...unknown,
        ...noRoom,
      },
      handle: (call) => fork(deps, call),
    }),
  ];
}

function record(deps: Dependencies, id: string): Answer {
  const text = jobJson(deps.views, id);
  if (text === undefined) throw notFound('Job', id);
  return json(text);
}

/** The whole list is one string until the next event is folded. */
function cachedList(deps: Dependencies): () => string {
  let at = -1;
  let text = '[]';
  return () => {
    const position = deps.projector.position();
    if (position !== at) {
      text = `[${jobsJson(deps.views).join(',')}]`;
      at = position;
    }
    return text;
  };
}

async function fork(
  deps: Dependencies,
  { params, body, dispatch }: Call<z.infer<typeof zId>, unknown, z.infer<typeof zFork>>,
): Promise<Answer> {
  const parent = job(deps.views, params.id);
  if (parent === undefined) throw notFound('Job', params.id);
  const { state, version } = stateAfterStep(deps, params.id, body?.step);
  const wanted: AgentRequestBody = {
    task: body?.task ?? `${parent.task} (from step ${state.stepNum})`,
    approval: body?.approval ?? state.request?.approval,
    interactive: body?.interactive,
    provider: parent.provider,
    model: parent.model,
    workspace_root: parent.workspace,
    mode: state.request?.mode,
    reasoning: state.request?.reasoning,
    max_step_extensions: state.request?.max_step_extensions,
  };
  const from = {
    from_session_id: params.id,
    from_version: version,
    messages: [...forkedConversation(state)],
    plan: [...state.plan],
    steps: state.stepNum,
  };
  return startRun(deps, dispatch, { body: wanted, fork: from, answer: (session_id) => value({ session_id }) });
}

/**
 * The run's state right after its n-th tool call had its outcome, and nothing of what was said or asked later; before
 * the first call it is what the run began with, which of a fork is what its parent left it.
 */
function stateAfterStep(
  deps: Dependencies,
  id: string,
  step: number | undefined,
): { state: RunState; version: number } {
  let state = initialRun;
  let version = 0;
  let found = false;
  for (const event of recordedRun(deps.log, id)) {
    if (found && event.type !== 'RunForked') break;
    if (event.erased === true) throw new HttpError(409, 'The run has erased events; it cannot be forked.');
    state = evolveRun(state, event);
    version = event.version;
    found = step !== undefined && state.stepNum >= step;
  }
  if (step !== undefined && !found)
    throw new HttpError(400, `The run has ${state.stepNum} steps; step must be from 0 to ${state.stepNum}.`);
  return { state, version };
}

/** The events of a run, upcast; erased ones are among them, without data. */
function recordedRun(log: EventLog, id: string): readonly RecordedRunEvent[] {
  return [...log.readStream(`run-${id}`)].flatMap((event) => {
    const decoded = decodeEvent(runEvents, event);
    if (decoded.kind === 'unknown') return [];
    return [(decoded.kind === 'event' ? decoded.event : event) as RecordedEvent as unknown as RecordedRunEvent];
  });
}
