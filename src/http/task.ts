/** Tasks: create, list, read, change, and the conversation of the linked session. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { task as decider } from '../commands/task.ts';
import type { Config } from '../config.ts';
import { zAgentEvent } from '../events/run/agent-event.ts';
import { TASK_STATUSES, type Task, zTask, zTaskStatus } from '../events/task.ts';
import { ascendingIds } from '../lib/ascending-ids.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { ModelsPort } from '../ports/models.ts';
import { output } from '../projections/run/output.ts';
import { newestTasks, task } from '../projections/task.ts';
import type { Views } from '../projections/views.ts';
import { notFound } from './server/errors.ts';
import { json, ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, post, patch } = routesOf({ tag: 'tasks' });

export interface Dependencies {
  readonly config: Pick<Config, 'workspace'>;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: Pick<ModelsPort, 'configured'>;
}

/** The fields of a task are limited, because a list holds 200 tasks. */
const PATH_CHARACTERS_MAX = 4_096;
const zName = z.string().max(200);
const zId = z.object({ id: z.string() });
const unknown = { 404: 'Unknown task.' };
const STATUSES: readonly string[] = TASK_STATUSES;
const EMPTY_STATES = new Set(['archived', 'trashed']);

export function taskRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [createRoute(deps), listRoute(deps), readRoute(deps), changeRoute(deps), historyRoute(deps)];
}

function createRoute({ config: { workspace }, ids, models, views }: Dependencies): RouteSpec {
  const taskId = ascendingIds();
  return post('/api/tasks', {
    operation: 'create',
    dispatchOnly: true,
    summary: 'Creates a task.',
    body: z.object({
      title: z.string(),
      provider: zName.nullish().describe('Absent: the selected one.'),
      model: zName.nullish().describe('Absent: that of the provider.'),
      project_path: z.string().max(PATH_CHARACTERS_MAX).nullish(),
      create_worktree: z.boolean().nullish().describe('Accepted and without effect.'),
    }),
    responses: ok('The task.', zTask, { 400: 'A blank title.' }),
    async handle({ body, answerAfter }) {
      const id = taskId(ids.uuid());
      const command = {
        type: 'CreateTask',
        title: body.title,
        provider: body.provider ?? models.configured.provider,
        model: body.model ?? '',
        project_path: body.project_path ? resolve(workspace, body.project_path) : workspace,
      } as const;
      return answerAfter(decider, id, command, () => value(requireTask(views, id)));
    },
  });
}

function listRoute({ views }: Dependencies): RouteSpec {
  return get('/api/tasks', {
    operation: 'list',
    summary: 'The newest tasks, newest first. No task is ever archived or trashed.',
    query: z.object({
      state: z.string().optional().describe('`archived` and `trashed` find nothing; anything else finds all.'),
    }),
    responses: ok('At most 200.', z.array(zTask)),
    handle: ({ query }) => value(EMPTY_STATES.has(query.state ?? '') ? [] : newestTasks(views)),
  });
}

function readRoute({ views }: Dependencies): RouteSpec {
  return get('/api/tasks/{id}', {
    operation: 'get',
    summary: 'One task.',
    params: zId,
    responses: ok('The task.', zTask, unknown),
    handle: ({ params }) => value(requireTask(views, params.id)),
  });
}

function changeRoute({ views }: Dependencies): RouteSpec {
  return patch('/api/tasks/{id}', {
    operation: 'update',
    dispatchOnly: true,
    summary: 'Changes title, status or linked session; omitted fields stay.',
    params: zId,
    body: z.object({
      title: z.string().optional(),
      status: z
        .string()
        .transform((status) => zTaskStatus.parse(STATUSES.includes(status) ? status : 'draft'))
        .optional()
        .describe('One of the statuses of a task; any other word means `draft`.'),
      session_id: zName.optional(),
    }),
    responses: ok('The task as it is now.', zTask, unknown),
    handle: async ({ params: { id }, body, answerAfter }) =>
      answerAfter(decider, id, { type: 'ChangeTask', ...body }, () => value(requireTask(views, id))),
  });
}

function historyRoute({ views }: Dependencies): RouteSpec {
  return get('/api/tasks/{id}/history', {
    operation: 'history',
    summary: 'The conversation of the task’s session, user turns included; empty without a session.',
    params: zId,
    responses: ok(
      'The conversation.',
      zTask
        .pick({ id: true, title: true, status: true, session_id: true })
        .extend({ events: z.array(zAgentEvent).describe('The conversation, user turns included.') }),
      unknown,
    ),
    handle({ params }) {
      const { id, title, status, session_id } = requireTask(views, params.id);
      const events = output(views, session_id, { after: 0, limit: -1, withUser: true });
      const head = JSON.stringify({ id, title, status, session_id }).slice(0, -1);
      return json(`${head},"events":[${events.map((event) => event.json).join(',')}]}`);
    },
  });
}

function requireTask(views: Views, id: string): Task {
  const row = task(views, id);
  if (row === undefined) throw notFound('Task', id);
  return row;
}
