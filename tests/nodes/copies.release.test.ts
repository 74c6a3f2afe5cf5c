/** Daemons that start with a damaged copy of the log, or without their database. */
import { openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { json, nodeDaemon, positionOf, post } from './support.ts';

const PASSPHRASE = { DAYBOOK_VAULT_PASSPHRASE: 'one passphrase' };
const SETTINGS = 'patience_ms=500&connect_timeout_ms=500';

/** Overwrites the second half of every file. */
function damage(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    const { size } = statSync(path);
    if (!statSync(path).isFile() || size < 100) continue;
    const half = Math.floor(size / 2);
    writeSync(openSync(path, 'r+'), Buffer.alloc(size - half, 0x5a), 0, size - half, half);
  }
}

withPostgres('a daemon', (cluster) => {
  const titles = async (daemon: Parameters<typeof json>[0]): Promise<readonly string[]> => {
    const { goals } = await json<{ goals: { title: string }[] }>(daemon, '/v1/goals');
    return goals.map(({ title }) => title).sort();
  };

  it('makes a damaged copy again from the database, and says so', async () => {
    const url = await cluster().newLog();
    const a = await nodeDaemon({ url });
    for (let n = 0; n < 5; n += 1) await post(a, '/v1/goals', { title: `Goal ${n}` });
    const position = await positionOf(a);
    await a.kill('SIGKILL');
    damage(join(a.home, 'copy', 'data'));
    const again = await nodeDaemon({ url, home: a.home });
    expect(again.stderr()).toMatch(/The copy of the log in .* is damaged and is made again/);
    expect(await titles(again)).toEqual(['Goal 0', 'Goal 1', 'Goal 2', 'Goal 3', 'Goal 4']);
    expect(await positionOf(again)).toBeGreaterThanOrEqual(position);
    await post(again, '/v1/goals', { title: 'Goal 5' });
    expect((await json<{ status: string }>(again, '/health')).status).toBe('ok');
  });

  it('starts while the database is away: it reads what it has, refuses writes, and goes on when that is back', async () => {
    const url = await cluster().newLog(SETTINGS);
    const a = await nodeDaemon({ url, env: PASSPHRASE });
    await post(a, '/v1/goals', { title: 'Before' });
    const position = await positionOf(a);
    await a.kill('SIGTERM');
    await cluster().stop();
    const again = await nodeDaemon({ url, home: a.home, env: PASSPHRASE });
    expect(again.stderr()).toContain('Reads go on from the copy of the log.');
    expect(again.stderr()).toContain('The keys of this log are compared when its database is there again');
    const read = await again.request('/v1/goals');
    expect([read.status, Number(read.headers.get('daybook-position'))]).toEqual([200, position]);
    expect(await titles(again)).toEqual(['Before']);
    const body = JSON.stringify({ title: 'After' });
    const refused = await again.request('/v1/goals', { method: 'POST', body });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await json<{ status: string }>(again, '/health')).status).toBe('degraded');
    await cluster().start();
    await until(async () => (await again.request('/v1/goals', { method: 'POST', body })).status === 201, 'it writes');
    expect(await titles(again)).toEqual(['After', 'Before']);
    await until(async () => (await json<{ status: string }>(again, '/health')).status === 'ok', 'health says so');
  });

  it('with other keys starts while the database is away, and ends when that is back', async () => {
    const url = await cluster().newLog(SETTINGS);
    const a = await nodeDaemon({ url, env: PASSPHRASE });
    await post(a, '/v1/goals', { title: 'Before' });
    await a.kill('SIGTERM');
    await cluster().stop();
    const wrong = await nodeDaemon({ url, home: a.home, env: { DAYBOOK_VAULT_PASSPHRASE: 'another passphrase' } });
    expect(await titles(wrong)).toEqual(['Before']);
    await cluster().start();
    await until(() => wrong.process.exitCode !== null, 'it ends');
    expect(wrong.stderr()).toMatch(/The daemon stops: .*DAYBOOK_VAULT_PASSPHRASE is another one/);
  });
});
