/**
 * Erasure with the log on PostgreSQL: the text is in no row of the database, not in the daemon's home, and in nothing
 * that is made afterwards; earlier proofs and bundles still verify.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyBundle } from '../../web/evidence/verify.js';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Cluster, POSTGRES_PROGRAMS, withPostgres } from '../support/postgres.ts';
import { runProgramHere } from '../support/program.ts';
import { until } from '../support/until.ts';
import { unpacked } from './support.ts';
import { tracesIn } from './traces.ts';

/** Words of no language. */
const WORDS = ['Quendolinxa', 'Ðorvölkyß'];
const SAID = `${WORDS.join(' ')} lives at the harbour`;

async function bytesOf(daemon: TestDaemon, path: string): Promise<Buffer> {
  const reply = await daemon.request(path);
  expect([path, reply.status]).toEqual([path, 200]);
  return Buffer.from(await reply.arrayBuffer());
}

async function untilErased(daemon: TestDaemon): Promise<void> {
  await until(async () => {
    const { state } = JSON.parse((await bytesOf(daemon, '/v1/log/erasures')).toString()) as { state: string };
    return state === 'done';
  });
}

async function backup(daemon: TestDaemon, to: string): Promise<void> {
  const { id } = await post<{ id: string }>(daemon, '/v1/storage/operations', { kind: 'backup', to });
  const reply = await daemon.request(`/v1/storage/operations/${id}?wait=20000`);
  expect(await reply.json()).toMatchObject({ state: 'done' });
}

/** What a superuser sees of the whole database, as `pg_dump` writes it. */
function dumped(cluster: Cluster): readonly string[] {
  const folder = temporaryFolder('dump');
  const words = ['-h', '127.0.0.1', '-p', String(cluster.port), '-U', 'postgres', '-d', 'postgres'];
  writeFileSync(join(folder, 'all.sql'), execFileSync(join(POSTGRES_PROGRAMS!, 'pg_dump'), words));
  return tracesIn(folder, WORDS);
}

/** In the files of the databases. The server is stopped for the search: it removes files while it runs. */
async function inFiles(cluster: Cluster): Promise<readonly string[]> {
  await cluster.query('CHECKPOINT');
  await cluster.stop();
  const found = tracesIn(join(cluster.folder, 'data', 'base'), WORDS);
  await cluster.start();
  return found;
}

withPostgres('a log on PostgreSQL', (cluster) => {
  test('what is erased is in no row, no home, no backup and no bundle; older proofs and bundles verify', async () => {
    const [home, made, url] = [temporaryFolder('home'), temporaryFolder('made'), await cluster().newLog()];
    const daemon = await testDaemon({ home, env: { DAYBOOK_LOG: url } });
    const memory = await post<{ id: string }>(daemon, '/memory/add', { content: SAID, tags: [WORDS[0]] });
    const fact = await post<{ id: string }>(daemon, '/memory/fact', {
      subject: WORDS[0],
      predicate: 'lives at',
      object: SAID,
    });
    const { position } = daemon.log.head();
    const { vkey } = JSON.parse((await bytesOf(daemon, '/v1/log/key')).toString()) as { vkey: string };
    const note = join(made, 'checkpoint');
    writeFileSync(note, await bytesOf(daemon, '/v1/tlog/checkpoint'));
    const proofPath = `/v1/log/proof?position=${position}&size=${position}&format=tlog-proof`;
    const proof = (await bytesOf(daemon, proofPath)).toString();
    const old = await bytesOf(daemon, `/v1/evidence.zip?positions=1-${position}`);
    // The server takes samples of columns for its planner.
    await cluster().query('ANALYZE');
    expect([dumped(cluster()), tracesIn(home, WORDS)]).not.toContainEqual([]);

    for (const { id } of [memory, fact]) await post(daemon, '/memory/delete', { id });
    await untilErased(daemon);
    expect(dumped(cluster())).toEqual([]);
    expect(tracesIn(home, WORDS)).toEqual([]);
    const after = temporaryFolder('after');
    await backup(daemon, join(after, 'backup'));
    const { position: head } = daemon.log.head();
    const bundle = await bytesOf(daemon, `/v1/evidence.zip?positions=1-${head}`);
    writeFileSync(join(after, 'bundle.zip'), bundle);
    writeFileSync(join(after, 'events'), await bytesOf(daemon, '/v1/events?limit=5000'));
    expect(tracesIn(after, WORDS)).toEqual([]);

    expect(await verifyBundle(old, vkey)).toMatchObject({ ok: true, erased: 0 });
    expect(await verifyBundle(bundle, vkey)).toMatchObject({ ok: true });
    expect(unpacked(bundle).has('erased.jsonl')).toBe(true);
    expect((await bytesOf(daemon, proofPath)).toString()).toBe(proof);
    await daemon.stop();
    const verified = ['log', 'verify', '--log', url, '--vkey', vkey, '--checkpoint', note];
    expect(await runProgramHere(verified, { env: {} })).toMatchObject({ code: 0 });
    expect(tracesIn(home, WORDS)).toEqual([]);

    // The files of the server: the old versions of rows, and the planner's samples, until both are written anew.
    expect(await inFiles(cluster())).not.toEqual([]);
    await cluster().query('VACUUM (FULL, ANALYZE)');
    await cluster().query('VACUUM FULL pg_catalog.pg_statistic');
    expect(await inFiles(cluster())).toEqual([]);
  });

  test('any event: the log is moved into the home, erased there, and moved into an empty schema', async () => {
    const [home, made] = [temporaryFolder('moved'), temporaryFolder('moved-made')];
    const [url, next] = [await cluster().newLog(), await cluster().newLog()];
    const daemon = await testDaemon({ home, env: { DAYBOOK_LOG: url } });
    await post(daemon, '/v1/goals', { title: SAID, statement: SAID });
    const { events } = JSON.parse((await bytesOf(daemon, '/v1/events?limit=5000')).toString()) as {
      events: readonly { readonly position: number }[];
    };
    const said = events.filter((event) => JSON.stringify(event).includes(WORDS[0]!));
    expect(said.length).toBeGreaterThan(0);
    const { vkey } = JSON.parse((await bytesOf(daemon, '/v1/log/key')).toString()) as { vkey: string };
    const note = join(made, 'checkpoint');
    writeFileSync(note, await bytesOf(daemon, '/v1/tlog/checkpoint'));
    await daemon.stop();
    const run = async (...words: string[]): Promise<void> =>
      expect(await runProgramHere(words, { env: {} })).toMatchObject({ code: 0 });
    await run('storage', 'migrate', '--to', 'cow', '--log', url, '--home', home);
    await run('storage', 'erase', '--home', home, ...said.flatMap(({ position }) => ['--position', String(position)]));
    await run('storage', 'migrate', '--to', next, '--home', home);
    await run('log', 'verify', '--log', next, '--vkey', vkey, '--checkpoint', note);
    expect(dumped(cluster())).not.toEqual([]);
    await cluster().query(`DROP SCHEMA ${new URL(url).searchParams.get('schema')} CASCADE`);
    expect(dumped(cluster())).toEqual([]);
  });
});
