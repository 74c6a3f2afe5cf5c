/** Tasks of the desk, as far as a conversation needs one to hang on: create, list, read, link, history. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { type TaskState, task } from '../commands/task.ts';
import type { Config } from '../config.ts';
import { zAgentEvent } from '../events/run/agent-event.ts';
import { TASK_STATUSES, zTaskStatus } from '../events/task.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { ModelsPort } from '../ports/models.ts';
import { output } from '../projections/run/output.ts';
import { newestTasks, type TaskRow, task as taskRow } from '../projections/task.ts';
import type { Views } from '../projections/views.ts';
import { type Answer, json, value } from './server/answer.ts';
import { notFound, zError } from './server/errors.ts';
import { type RouteSpec, route } from './server/route.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly models: ModelsPort;
}

const zTask = z.object({
  id: z.string(),
  title: z.string(),
  status: zTaskStatus,
  provider: z.string(),
  model: z.string(),
  branch: z.string(),
  worktree_path: z.string(),
  session_id: z.string(),
  project_path: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** A list holds 200 tasks: none of them may be of any length. */
const PATH_CHARACTERS_MAX = 4_096;
const zName = z.string().max(200);
const zId = z.object({ id: z.string() });
const unknown = { 404: { description: 'Unknown task.', schema: zError } };
const STATUSES: readonly string[] = TASK_STATUSES;
const EMPTY_STATES = new Set(['archived', 'trashed']);

export function taskRoutes(deps: Dependencies): readonly RouteSpec[] {
  const { workspace } = deps.config;
  return [
    route({
      method: 'POST',
      path: '/api/tasks',
      summary: 'Creates a task.',
      tag: 'tasks',
      auth: 'bearer',
      body: z.object({
        title: z.string(),
        provider: zName.nullish(),
        model: zName.nullish(),
        project_path: z.string().max(PATH_CHARACTERS_MAX).nullish(),
        create_worktree: z.boolean().nullish(),
      }),
      responses: {
        200: { description: 'The task.', schema: zTask },
        400: { description: 'A blank title.', schema: zError },
      },
      async handle({ body, dispatch }) {
        const id = taskId(deps.ids.uuid());
        const command = {
          type: 'CreateTask',
          title: body.title,
          provider: body.provider ?? deps.models.configured.provider,
          model: body.model ?? '',
          project_path: body.project_path ? resolve(workspace, body.project_path) : workspace,
        } as const;
        const answer = (state: TaskState): Answer => value(rowOf(id, state));
        const { state } = await dispatch(task, id, command, answer);
        return answer(state);
      },
    }),
    route({
      method: 'GET',
      path: '/api/tasks',
      summary: 'The newest tasks, newest first. None is ever archived or trashed here: those states are empty.',
      tag: 'tasks',
      auth: 'bearer',
      query: z.object({ state: z.string().optional() }),
      responses: { 200: { description: 'At most 200.', schema: z.array(zTask) } },
      handle: ({ query }) => value(EMPTY_STATES.has(query.state ?? '') ? [] : newestTasks(deps.views)),
    }),
    route({
      method: 'GET',
      path: '/api/tasks/{id}',
      summary: 'One task.',
      tag: 'tasks',
      auth: 'bearer',
      params: zId,
      responses: { 200: { description: 'The task.', schema: zTask }, ...unknown },
      handle: ({ params }) => value(known(deps, params.id)),
    }),
    route({
      method: 'PATCH',
      path: '/api/tasks/{id}',
      summary: 'Changes title, status or linked session; what is left out stays.',
      tag: 'tasks',
      auth: 'bearer',
      params: zId,
      body: z.object({
        title: z.string().optional(),
        status: z.string().optional(),
        session_id: zName.optional(),
      }),
      responses: { 200: { description: 'The task as it is now.', schema: zTask }, ...unknown },
      async handle({ params, body, dispatch }) {
        known(deps, params.id);
        const status =
          body.status === undefined
            ? undefined
            : zTaskStatus.parse(STATUSES.includes(body.status) ? body.status : 'draft');
        await dispatch(task, params.id, { type: 'ChangeTask', title: body.title, status, session_id: body.session_id });
        return value(known(deps, params.id));
      },
    }),
    route({
      method: 'GET',
      path: '/api/tasks/{id}/history',
      summary: 'The conversation of the task’s session, user turns included; empty without a session.',
      tag: 'tasks',
      auth: 'bearer',
      params: zId,
      responses: {
        200: {
          description: 'The conversation.',
          schema: z.object({
            id: z.string(),
            title: z.string(),
            status: zTaskStatus,
            session_id: z.string(),
            events: z.array(zAgentEvent),
          }),
        },
        ...unknown,
      },
      handle({ params }) {
        const { id, title, status, session_id } = known(deps, params.id);
        const events = output(deps.views, session_id, { after: 0, limit: -1, withUser: true });
        const head = JSON.stringify({ id, title, status, session_id }).slice(0, -1);
        return json(`${head},"events":[${events.map((event) => event.json).join(',')}]}`);
      },
    }),
  ];
}

/** 16 hex digits that ascend with time: 12 of milliseconds, then those that tell the ids of one millisecond apart. */
function taskId(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(15, 18) + uuid.slice(19, 20);
}

function known(deps: Dependencies, id: string): TaskRow {
  const row = taskRow(deps.views, id);
  if (row === undefined) throw notFound('Task', id);
  return row;
}

function rowOf(id: string, state: TaskState): TaskRow {
  const { title, status, provider, model, session_id, project_path } = state;
  const seconds = { created_at: Math.floor(state.created_ms / 1000), updated_at: Math.floor(state.updated_ms / 1000) };
  return { id, title, status, provider, model, branch: '', worktree_path: '', session_id, project_path, ...seconds };
}
