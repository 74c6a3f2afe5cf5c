/**
 * Views that cannot be read or written. Their failure was `A view could not be folded` on a full disk and `Internal
 * error` with a damaged file, and a rebuild that failed was said to go on for ever.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { viewsTrouble } from '../../src/http/server/views-trouble.ts';
import { type ChildDaemon, childDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

const DAMAGED =
  'The file of the views is damaged. Start the daemon again: it folds them anew from the log, which has everything.';
const SQLITE_PAGE = 4_096;

const daemons: ChildDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) if (daemon.process.exitCode === null) await daemon.kill('SIGKILL');
});

async function daemonOn(home: string, workspace: string): Promise<ChildDaemon> {
  const daemon = await childDaemon({ home, workspace });
  daemons.push(daemon);
  return daemon;
}

it.each([
  [[], null],
  [['database or disk is full'], /^The disk is full.* Make room, then run: daybook log rebuild\.$/],
  [['The projection jobs failed at position 3: secret words', 'database or disk is full'], /^The disk is full/],
  [['database disk image is malformed'], /^The file of the views is damaged/],
  [['The projection jobs failed at position 3: secret words'], /^A view could not be folded; see the daemon’s stderr/],
])('of %j is told what to do, and none of their words', (reasons, sentence) => {
  const trouble = viewsTrouble(reasons);
  if (sentence === null) expect(trouble).toBeNull();
  else expect(trouble).toMatch(sentence);
  expect(trouble ?? '').not.toContain('secret');
});

it.each([
  ['GET', '/v1/goals'],
  ['POST', '/v1/views/rebuild'],
])('a damaged file: %s %s is refused with the way out, which works', async (method, route) => {
  const home = temporaryFolder('home');
  const workspace = temporaryFolder('workspace');
  const first = await daemonOn(home, workspace);
  for (let at = 0; at < 30; at += 1) {
    const body = JSON.stringify({ title: `goal ${at}`, statement: 'x'.repeat(2_000) });
    await first.request('/v1/goals', { method: 'POST', body });
  }
  const goals = await (await first.request('/v1/goals')).text();
  await first.kill('SIGTERM');
  // Roots of tables that were made first. With a page that names the tables the file would not open, and be replaced.
  const path = join(home, 'views.db');
  writeFileSync(path, readFileSync(path).fill(0x41, 2 * SQLITE_PAGE, 7 * SQLITE_PAGE));

  const second = await daemonOn(home, workspace);
  const refused = await second.request(route, { method });
  expect([refused.status, await refused.json()]).toEqual([503, { error: DAMAGED }]);
  expect(await (await second.request('/health')).json()).toMatchObject({
    status: 'degraded',
    views: { unavailable: DAMAGED },
  });
  await second.kill('SIGTERM');

  const third = await daemonOn(home, workspace);
  await expect.poll(async () => (await third.request('/v1/goals')).status).toBe(200);
  expect(await (await third.request('/v1/goals')).text()).toBe(goals);
  expect(third.stderr()).toContain('damage was met in it');
  await third.kill('SIGTERM');

  // Once is enough.
  const fourth = await daemonOn(home, workspace);
  expect(fourth.stderr()).not.toContain('damage');
  await fourth.kill('SIGTERM');
});
