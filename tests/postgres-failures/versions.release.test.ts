/** A rolling upgrade: a daemon of an earlier commit and one of a later version on one database at the same time. */
import { expect, it } from 'vitest';
import { json, type NodeDaemon, nodeDaemon, positionOf, post, startRun, untilEnded } from '../nodes/support.ts';
import { allBytes, eventsOf, lastId, wholeEvents, withoutKeepAlives } from '../streams/wire.ts';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { buildOf, changedBuild, hasCommit } from './builds.ts';

/** The first commit of the main branch whose daemons all work on one log; its schema has version 2. */
const EARLIER = 'ecd609cb3ebdee6a6e22b5358c3f7ae7600a2451';
const WHY_NOT = hasCommit(EARLIER) ? null : 'this checkout has no history: fetch it with git fetch --unshallow';

/** A later version of an event, as a release would bring it. */
function laterBuild(): string {
  return changedBuild('src/events/task.ts', [
    ['import { define,', 'import { define, from,'],
    [
      "TaskRenamed: define('TaskRenamed', z.object({ title: z.string() })),",
      `TaskRenamed: define('TaskRenamed', {
        version: 2,
        data: z.object({ title: z.string() }),
        upcast: { 1: from(z.object({ title: z.string() }), (data) => data) },
      }),`,
    ],
  ]);
}

withPostgres(`two versions side by side${WHY_NOT === null ? '' : ` (skipped: ${WHY_NOT})`}`, (cluster) => {
  it.skipIf(WHY_NOT !== null)(
    'both write, streams go on across, an event that the earlier one does not know stops its resource there only',
    async () => {
      const [url, workspace, home] = [await cluster().newLog(), temporaryFolder('workspace'), temporaryFolder('home')];
      const [earlier, later] = [buildOf(EARLIER), laterBuild()];
      const old = await nodeDaemon({ url, workspace, home, program: earlier });
      const { id } = await post<{ id: string }>(old, '/api/tasks', { title: 'From the earlier one' });
      const run = await startRun(old, 'Say hello.');
      expect(await untilEnded(old, run)).toBe('complete');
      const young = await nodeDaemon({ url, workspace, program: later });

      await post(young, '/v1/goals', { title: 'From the later one' });
      await post(old, '/v1/goals', { title: 'From the earlier one' });
      const second = await startRun(young, 'Say hello again.');
      for (const each of [old, young]) expect(await untilEnded(each, second)).toBe('complete');
      for (const each of [old, young]) await expectGoals(each, ['From the earlier one', 'From the later one']);
      await expectResumed(old, young, run);
      await expectResumed(young, old, second);

      const body = JSON.stringify({ title: 'Renamed by the later one' });
      expect((await young.request(`/api/tasks/${id}`, { method: 'PATCH', body })).status).toBe(200);
      const position = await positionOf(young);
      await until(async () => (await positionOf(old)) === position, 'the earlier one has the event');
      const refused = await old.request(`/api/tasks/${id}`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
      const { error } = (await refused.json()) as { error: string };
      expect(error).toContain('TaskRenamed, schema 2');
      expect((await old.request(`/api/tasks/${id}`, { method: 'PATCH', body })).status).toBe(503);
      const health = await json<{ status: string; views: { unavailable: string } }>(old, '/health');
      expect([health.status, health.views.unavailable]).toEqual(['degraded', error]);

      await post(old, '/v1/goals', { title: 'After it' });
      for (const each of [old, young]) {
        await expectGoals(each, ['After it', 'From the earlier one', 'From the later one']);
      }
      expect(await untilEnded(old, await startRun(old, 'Say it once more.'))).toBe('complete');

      await old.kill('SIGTERM');
      const upgraded = await nodeDaemon({ url, workspace, home, program: later });
      for (const path of [`/api/tasks/${id}`, '/api/tasks', '/v1/goals', '/jobs']) {
        await until(async () => {
          const answers = await Promise.all([upgraded, young].map((each) => json<unknown>(each, path)));
          return JSON.stringify(answers[0]) === JSON.stringify(answers[1]);
        }, `equal ${path}`);
      }
      expect(await json(upgraded, `/api/tasks/${id}`)).toMatchObject({ title: 'Renamed by the later one' });
      expect((await json<{ status: string }>(upgraded, '/health')).status).toBe('ok');
    },
    120_000,
  );
});

async function expectGoals(daemon: NodeDaemon, titles: readonly string[]): Promise<void> {
  await until(
    async () => {
      const { goals } = await json<{ goals: { title: string }[] }>(daemon, '/v1/goals');
      return JSON.stringify(goals.map((goal) => goal.title).sort()) === JSON.stringify(titles);
    },
    `the goals ${titles.join(', ')}`,
  );
}

/** A stream of a run that is cut at one daemon goes on at the other. */
async function expectResumed(first: NodeDaemon, second: NodeDaemon, run: string): Promise<void> {
  const whole = withoutKeepAlives(await allBytes(first.request, `/stream/${run}?after=0`));
  const cut = wholeEvents(whole.subarray(0, Math.floor(whole.length / 2)));
  const rest = await allBytes(second.request, `/stream/${run}`, { 'last-event-id': lastId(cut) });
  expect(eventsOf(Buffer.concat([cut, rest]))).toEqual(eventsOf(whole));
  expect(eventsOf(cut).length).toBeGreaterThan(0);
}
