/** Filters of the list of jobs: status, provider, words, time and ids. */
import { expect, it } from 'vitest';
import {
  activeJobCount,
  activeRuns,
  type JobFilter,
  job,
  jobCount,
  jobIds,
  jobJson,
  jobPlaces,
  sessions,
} from '../../src/projections/run/job-rows.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import { openViews } from '../../src/projections/views.ts';

const views = openViews(null);
views.exec(jobs.create);
const ROWS = [
  ['a1e0d4', 'Fix the Bug', 'complete', 'openai', 100, 'All green'],
  ['b2f0c5', 'Write notes', 'running', 'openai', 200, null],
  ['c3d1b6', 'Fix 100% of it_', 'failed', 'rehearsal', 300, 'No key'],
  ['d4c2a7', 'Über die Brücke', 'complete', 'rehearsal', 50, 'СДЕЛАНО'],
] as const;
for (const [id, task, status, provider, at, summary] of ROWS) {
  views.run(
    `INSERT INTO jobs (session_id, task, status, provider, model, approval, workspace, tags, queued_at, started_at,
       first_started_at, opened, summary) VALUES (?, ?, ?, ?, 'm', 'suggest', '/w', '[]', ?, ?, ?, ?, ?)`,
    ...[id, task, status, provider, at, at, at, at, summary],
  );
}

it.each<[JobFilter, string[]]>([
  [{}, ['c3d1b6', 'b2f0c5', 'a1e0d4', 'd4c2a7']],
  [{ status: ['running', 'failed'] }, ['c3d1b6', 'b2f0c5']],
  [{ status: [] }, []],
  [{ provider: 'openai' }, ['b2f0c5', 'a1e0d4']],
  [{ q: 'FIX' }, ['c3d1b6', 'a1e0d4']],
  [{ q: ' fix  bug ' }, ['a1e0d4']],
  [{ q: '%' }, ['c3d1b6']],
  [{ q: 'green' }, ['a1e0d4']],
  [{ q: 'über BRÜCKE сделано' }, ['d4c2a7']],
  [{ q: 'über'.normalize('NFD') }, ['d4c2a7']],
  [{ q: 'B2F' }, []],
  [{ q: 'B2F0' }, ['b2f0c5']],
  [{ from: 200 }, ['c3d1b6', 'b2f0c5']],
  [{ to: 200 }, ['a1e0d4', 'd4c2a7']],
  [{ ids: ['a1e0d4', 'zz'] }, ['a1e0d4']],
  [{ provider: 'openai', q: 'fix', status: ['complete'] }, ['a1e0d4']],
])('%o', async (filter, ids) => expect(await Array.fromAsync(jobIds(views, filter))).toEqual(ids));

it('pages go on behind a job, with the same filter', async () => {
  expect(await Array.fromAsync(jobIds(views, { q: 'fix', limit: 1 }))).toEqual(['c3d1b6']);
  expect(await Array.fromAsync(jobIds(views, { q: 'fix', limit: 1, after: 'c3d1b6' }))).toEqual(['a1e0d4']);
});

it('the queries of the same rows', async () => {
  const all = await Array.fromAsync(jobIds(views));
  expect(await Array.fromAsync(jobIds(views, { after: 'unknown' }))).toEqual(all);
  expect(jobPlaces(views, 100)).toEqual([
    { session_id: 'a1e0d4', started_at: 100, opened: 100 },
    { session_id: 'd4c2a7', started_at: 50, opened: 50 },
  ]);
  expect(sessions(views).map(({ session_id }) => session_id)).toEqual(all);
  expect([jobCount(views), activeJobCount(views)]).toEqual([4, 1]);
  expect(activeRuns(views)).toEqual([{ id: 'b2f0c5', status: 'running', workspace: '/w' }]);
  expect(job(views, 'b2f0c5')).toMatchObject({ task: 'Write notes', summary: null });
  expect(JSON.parse(jobJson(views, 'b2f0c5')!)).toMatchObject({ session_id: 'b2f0c5', status: 'running' });
  expect([job(views, 'unknown'), jobJson(views, 'unknown')]).toEqual([undefined, undefined]);
});
