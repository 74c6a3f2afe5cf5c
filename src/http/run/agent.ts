/** `POST /agent` starts or resumes a run; `GET /stream/{session_id}` streams its output from any event. */
import { z } from 'zod';
import { run } from '../../commands/run/decide.ts';
import { zAgentEvent } from '../../events/run/agent-event.ts';
import { job } from '../../projections/run/job-rows.ts';
import { isOutputOver, runOutput, segmentStart } from '../../projections/run/output.ts';
import {
  type AgentRequestBody,
  namedFolder,
  type RunRequestDependencies,
  runRequest,
  zAgentRequest,
} from '../../queries/run/run-request.ts';
import { folderOfRun } from '../../queries/run/workspace.ts';
import { admitRun, startRun } from '../../reactors/run/start-run.ts';
import type { Subscriptions } from '../../streams/subscriptions.ts';
import { notFound } from '../server/errors.ts';
import { cursorOf, STREAM_OVER, streamOverResponse, zCursor } from '../server/query-params.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, type StreamSpec, sse, value } from '../server/route.ts';
import { frameSource } from '../server/sse.ts';
import { closedWorkspace, tooManyRuns } from './schemas.ts';

const { get, post } = routesOf({ tag: 'runs' });

export interface Dependencies extends RunRequestDependencies {
  readonly subscriptions: Subscriptions;
}

const runEvents: StreamSpec = {
  data: zAgentEvent,
  id: 'The number of the event in its session, ascending.',
  end: 'After `complete`, `partial` or `error`; a cancelled run ends without one.',
};

const zSession = z.object({ session_id: z.string() });

export function agentRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    post('/agent', {
      operation: 'start',
      dispatchOnly: true,
      summary: 'Starts a background agent run, or resumes a finished one, and answers its session id at once.',
      body: zAgentRequest,
      responses: ok('The run is queued.', zSession, {
        400: 'No task, or a field of the wrong type.',
        ...closedWorkspace,
        404: 'resume_session_id names no run.',
        409:
          'The run to resume has not ended, or its folder is gone and `workspace_root` names no other; or the run to ' +
          'start has the `session_id` of another one.',
        ...tooManyRuns,
      }),
      handle: (call) => startAgent(deps, call),
    }),
    get('/stream/{session_id}', {
      operation: 'stream',
      summary:
        'AgentEvents of a run as SSE, from the start or after `after` / `Last-Event-ID`, ending after the terminal one.',
      params: z.object({ session_id: z.string() }),
      query: z.object({ after: zCursor.optional(), since_seq: zCursor.optional() }),
      responses: {
        200: { description: 'The stream.', type: 'text/event-stream', events: runEvents },
        ...streamOverResponse,
        404: 'Unknown session.',
      },
      handle: ({ params, query, request }) => {
        const id = params.session_id;
        if (job(deps.views, id) === undefined) throw notFound('Session', id);
        const requestedAfter = cursorOf(request, query.after ?? query.since_seq);
        // A reader without a cursor gets a stream, even an empty one.
        if (requestedAfter !== undefined && requestedAfter > 0 && isOutputOver(deps.views, id, requestedAfter))
          return STREAM_OVER;
        const after = requestedAfter ?? segmentStart(deps.views, id);
        return sse(frameSource((demand$) => deps.subscriptions.rows(runOutput, id, { after, demand$ })));
      },
    }),
  ];
}

async function startAgent(
  deps: Dependencies,
  { body, answerAfter }: Call<unknown, unknown, AgentRequestBody>,
): Promise<Answer> {
  const session_id = body.resume_session_id?.trim() ?? '';
  if (session_id === '') return startRun(deps, answerAfter, { body, answer: (id) => value({ session_id: id }) });
  const before = job(deps.views, session_id);
  if (before === undefined) throw notFound('Session', session_id);
  admitRun(deps.views);
  // A resumed run stays in its workspace unless the caller names another one.
  const staysThere = namedFolder(body) === undefined;
  const asked = staysThere ? { ...body, workspace_root: folderOfRun(before.workspace, body.mode) } : body;
  const { request, notes } = await runRequest(deps, asked);
  return answerAfter(run, session_id, { type: 'ResumeRun', request, notes }, () => value({ session_id }));
}
