/**
 * A task of the desk: a titled piece of work that a session can be linked to. Stream `task-<id>`, written by its
 * routes.
 */
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
