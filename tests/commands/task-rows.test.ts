/** The rows of tasks, and the queries that read them. */
import { expect, it } from 'vitest';
import { newestTasks, task, tasks } from '../../src/projections/task.ts';
import { givenProjection } from '../../src/testing/testing.ts';

const data = { title: 'Ship it', provider: 'p', model: 'm', project_path: '/shop' };
const created = { type: 'TaskCreated', data, at: 1_999 };

it('a task is queued, and its row follows its events; its times are whole seconds', () => {
  const { views, when } = givenProjection(tasks, [
    { ...created, stream: 'task-1' },
    { ...created, stream: 'task-2' },
  ]);
  const blank = { branch: '', worktree_path: '', session_id: '' };
  const row = { id: '1', ...data, status: 'queued', ...blank, created_at: 1, updated_at: 1 };
  expect(task(views, '1')).toEqual(row);
  when([
    { stream: 'task-1', type: 'TaskRenamed', data: { title: 'Ship it today' }, at: 2_000 },
    { stream: 'task-1', type: 'TaskStatusChanged', data: { status: 'running' }, at: 3_000 },
    { stream: 'task-1', type: 'TaskSessionLinked', data: { session_id: 's' }, at: 4_999 },
  ]);
  const changed = { ...row, title: 'Ship it today', status: 'running', session_id: 's', updated_at: 4 };
  expect(newestTasks(views)).toEqual([{ ...row, id: '2' }, changed]);
  expect(task(views, '3')).toBeUndefined();
});
