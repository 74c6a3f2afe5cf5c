/** A task: a titled piece of work that a session can be linked to. Stream `task-<id>`, appended by its routes. */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';
import { zUnixSeconds } from './envelope.ts';

export const TASK_STATUSES = ['draft', 'queued', 'running', 'reviewing', 'partial', 'completed', 'failed'] as const;
export const zTaskStatus = z.enum(TASK_STATUSES);

export const taskEvents = {
  TaskCreated: define(
    'TaskCreated',
    z.object({ title: z.string(), provider: z.string(), model: z.string(), project_path: z.string() }),
  ),
  TaskRenamed: define('TaskRenamed', z.object({ title: z.string() })),
  TaskStatusChanged: define('TaskStatusChanged', z.object({ status: zTaskStatus })),
  TaskSessionLinked: define('TaskSessionLinked', z.object({ session_id: z.string() })),
} as const;

export type TaskEvent = EventIn<typeof taskEvents>;

/** A task as its readers get it. Branch and worktree are always blank. */
export const zTask = z.object({
  id: z.string().describe('Id of the task.'),
  title: z.string(),
  status: zTaskStatus.describe('How far it is.'),
  provider: z.string().describe('The one named at creation, else the one selected then.'),
  model: z.string().describe('The one named at creation; empty for that of the provider.'),
  branch: z.string().describe('Always empty: tasks make no branch.'),
  worktree_path: z.string().describe('Always empty: tasks make no worktree.'),
  session_id: z.string(),
  project_path: z.string(),
  created_at: zUnixSeconds,
  updated_at: zUnixSeconds,
});
z.globalRegistry.add(zTask, { id: 'Task' });
export type Task = Readonly<z.infer<typeof zTask>>;
