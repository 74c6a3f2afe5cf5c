/** Tasks of the desk, each as the JSON of its wire shape; times in unix seconds as their clients have them. */
import type { TaskEvent } from '../events/task.ts';
import { handlers, idOf, type Projection, type Seen } from './projection.ts';
import type { Views } from './views.ts';

const seconds = (event: Seen): number => Math.floor(event.at / 1000);

export const tasks: Projection = {
  name: 'tasks',
  version: 4,
  tables: ['tasks'],
  create: 'CREATE TABLE tasks (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID',
  on: handlers<TaskEvent>({
    TaskCreated: (views, event) => {
      const { title, provider, model, project_path } = event.data;
      const row: TaskRow = {
        id: idOf(event.stream),
        title,
        status: 'queued',
        provider,
        model,
        branch: '',
        worktree_path: '',
        session_id: '',
        project_path,
        created_at: seconds(event),
        updated_at: seconds(event),
      };
      views.run('INSERT INTO tasks VALUES (?, ?)', row.id, JSON.stringify(row));
    },
    TaskRenamed: (views, event) => change(views, event, { title: event.data.title }),
    TaskStatusChanged: (views, event) => change(views, event, { status: event.data.status }),
    TaskSessionLinked: (views, event) => change(views, event, { session_id: event.data.session_id }),
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
  const json = taskJson(views, id);
  return json === undefined ? undefined : (JSON.parse(json) as TaskRow);
}

export function taskJson(views: Views, id: string): string | undefined {
  return views.get<{ json: string }>('SELECT json FROM tasks WHERE id = ?', id)?.json;
}

/** The newest tasks as a JSON array, newest first: ids ascend with time. */
export function newestTasksJson(views: Views): string {
  const rows = views.all<{ json: string }>('SELECT json FROM tasks ORDER BY id DESC LIMIT ?', TASKS_MAX);
  return `[${rows.map(({ json }) => json).join(',')}]`;
}

function change(views: Views, event: Seen, changes: Partial<TaskRow>): void {
  const id = idOf(event.stream);
  const row = { ...task(views, id), ...changes, updated_at: seconds(event) };
  views.run('UPDATE tasks SET json = ? WHERE id = ?', JSON.stringify(row), id);
}
