/** A home that is moved away or replaced under its daemon: nothing is acknowledged that no later daemon would find. */
import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readDiscovery } from '../../src/discovery.ts';
import { childDaemon, daemonHere, type TestDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A title of its own: a goal is accepted as long as what was looked up a moment ago counts. */
async function makeGoal(
  daemon: Pick<TestDaemon, 'request'>,
  title: string = randomUUID(),
): Promise<{ status: number; error?: string }> {
  const answer = await daemon.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title, statement: 'x' }) });
  const { error } = (await answer.json()) as { error?: string };
  return { status: answer.status, ...(error !== undefined && { error }) };
}

const titles = async (daemon: TestDaemon): Promise<string[]> => {
  const { goals } = (await (await daemon.request('/v1/goals')).json()) as { goals: { title: string }[] };
  return goals.map(({ title }) => title).sort();
};

const AWAY = expect.stringMatching(
  /^The data directory was changed while it is open: [^/]+.* was moved.*until it is back/,
);

it('refuses writes with the reason while the home is away, and takes them again when it is back', async () => {
  const home = join(temporaryFolder('moved'), 'home');
  const daemon = await daemonHere({ home });
  expect(await makeGoal(daemon, 'before')).toEqual({ status: 201 });
  renameSync(home, `${home}-elsewhere`);
  await expect.poll(() => makeGoal(daemon)).toEqual({ status: 503, error: AWAY });
  expect(await titles(daemon)).toContain('before');
  const health = await (await daemon.request('/health')).json();
  expect(health).toMatchObject({ status: 'degraded', log: { failure: AWAY } });
  renameSync(`${home}-elsewhere`, home);
  await expect.poll(() => makeGoal(daemon)).toEqual({ status: 201 });
  expect(await (await daemon.request('/health')).json()).toMatchObject({ status: 'ok', log: { failure: null } });
});

it('leaves a home that was put in the place of its own to the daemon that has it', async () => {
  const home = join(temporaryFolder('replaced'), 'home');
  const first = await childDaemon({ home });
  onTestFinished(() => first.kill('SIGKILL').then(() => {}));
  await makeGoal(first);
  renameSync(home, `${home}-elsewhere`);
  const second = await daemonHere({ home });
  expect(await makeGoal(second, 'one')).toEqual({ status: 201 });
  await expect.poll(() => makeGoal(first)).toEqual({ status: 503, error: AWAY });
  expect(await first.kill('SIGTERM')).toBe(0);
  expect(readDiscovery(home)).toMatchObject({ token: second.token });
  expect(await makeGoal(second, 'two')).toEqual({ status: 201 });
  await second.stop();
  expect(await titles(await daemonHere({ home }))).toEqual(['one', 'two']);
});
