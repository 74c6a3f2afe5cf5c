/** A task: a titled piece of work that a session can be linked to. Stream `task-<id>`, appended by its routes. */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

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

/** A task as its readers get it; times in Unix seconds. Branch and worktree are always blank. */
export const zTask = z.object({
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
z.globalRegistry.add(zTask, { id: 'Task' });
export type Task = Readonly<z.infer<typeof zTask>>;
