/** Which jobs a list has: by status, provider, words, time and ids. */
import { expect, it } from 'vitest';
import { type JobFilter, jobIds } from '../../src/projections/run/job-rows.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';

const views = openViews(null);
views.exec(jobs.create);
const ROWS = [
  ['a1', 'Fix the Bug', 'complete', 'openai', 100, 'All green'],
  ['b2', 'Write notes', 'running', 'openai', 200, null],
  ['c3', 'Fix 100% of it_', 'failed', 'rehearsal', 300, 'No key'],
] as const;
for (const [id, task, status, provider, at, summary] of ROWS) {
  views.run(
    `INSERT INTO jobs (session_id, task, status, provider, model, approval, workspace, tags, queued_at, started_at, opened,
       summary) VALUES (?, ?, ?, ?, 'm', 'suggest', '/w', '[]', ?, ?, ?, ?)`,
    ...[id, task, status, provider, at, at, at, summary],
  );
}

it.each<[JobFilter, string[]]>([
  [{}, ['c3', 'b2', 'a1']],
  [{ status: ['running', 'failed'] }, ['c3', 'b2']],
  [{ status: [] }, []],
  [{ provider: 'openai' }, ['b2', 'a1']],
  [{ q: 'FIX' }, ['c3', 'a1']],
  [{ q: '%' }, ['c3']],
  [{ q: 'green' }, ['a1']],
  [{ q: 'b2' }, ['b2']],
  [{ from: 200 }, ['c3', 'b2']],
  [{ to: 200 }, ['a1']],
  [{ ids: ['a1', 'zz'] }, ['a1']],
  [{ provider: 'openai', q: 'fix', status: ['complete'] }, ['a1']],
])('%o', (filter, ids) => expect(jobIds(views, filter)).toEqual(ids));

it('pages go on behind a job, with the same filter', () => {
  expect(jobIds(views, { q: 'fix', limit: 1 })).toEqual(['c3']);
  expect(jobIds(views, { q: 'fix', limit: 1, after: 'c3' })).toEqual(['a1']);
});
