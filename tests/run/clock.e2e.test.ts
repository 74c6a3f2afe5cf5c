/** A clock that is set back: no duration is negative, no wait is endless, and the run and its record are complete. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  let now = Date.now();
  daemon = await testDaemon({ clock: { now: () => (now -= 1_000) } });
});
afterAll(() => daemon.stop());

const json = async <Answer = unknown>(path: string): Promise<Answer> =>
  (await (await daemon.request(path)).json()) as Answer;

it('no uptime is less than none', async () => {
  expect(await json('/health')).toMatchObject({ uptime_seconds: 0 });
  expect(await json('/mobile/beacon')).toMatchObject({ uptime_secs: 0 });
});

it('a run completes, replays, and neither it nor its tools took less than no time', async () => {
  const started = await daemon.request('/agent', { method: 'POST', body: '{"task":"List the files"}' });
  const { session_id } = (await started.json()) as { session_id: string };
  const status = async (): Promise<string> => ((await json(`/jobs/${session_id}`)) as { status: string }).status;
  await expect.poll(status).toBe('complete');
  const { queued_at, started_at, finished_at, took_ms } = await json<Record<string, number>>(`/jobs/${session_id}`);
  expect([started_at, finished_at, took_ms]).toEqual([queued_at, queued_at, 0]);
  const { events }: { events: { type: string; data: { duration_ms?: number } }[] } = await json(
    `/v1/events?stream=run-${session_id}&limit=500`,
  );
  const took = events.map(({ data }) => data.duration_ms).filter((ms) => ms !== undefined);
  expect(took.length).toBeGreaterThan(0);
  expect(took).toEqual(took.map(() => 0));
  expect(await json(`/jobs/${session_id}/replay`)).toMatchObject({ identical: true });
});

it('an approval that was requested under a clock that was years ahead expires after its time', async () => {
  const models = scriptedModel([{ tools: [{ name: 'bash', input: { command: 'ls' } }] }, 'Done.']);
  await using ahead = await startTestDaemon({ models });
  const present = ahead.clock.now();
  ahead.clock.set(present + 1_000 * 86_400_000);
  await ahead.json('POST', '/agent', { task: 'List', approval: 'suggest', interactive: true });
  await ahead.event('ApprovalRequested');
  ahead.clock.set(present);
  await ahead.clock.advance('10 min');
  await ahead.event('RunCompleted');
  expect(await ahead.json('GET', '/approvals')).toMatchObject({ approvals: [{ status: 'expired' }] });
});

it('a wait for a provider that began under a clock that was years ahead ends after a day', async () => {
  const models = scriptedModel([{ error: 'transient', retryAfter: '2 h' }, 'Done.']);
  await using ahead = await startTestDaemon({ models });
  const present = ahead.clock.now();
  ahead.clock.set(present + 1_000 * 86_400_000);
  await ahead.json('POST', '/agent', { task: 'Wait' });
  await ahead.event('ModelCallPostponed');
  await ahead.clock.advance('10 min');
  expect(models.left).toBe(1);
  ahead.clock.set(present);
  await ahead.clock.advance('24 h');
  expect(models.left).toBe(0);
  await ahead.event('RunCompleted');
});
