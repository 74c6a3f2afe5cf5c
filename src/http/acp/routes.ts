/** The agent task protocol over HTTP: a task is one full-auto run under the id `acp-<session id>`. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { isBlank } from '../../commands/blank.ts';
import { withEllipsis } from '../../lib/characters.ts';
import { isFolder } from '../../lib/paths.ts';
import { jobJson, type zJobRecord } from '../../projections/run/job-rows.ts';
import type { RunRequestDependencies } from '../../queries/run/run-request.ts';
import { credentialFault } from '../../queries/run/workspace.ts';
import { startRun } from '../../reactors/run/start-run.ts';
import { tooManyRuns } from '../run/schemas.ts';
import { HttpError } from '../server/errors.ts';
import { type Answer, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';
import { SERVICE_NAME } from '../service-name.ts';

const { get, post } = routesOf({ tag: 'acp' });

const ID_PREFIX = 'acp-';
const TAG = 'acp';
const TASK_CHARACTERS_SHOWN_MAX = 200;
const PATH_CHARACTERS_MAX = 4_096;

type Job = z.infer<typeof zJobRecord>;

const zTask = z.object({
  id: z.string().describe('Id of the task: `acp-` and the id of its run.'),
  status: z
    .enum(['pending', 'running', 'complete', 'partial', 'failed', 'cancelled'])
    .describe('How far it is; `pending` while its run waits to begin.'),
  summary: z.string().describe('What it did or why it failed; before its end, what it waits for.'),
  files_modified: z.array(z.string()),
  steps_completed: z.int(),
});
z.globalRegistry.add(zTask, { id: 'AcpTask' });

const zCreate = z.object({
  task: z.string().refine((task) => !isBlank(task), 'must not be empty'),
  context: z
    .object({ workspace_root: z.string().max(PATH_CHARACTERS_MAX).nullish() })
    .nullish()
    .describe('Where it runs.'),
});
type Create = z.infer<typeof zCreate>;

export function acpRoutes(deps: RunRequestDependencies): readonly RouteSpec[] {
  return [
    post('/acp/v1/tasks', {
      operation: 'createTask',
      summary: 'Starts a full-auto run in the given workspace root.',
      body: zCreate,
      responses: {
        201: { description: 'The task, pending.', schema: zTask },
        400: 'No task, or a workspace root that is no folder or holds credentials.',
        ...tooManyRuns,
      },
      handle: (call) => create(deps, call),
    }),
    get('/acp/v1/tasks/{id}', {
      operation: 'getTask',
      summary: 'One task as it is now.',
      params: z.object({ id: z.string() }),
      responses: ok('The task.', zTask, { 404: 'Unknown task.' }),
      handle({ params: { id } }) {
        const record = id.startsWith(ID_PREFIX) ? jobJson(deps.views, id.slice(ID_PREFIX.length)) : undefined;
        const job = record === undefined ? undefined : (JSON.parse(record) as Job);
        if (job?.tags.includes(TAG) !== true) throw new HttpError(404, 'There is no such ACP task.');
        return value(taskOf(id, job));
      },
    }),
    capabilitiesRoute(deps),
  ];
}

function capabilitiesRoute(deps: RunRequestDependencies): RouteSpec {
  return get('/acp/v1/capabilities', {
    withoutViews: true,
    auth: 'public',
    operation: 'capabilities',
    summary: 'What this agent offers to other agents.',
    responses: ok('The capabilities.', {
      protocol_version: z.string().describe('Version of the protocol.'),
      agent_name: z.string().describe('Name of this program.'),
      agent_version: z.string().describe('Version of the daemon.'),
      supported_tools: z.array(z.string()).describe('Names of the tools that a task can use.'),
      supported_models: z.array(z.string()).describe('Providers that are configured.'),
      features: z.array(z.string()).describe('The capabilities of the agent, by name.'),
    }),
    handle: () =>
      value({
        protocol_version: '1.0',
        agent_name: SERVICE_NAME,
        agent_version: deps.version,
        supported_tools: deps.tools.specs.map((tool) => tool.name),
        supported_models: deps.models.configuredProviders(),
        features: ['agent_mode', 'code_review', 'plan_mode', 'streaming', 'session_resume', 'approvals'],
      }),
  });
}

function create(deps: RunRequestDependencies, { body, answerAfter }: Call<unknown, unknown, Create>): Promise<Answer> {
  const workspace_root = workspaceRoot(deps, body.context?.workspace_root ?? '');
  return startRun(deps, answerAfter, {
    body: { task: body.task, approval: 'full-auto', workspace_root },
    tags: [TAG],
    answer: (session) => {
      const summary = `Queued: ${shortened(body.task)}`;
      return value(
        { id: ID_PREFIX + session, status: 'pending', summary, files_modified: [], steps_completed: 0 },
        201,
      );
    },
  });
}

/** Unlike a run of `POST /agent`, a task never falls back to the daemon's workspace: a bad root is refused. */
function workspaceRoot({ config }: RunRequestDependencies, root: string): string {
  if (root === '') return config.workspace;
  const path = resolve(config.workspace, root.replaceAll('\0', '\ufffd'));
  const fault = credentialFault(config, { path, field: 'context.workspace_root' });
  if (fault !== null) throw new HttpError(400, fault);
  if (!isFolder(path)) throw new HttpError(400, 'context.workspace_root: must be a folder that exists.');
  return path;
}

function taskOf(id: string, job: Job): z.infer<typeof zTask> {
  const { status, files_modified, steps_completed } = job;
  return {
    id,
    status: status === 'queued' ? 'pending' : status,
    summary: summaryOf(job),
    files_modified,
    steps_completed,
  };
}

/** The run's own summary, or a sentence about its present activity. */
function summaryOf({ status, summary, task, cancellation_reason }: Job): string {
  if (summary !== null) return summary;
  if (status === 'queued') return `Queued: ${shortened(task)}`;
  return status === 'cancelled'
    ? `Cancelled: ${cancellation_reason ?? 'no reason given'}.`
    : `Working on: ${shortened(task)}`;
}

function shortened(task: string): string {
  return withEllipsis(task.trim(), TASK_CHARACTERS_SHOWN_MAX);
}
