/** `POST /agent` starts or resumes a run; `GET /stream/{session_id}` shows it, at any time, from any place. */
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { resolveHarness } from '../commands/harness-defaults.ts';
import { run } from '../commands/run/decide.ts';
import {
  MAX_STEP_EXTENSIONS_DEFAULT,
  MAX_STEP_EXTENSIONS_LIMIT,
  MAX_STEPS,
  parseApproval,
} from '../commands/run/rules.ts';
import type { Approval, RunRequest } from '../events/run.ts';
import { harnessOverrides } from '../projections/harness.ts';
import { activeJobCount, job, segmentStart } from '../projections/jobs.ts';
import { thinkingBudget } from '../reactors/agent-run.ts';
import { type Answer, sse, value } from './answer.ts';
import { cursorOf, zCursor } from './cursor.ts';
import { HttpError, notFound, zError } from './errors.ts';
import type { House } from './house.ts';
import { type Call, type RouteSpec, route } from './route.ts';
import { tailSource } from './sse.ts';

/** Runs that may wait or go at once; more are refused until some have ended. */
export const ACTIVE_RUNS_MAX = 1_000;

const zContextKind = z.enum(['Chat', 'CodingAgent', 'ResearchAgent', 'BackgroundJob']);

export const zAgentRequest = z.object({
  task: z.string().refine((task) => task.trim() !== '', 'must not be empty'),
  approval: z.string().nullish(),
  max_step_extensions: z.int().min(0).max(MAX_STEP_EXTENSIONS_LIMIT).nullish(),
  provider: z.string().nullish(),
  model: z.string().nullish(),
  mode: z.string().nullish(),
  workspace_root: z.string().nullish(),
  project_path: z.string().nullish(),
  cwd: z.string().nullish(),
  reasoning: z.string().nullish(),
  resume_session_id: z.string().nullish(),
  context_request: z
    .object({
      kind: zContextKind.nullish(),
      openmemory_enabled: z.boolean().nullish(),
      openmemory_auto_inject: z.boolean().nullish(),
    })
    .nullish(),
});
export type AgentRequestBody = z.infer<typeof zAgentRequest>;

const zSession = z.object({ session_id: z.string() });

export function agentRoutes(house: House): readonly RouteSpec[] {
  return [
    route({
      method: 'POST',
      path: '/agent',
      summary: 'Starts a background agent run, or resumes a finished one, and answers its session id at once.',
      tag: 'agent',
      auth: 'bearer',
      body: zAgentRequest,
      responses: {
        200: { description: 'The run is queued.', schema: zSession },
        400: { description: 'No task, or a field of the wrong type.', schema: zError },
        404: { description: 'resume_session_id names no run.', schema: zError },
        409: { description: 'The run to resume is still going.', schema: zError },
        503: { description: 'Too many runs wait already.', schema: zError },
      },
      handle: (call) => startAgent(house, call),
    }),
    route({
      method: 'GET',
      path: '/stream/{session_id}',
      summary:
        'AgentEvents of a run as SSE, from the start or after `after` / `Last-Event-ID`, ending after the terminal one.',
      tag: 'agent',
      auth: 'bearer',
      params: z.object({ session_id: z.string() }),
      query: z.object({ after: zCursor.optional(), since_seq: zCursor.optional() }),
      responses: {
        200: { description: 'The stream.', type: 'text/event-stream' },
        404: { description: 'Unknown session.', schema: zError },
      },
      handle: ({ params, query, request }) => {
        const id = params.session_id;
        if (job(house.views, id) === undefined) throw notFound('Session', id);
        const after = cursorOf(request, query.after ?? query.since_seq) ?? segmentStart(house.views, id);
        return sse(tailSource((cutOff) => house.tails.readRun(id, { after, cutOff })));
      },
    }),
  ];
}

async function startAgent(house: House, { body, dispatch }: Call<unknown, unknown, AgentRequestBody>): Promise<Answer> {
  const { request, notes } = runRequest(house, body);
  if (activeJobCount(house.views) >= ACTIVE_RUNS_MAX) {
    throw new HttpError(503, `${ACTIVE_RUNS_MAX} runs are waiting or going already; try again when some have ended.`);
  }
  const resumed = body.resume_session_id?.trim() ?? '';
  const session_id = resumed === '' ? house.ambient.hex(16) : resumed;
  const answer = (): Answer => value({ session_id });
  if (resumed === '') await dispatch(run, session_id, { type: 'RequestRun', request, notes, fork: null }, answer);
  else {
    if (job(house.views, resumed) === undefined) throw notFound('Session', resumed);
    await dispatch(run, session_id, { type: 'ResumeRun', request, notes }, answer);
  }
  return answer();
}

const REASONING = new Set(['minimal', 'low', 'medium', 'high', 'extra-high']);

/** A caller's wishes as the run's request, and what the run's reader should be told about them. */
export function runRequest(
  house: House,
  body: AgentRequestBody,
  tags: readonly string[] = [],
): { readonly request: RunRequest; readonly notes: readonly string[] } {
  const { provider, model } = house.models.choose(body.provider, body.model);
  const mode = body.mode === 'chat' || body.mode === 'sandbox' ? body.mode : 'agent';
  const reasoning = REASONING.has(body.reasoning ?? '') ? (body.reasoning as RunRequest['reasoning']) : null;
  const approval: Approval = body.approval == null ? house.config.approval : parseApproval(body.approval);
  const request: RunRequest = {
    task: body.task,
    provider,
    model,
    approval,
    mode,
    workspace: workspaceOf(house, body),
    max_steps: MAX_STEPS,
    max_step_extensions: body.max_step_extensions ?? MAX_STEP_EXTENSIONS_DEFAULT,
    reasoning,
    tags: [...tags],
    tools: house.tools.specs.map((tool) => ({ name: tool.name, class: tool.class, idempotent: tool.idempotent })),
    program: house.version,
  };
  const { effective } = resolveHarness({ provider, model, overrides: harnessOverrides(house.views) });
  const budget = thinkingBudget(effective, reasoning);
  const notes = [
    ...(budget === null ? [] : [`Thinking budget: ${budget} tokens (reasoning ${reasoning}).`]),
    ...(mode === 'sandbox' ? ['There is no sandbox in this build: the run works in the workspace itself.'] : []),
  ];
  return { request, notes };
}

/** The caller's folder when it is an existing directory, else the daemon's workspace. */
function workspaceOf(house: House, body: AgentRequestBody): string {
  const wanted = body.workspace_root ?? body.project_path ?? body.cwd ?? '';
  if (wanted === '' || wanted.includes('\0')) return house.config.workspace;
  const path = isAbsolute(wanted) ? wanted : resolve(house.config.workspace, wanted);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? resolve(path) : house.config.workspace;
}
