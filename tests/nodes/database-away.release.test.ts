/** Daemons during and after an outage of their database. */
import { expect, it } from 'vitest';
import { schemaOf } from '../storage/postgres/helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { withPostgres } from '../support/postgres.ts';
import { runProgramHere } from '../support/program.ts';
import { until } from '../support/until.ts';
import {
  json,
  lines,
  type NodeHere,
  nodeDaemon,
  nodeHere,
  positionOf,
  runEvents,
  slowTool,
  startRun,
  untilEnded,
} from './support.ts';

const KEY = { 'idempotency-key': 'once' };

withPostgres('while the database is away', (cluster) => {
  it('writes are 503 with Retry-After, reads go on and say how old they are, and a retry is answered once', async () => {
    const url = await cluster().newLog('patience_ms=500');
    const port = await freePort();
    const env = { DAYBOOK_STORAGE_OPS_PORT: String(port) };
    const a = await nodeDaemon({ url, env });
    await a.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title: 'Before' }) });
    const position = await positionOf(a);
    await cluster().stop();
    const body = JSON.stringify({ title: 'Meanwhile' });
    const refused = await a.request('/v1/goals', { method: 'POST', body, headers: KEY });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    const { error } = (await refused.json()) as { error: string };
    expect(error).toMatch(/^(?!.*(?:127\.0\.0\.1|postgres)).*database/);
    const read = await a.request('/v1/goals');
    expect([read.status, Number(read.headers.get('daybook-position'))]).toEqual([200, position]);
    await until(async () => (await json<{ status: string }>(a, '/health')).status === 'degraded', 'health says so');
    expect(await json(a, '/health')).toMatchObject({ log: { failure: expect.stringContaining('out of reach') } });
    const doctor = await runProgramHere(['doctor', '--json'], { env: { DAYBOOK_LOG: url, DAYBOOK_HOME: a.home } });
    expect(doctor.stdout).toContain('mend the database; the daemon goes on by itself');
    const ready = await fetch(`http://127.0.0.1:${port}/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('database')]);
    await cluster().start();
    let created: { id: string } | undefined;
    await until(async () => {
      const answer = await a.request('/v1/goals', { method: 'POST', body, headers: KEY });
      if (answer.status === 201) created = (await answer.json()) as { id: string };
      return answer.status === 201;
    }, 'writes are taken again');
    const again = await a.request('/v1/goals', { method: 'POST', body, headers: KEY });
    expect([again.status, ((await again.json()) as { id: string }).id]).toEqual([201, created?.id]);
    const { goals } = await json<{ goals: { title: string }[] }>(a, '/v1/goals');
    expect(goals.map(({ title }) => title).sort()).toEqual(['Before', 'Meanwhile']);
    await until(async () => (await json<{ status: string }>(a, '/health')).status === 'ok', 'health says so');
  });

  it('a daemon whose database holds another history by now leaves the backups to the others', async () => {
    const url = await cluster().newLog('poll_ms=50');
    const schema = schemaOf(url);
    const onDuty = async (): Promise<string | undefined> => {
      const text = `SELECT split_part(holder, '/', 1) AS node FROM ${schema}.leases
        WHERE name = 'duty-backups' AND expires_at > now()`;
      return (await cluster().query<{ node: string }>(text))[0]?.node;
    };
    const nodeOf = async (daemon: NodeHere) =>
      (await json<{ nodes: { id: string }[] }>(daemon, '/v1/nodes')).nodes[0]!.id;
    const a = await nodeHere({ url });
    const first = await nodeOf(a);
    await until(async () => (await onDuty()) === first, 'the first daemon has the duty');
    await cluster().query(`UPDATE ${schema}.meta SET log_id = gen_random_uuid()`);
    const second = await nodeOf(await nodeHere({ url }));
    await until(async () => (await onDuty()) === second, 'the second daemon has the duty');
  });

  it('a tool is stopped when the lease has run out; afterwards it is reported as interrupted, once', async () => {
    const [url, workspace] = [await cluster().newLog('patience_ms=500'), temporaryFolder('workspace')];
    const a = await nodeHere({ url, workspace, env: { DAYBOOK_LEASE_SECONDS: '1' } });
    const id = await startRun(a, slowTool('one', 60));
    await until(() => lines(workspace, 'one.txt').length === 1, 'the tool began');
    await cluster().stop();
    const runs = async (): Promise<number> =>
      (await json<{ nodes: { runs: string[] }[] }>(a, '/v1/nodes')).nodes[0]!.runs.length;
    await until(async () => (await runs()) === 0, 'the lease has run out');
    await cluster().start();
    expect(await untilEnded(a, id)).toBe('complete');
    const events = await runEvents(a, id);
    expect(events.filter(({ type }) => type === 'ToolInterrupted')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'ToolStarted')).toHaveLength(1);
    expect(lines(workspace, 'one.txt')).toEqual(['began']);
  });
});
