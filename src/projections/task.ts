/** Tasks, a row each in the wire shape; times in Unix seconds. */
import type { Task, TaskEvent } from '../events/task.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import { insertRow, updateRows } from './rows.ts';
import type { Views } from './views.ts';

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
    TaskCreated: (views, event) => {
      const { title, provider, model, project_path } = event.data;
      const times = { created_at: seconds(event), updated_at: seconds(event) };
      const row = { id: idOf(event.stream), title, status: 'queued', provider, model, project_path, ...times };
      insertRow(views, 'tasks', row);
    },
    TaskRenamed: (views, event) => update(views, event, { title: event.data.title }),
    TaskStatusChanged: (views, event) => update(views, event, { status: event.data.status }),
    TaskSessionLinked: (views, event) => update(views, event, { session_id: event.data.session_id }),
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

function update(views: Views, event: Seen, columns: Partial<Pick<Task, 'title' | 'status' | 'session_id'>>): void {
  updateRows(views, 'tasks', { where: { id: idOf(event.stream) }, set: { ...columns, updated_at: seconds(event) } });
}
