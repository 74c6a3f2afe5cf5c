/** After a daemon was killed during an installation of plugins, repeating the installation completes it. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { PLUGIN_CATALOGUE } from '../../src/commands/plugin/catalogue.ts';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import { childDaemon, type KillableDaemon, killableDaemon } from '../support/daemon.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { pluginsOf } from './support.ts';

const CORE = PLUGIN_CATALOGUE.filter(({ includes }) => includes.length === 0).map(({ name }) => name);

let going: KillableDaemon | undefined;
afterEach(async () => {
  await going?.kill('SIGKILL');
});

const COUNTS = byDepth({ sample: [2], dense: [0, 8], long: [0, 1, 2, 5, 8, 11] });

it.each(COUNTS)('killed when %i plugins are in place', { timeout: 60_000 }, async (count) => {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  going = await childDaemon({ home, workspace });
  const answers = installAll(going);
  while (inPlace(workspace) < count) await sleep(5);
  await going.kill('SIGKILL');
  const acknowledged = await answers;

  going = await killableDaemon({ home, workspace });
  const { listing, post, row } = pluginsOf(going);
  const found = await listing();
  const inForce = new Set([...found.skills, ...found.rules].map(({ plugin }) => plugin));
  expect(inForce.size).toBeGreaterThanOrEqual(acknowledged);
  expect(found.not_live.filter(({ reason }) => reason !== UNRECORDED)).toEqual([]);
  for (const name of CORE) {
    const { installed } = await row(name);
    expect((await post('install', { name }))[0]).toBe(installed ? 400 : 200);
  }
  expect(await listing()).toMatchObject({ total: 12, not_live: [] });
  expect(readdirSync(join(workspace, '.vibecli/plugins')).sort()).toEqual([...CORE].sort());
});

it('killed between the plugins of a bundle', async () => {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  const first = await killableDaemon({ home, workspace });
  const answer = pluginsOf(first)
    .post('install', { name: 'bundle-engineering' })
    .catch(() => null);
  await first.event(({ type }) => type === 'PluginInstalled');
  await first.kill('SIGKILL');
  await answer;
  const second = await killableDaemon({ home, workspace });
  going = second;
  const { post, row } = pluginsOf(second);
  const { includes } = await row('bundle-engineering');
  expect(await post('install', { name: 'bundle-engineering' })).toMatchObject([200, { included: includes }]);
  for (const name of ['bundle-engineering', ...includes]) expect(await row(name)).toMatchObject({ installed: true });
});

it('killed while the plugin was moved away, before its update or removal was recorded', async () => {
  await using daemon = await startTestDaemon();
  const { post, row } = pluginsOf({ request: (path, init = {}) => daemon.fetch(path, init) });
  const [name] = CORE as [string];
  await post('install', { name });
  const store = join(daemon.workspace, '.vibecli/plugins');
  renameSync(join(store, name), join(store, `.daybook-old-${name}`));
  expect(await row(name)).toMatchObject({ installed: false });
  await daemon.restart();
  expect(await row(name)).toMatchObject({ installed: true, trouble: null });
});

it('an uninstallation that is recorded is answered the same when it is repeated with its key', async () => {
  await using daemon = await startTestDaemon({ backend: 'lsm' });
  const { post } = pluginsOf({ request: (path, init = {}) => daemon.fetch(path, init) });
  const keyed = (name: string) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': name };
    return post('uninstall', { name }, headers);
  };
  const answers: unknown[] = [];
  for (const [change, name] of CORE.slice(0, 7).entries()) {
    await daemon.json('POST', '/api/vibedesk/plugins/install', { name });
    const before = daemon.log.head().position;
    await daemon.killAt(change, keyed(name));
    await daemon.restart();
    const isRecorded = [...daemon.log.readAll({ after: before })].some(({ type }) => type === 'PluginUninstalled');
    const [, { removed }] = await keyed(name);
    if (isRecorded) answers.push(removed);
  }
  expect(answers.length).toBeGreaterThan(1);
  expect(answers).toEqual(answers.map(() => true));
});

/** One after the other; answers how many were acknowledged before the daemon was gone. */
async function installAll(daemon: KillableDaemon): Promise<number> {
  for (const [done, name] of CORE.entries()) {
    const [status] = await pluginsOf(daemon)
      .post('install', { name })
      .catch(() => [0] as const);
    if (status !== 200) return done;
  }
  return CORE.length;
}

function inPlace(workspace: string): number {
  const store = join(workspace, '.vibecli/plugins');
  return existsSync(store) ? readdirSync(store).filter((name) => !name.startsWith('.')).length : 0;
}

/** Its folder was in place, its event was not yet in the log. */
const UNRECORDED = 'a folder has its name that this daemon did not install';
