/** Tasks, a row each in the wire shape; times in Unix seconds. */
import type { Task, TaskEvent } from '../events/task.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import type { Views } from './views.ts';

const NEW_TASK = `INSERT INTO tasks (id, title, status, provider, model, project_path, created_at, updated_at)
  VALUES (?, ?, 'queued', ?, ?, ?, ?, ?)`;

const seconds = (event: Seen): number => Math.floor(event.at / 1000);

export const tasks: Projection = {
  name: 'tasks',
  version: 5,
  tables: ['tasks'],
  create: `
CREATE TABLE tasks (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
  branch TEXT NOT NULL DEFAULT '', worktree_path TEXT NOT NULL DEFAULT '', session_id TEXT NOT NULL DEFAULT '',
  project_path TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
) WITHOUT ROWID;`,
  on: handlers<TaskEvent>({
    TaskCreated: (views, event) =>
      views.run(
        NEW_TASK,
        idOf(event.stream),
        event.data.title,
        event.data.provider,
        event.data.model,
        event.data.project_path,
        seconds(event),
        seconds(event),
      ),
    TaskRenamed: (views, event) => set(views, event, 'title', event.data.title),
    TaskStatusChanged: (views, event) => set(views, event, 'status', event.data.status),
    TaskSessionLinked: (views, event) => set(views, event, 'session_id', event.data.session_id),
  }),
};

const TASKS_MAX = 200;

export function task(views: Views, id: string): Task | undefined {
  return views.get<Task>('SELECT * FROM tasks WHERE id = ?', id);
}

/** Newest first: ids ascend with time. */
export function newestTasks(views: Views): readonly Task[] {
  return views.all<Task>('SELECT * FROM tasks ORDER BY id DESC LIMIT ?', TASKS_MAX);
}

function set(views: Views, event: Seen, column: 'title' | 'status' | 'session_id', value: string): void {
  views.run(`UPDATE tasks SET ${column} = ?, updated_at = ? WHERE id = ?`, value, seconds(event), idOf(event.stream));
}
