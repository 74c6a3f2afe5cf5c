/** Tasks of the desk, a row each in the wire shape; times in unix seconds as their clients have them. */
import type { TaskEvent } from '../events/task.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import type { Views } from './views.ts';

const NEW_TASK = {
  into: 'INSERT INTO tasks (id, title, status, provider, model, project_path, created_at, updated_at) VALUES',
  row: "(?, ?, 'queued', ?, ?, ?, ?, ?)",
} as const;

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
      views.insert(
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

export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly provider: string;
  readonly model: string;
  readonly branch: string;
  readonly worktree_path: string;
  readonly session_id: string;
  readonly project_path: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export const TASKS_MAX = 200;

export function task(views: Views, id: string): TaskRow | undefined {
  return views.get<TaskRow>('SELECT * FROM tasks WHERE id = ?', id);
}

/** The newest tasks, newest first: ids ascend with time. */
export function newestTasks(views: Views): readonly TaskRow[] {
  return views.all<TaskRow>('SELECT * FROM tasks ORDER BY id DESC LIMIT ?', TASKS_MAX);
}

function set(views: Views, event: Seen, column: 'title' | 'status' | 'session_id', value: string): void {
  views.run(`UPDATE tasks SET ${column} = ?, updated_at = ? WHERE id = ?`, value, seconds(event), idOf(event.stream));
}
