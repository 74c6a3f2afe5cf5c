/** Signatures, proofs and bundles of a log that moves into a database and back. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TestDaemon, testDaemon } from '../../support/daemon.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { withPostgres } from '../../support/postgres.ts';
import { runProgramHere } from '../../support/program.ts';

interface Signed {
  readonly vkey: string;
  readonly origin: string;
  /** Files of the newest checkpoint and of a bundle of all events. */
  readonly note: string;
  readonly bundle: string;
}

async function signed(daemon: TestDaemon, name: string): Promise<Signed> {
  const body = JSON.stringify({ title: `Goal at ${name}` });
  expect((await daemon.request('/v1/goals', { method: 'POST', body })).status).toBe(201);
  const key = (await (await daemon.request('/v1/log/key')).json()) as { vkey: string; origin: string };
  const folder = temporaryFolder(name);
  const [note, bundle] = [join(folder, 'checkpoint'), join(folder, 'bundle.zip')];
  writeFileSync(note, await (await daemon.request('/v1/tlog/checkpoint')).text());
  const answer = await daemon.request(`/v1/evidence.zip?positions=1-${daemon.log.head().position}`);
  expect(answer.status).toBe(200);
  writeFileSync(bundle, Buffer.from(await answer.arrayBuffer()));
  await daemon.stop();
  return { vkey: key.vkey, origin: key.origin, note, bundle };
}

withPostgres('a signed log', (cluster) => {
  const run = (...words: string[]) => runProgramHere(words, { env: {} });

  test('keeps its key and its name in a database and back: what was signed before verifies at every place', async () => {
    const [home, url] = [temporaryFolder('home'), await cluster().newLog()];
    const before = await signed(await testDaemon({ home }), 'before');
    expect((await run('storage', 'migrate', '--to', url, '--home', home)).code).toBe(0);
    const within = await signed(await testDaemon({ home, env: { DAYBOOK_LOG: url } }), 'within');
    const inDatabase = ['log', 'verify', '--log', url, '--vkey', before.vkey] as const;
    for (const { note } of [before, within]) {
      expect((await run(...inDatabase, '--checkpoint', note)).code).toBe(0);
    }
    expect((await run('storage', 'migrate', '--to', 'cow', '--log', url, '--home', home)).code).toBe(0);
    const after = await signed(await testDaemon({ home }), 'after');

    expect([within.vkey, after.vkey]).toEqual([before.vkey, before.vkey]);
    expect([within.origin, after.origin]).toEqual([before.origin, before.origin]);
    for (const { note } of [before, within, after]) {
      expect((await run('log', 'verify', '--home', home, '--vkey', before.vkey, '--checkpoint', note)).code).toBe(0);
    }
    for (const { bundle } of [before, within, after]) {
      expect((await run('evidence', 'verify', bundle, '--vkey', before.vkey)).code).toBe(0);
    }
  });
});
