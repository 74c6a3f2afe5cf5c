/**
 * Views that cannot be read or written: a damaged file, and a file that another program has locked. tests/storage/full-
 * disk.e2e.test.ts has the tests with a full disk.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { viewsFailure } from '../../src/projections/views-failures.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { type Asked, ask } from '../support/asking.ts';
import { childDaemon, daemonHere } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

const DAMAGED =
  'The file of the views is damaged. Start the daemon again: it folds them anew from the log, which has everything.';
const SQLITE_PAGE = 4_096;

const LOCKED =
  'The views cannot be written at the moment; as soon as they can, they follow the log again by themselves.';

const makeGoal = (daemon: Asked, title: string, headers?: Record<string, string>) =>
  ask<{ error?: string; title?: string }>(
    daemon,
    'POST',
    '/v1/goals',
    { title, statement: 'x'.repeat(3_000) },
    headers,
  );

const titles = async (daemon: Asked): Promise<string[]> => {
  const answer = await daemon.request('/v1/goals?limit=500');
  const { goals } = (await answer.json()) as { goals: { title: string }[] };
  return goals.map(({ title }) => title).sort();
};

const isReadable = (daemon: Asked) => expect.poll(async () => (await daemon.request('/v1/goals')).status).toBe(200);

it.each([
  [[], null],
  [['database or disk is full'], /^The disk is full.* Make room: then they follow the log again by themselves\.$/],
  [['database is locked'], /^The views cannot be written at the moment/],
  [['The projection jobs failed at position 3: secret words', 'database or disk is full'], /^The disk is full/],
  [['database disk image is malformed'], /^The file of the views is damaged/],
  [['The projection jobs failed at position 3: secret words'], /^A view could not be folded; see the daemon’s stderr/],
])('of %j is told what to do, and none of their words', (reasons, sentence) => {
  const trouble = viewsFailure(reasons);
  if (sentence === null) expect(trouble).toBeNull();
  else expect(trouble).toMatch(sentence);
  expect(trouble ?? '').not.toContain('secret');
});

it('a damaged file: reading and rebuilding are refused with the way out, which works', async () => {
  const home = temporaryFolder('home');
  const workspace = temporaryFolder('workspace');
  const first = await daemonHere({ home, workspace });
  for (let at = 0; at < 30; at += 1) {
    const body = JSON.stringify({ title: `goal ${at}`, statement: 'x'.repeat(2_000) });
    await first.request('/v1/goals', { method: 'POST', body });
  }
  const goals = await (await first.request('/v1/goals')).text();
  await first.stop();
  // Roots of tables that were made first. With a page that names the tables the file would not open, and be replaced.
  const path = join(home, 'views.db');
  writeFileSync(path, readFileSync(path).fill(0x41, 2 * SQLITE_PAGE, 7 * SQLITE_PAGE));

  const second = await daemonHere({ home, workspace });
  // The start meets the damage when it looks for runs to go on with, which may be after the first request.
  const health = async () => (await second.request('/health')).json();
  await expect.poll(health).toMatchObject({ status: 'degraded', views: { unavailable: DAMAGED } });
  for (const [method, route] of [
    ['GET', '/v1/goals'],
    ['POST', '/v1/views/rebuild'],
  ] as const) {
    expect([route, await ask(second, method, route)]).toEqual([route, { status: 503, body: { error: DAMAGED } }]);
  }
  await second.stop();

  const third = await daemonHere({ home, workspace });
  await expect.poll(async () => (await third.request('/v1/goals')).status).toBe(200);
  expect(await (await third.request('/v1/goals')).text()).toBe(goals);
  expect(third.lines.join('\n')).toContain('damage was met in it');
  await third.stop();

  // Once is enough.
  const fourth = await daemonHere({ home, workspace });
  expect(fourth.lines.join('\n')).not.toContain('damage');
  await fourth.stop();
});

it('a file with checkpoints of another form, as a later version may write, is replaced', async () => {
  const home = temporaryFolder('home');
  const workspace = temporaryFolder('workspace');
  const first = await daemonHere({ home, workspace });
  expect((await makeGoal(first, 'kept')).status).toBe(201);
  await first.stop();
  const views = new Database(join(home, 'views.db'));
  views.exec('ALTER TABLE checkpoints ADD COLUMN node TEXT; UPDATE checkpoints SET version = 99');
  views.close();

  const second = await daemonHere({ home, workspace });
  await isReadable(second);
  expect(await titles(second)).toEqual(['kept']);
  expect(second.lines.join('\n')).toContain('another version of the program wrote it); they are rebuilt from the log.');
  await second.stop();
});

it('a request during which the views are lost gets an error that says so, and its change is kept', {
  timeout: 60_000,
}, async () => {
  const home = temporaryFolder('home');
  // A process: this thread waits for a lock that the daemon holds.
  const daemon = await childDaemon({ home });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  expect((await makeGoal(daemon, 'before')).status).toBe(201);
  /** As another program may hold it: the daemon waits for it some seconds. */
  const locked = (): (() => void) => {
    const views = new Database(join(home, 'views.db'), { timeout: 10_000 });
    views.prepare('BEGIN IMMEDIATE').run();
    return () => void views.close();
  };
  const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
  const stream = await daemon.request(`/v1/events/stream?after=${position}`);
  const unlock = locked();
  expect(await makeGoal(daemon, 'meanwhile')).toEqual({
    status: 503,
    body: { error: `${LOCKED} What this request has changed is kept.` },
  });
  // The log's own stream does not wait for the views.
  const [event] = await readSse(stream, () => true);
  expect(JSON.parse(event!.data)).toMatchObject({ position: position + 1, data: { title: 'meanwhile' } });
  unlock();
  await isReadable(daemon);
  expect(await titles(daemon)).toEqual(['before', 'meanwhile']);

  const unlockAgain = locked();
  const key = { 'idempotency-key': 'one' };
  expect((await makeGoal(daemon, 'keyed', key)).status).toBe(503);
  unlockAgain();
  await isReadable(daemon);
  expect(await makeGoal(daemon, 'keyed', key)).toMatchObject({ status: 201, body: { title: 'keyed' } });
  expect(await titles(daemon)).toEqual(['before', 'keyed', 'meanwhile']);
});
