/** Requests of several commits, with one idempotency key at several daemons: the work is done once. */
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { json, type NodeDaemon, nodeDaemon, positionOf } from './support.ts';

/** An import of as many memories takes some commits of 40. */
const MEMORIES = 320;
const KEY = { 'idempotency-key': 'the same' };
const LEASE_SECONDS = '1';

/** Entries without ids: every attempt makes new ones, so work that is done twice is seen. */
const BODY = JSON.stringify({
  content: JSON.stringify(
    Array.from({ length: MEMORIES }, (_, n) => ({
      fact: `Note ${n}: shelf ${n * 7} holds the parts of machine ${n * 13}.`,
    })),
  ),
});

async function importAt(daemon: NodeDaemon): Promise<{ status: number; text: string; retryAfter: string | null }> {
  const answer = await daemon.request('/memory/import', { method: 'POST', body: BODY, headers: KEY });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

/** As a client does it. */
async function untilAnswered(daemon: NodeDaemon): Promise<string> {
  let text = '';
  await until(async () => {
    const answer = await importAt(daemon).catch(() => null);
    if (answer !== null && answer.status !== 200) expect([answer.status, answer.retryAfter]).toEqual([503, '1']);
    text = answer?.text ?? '';
    return answer?.status === 200;
  }, 'the import is answered');
  return text;
}

withPostgres('a request of several commits', (cluster) => {
  async function daemons(
    count: number,
    leaseSeconds = LEASE_SECONDS,
  ): Promise<{ url: string; all: readonly NodeDaemon[] }> {
    const url = await cluster().newLog('connect_timeout_ms=1000&poll_ms=100');
    const env = { DAYBOOK_LEASE_SECONDS: leaseSeconds };
    return { url, all: await Promise.all(Array.from({ length: count }, () => nodeDaemon({ url, env }))) };
  }

  const schema = (url: string): string => new URL(url).searchParams.get('schema')!;

  async function countOf(url: string, type: string): Promise<number> {
    const text = `SELECT count(*)::int AS count FROM ${schema(url)}.events WHERE type = $1`;
    const [row] = await cluster().query<{ count: number }>(text, [type]);
    return row!.count;
  }

  const claims = (url: string): Promise<{ holder: string; live: boolean }[]> =>
    cluster().query(`SELECT holder, expires_at > now() AS live FROM ${schema(url)}.leases WHERE name LIKE 'request-%'`);

  it('is done by one of three daemons that get it at once, and all give its answer', async () => {
    // None of them dies: on a busy machine one may be late by more than a second.
    const { url, all } = await daemons(3, '10');
    const answers = await Promise.all(all.map(importAt));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(JSON.parse(answers[0]!.text)).toMatchObject({ imported: MEMORIES, total_memories: MEMORIES });
    expect([await countOf(url, 'MemoryImported'), await countOf(url, 'RequestAnswered')]).toEqual([MEMORIES, 1]);
    await until(async () => (await claims(url)).every(({ live }) => !live), 'the claim is given back');
  });

  it('is done by another daemon when the one that claimed it is killed, and answered once', async () => {
    const { url, all } = await daemons(2);
    const [a, b] = all as [NodeDaemon, NodeDaemon];
    const first = importAt(a).catch(() => null);
    await until(async () => (await countOf(url, 'MemoryImported')) > 0, 'the first commit is there');
    await a.kill('SIGKILL');
    const [cut, answer] = [await first, await untilAnswered(b)];
    // An answer that the killed daemon still gave is that of its key.
    if (cut !== null) expect(cut.text).toBe(answer);
    expect(JSON.parse(answer)).toMatchObject({ imported: MEMORIES, total_memories: MEMORIES });
    const back = await nodeDaemon({ url, home: a.home, workspace: temporaryFolder('workspace') });
    expect(await untilAnswered(back)).toBe(answer);
    expect([await countOf(url, 'MemoryImported'), await countOf(url, 'RequestAnswered')]).toEqual([MEMORIES, 1]);
  });

  it('is not continued by a daemon that was paused once another has taken it over', async () => {
    const { url, all } = await daemons(2);
    const [a, b] = all as [NodeDaemon, NodeDaemon];
    const first = importAt(a);
    await until(async () => (await countOf(url, 'MemoryImported')) > 0, 'the first commit is there');
    process.kill(a.pid, 'SIGSTOP');
    const answer = await untilAnswered(b);
    process.kill(a.pid, 'SIGCONT');
    const woken = await first;
    if (woken.status === 200) expect(woken.text).toBe(answer);
    else expect([woken.status, woken.retryAfter]).toEqual([503, '1']);
    expect(await untilAnswered(a)).toBe(answer);
    expect(JSON.parse(answer)).toMatchObject({ imported: MEMORIES, total_memories: MEMORIES });
    expect([await countOf(url, 'MemoryImported'), await countOf(url, 'RequestAnswered')]).toEqual([MEMORIES, 1]);
    const head = await positionOf(b);
    await until(async () => (await positionOf(a)) === head, 'both have the whole log');
    const stats = [a, b].map((each) => json<{ total_memories: number }>(each, '/memory/stats'));
    for (const { total_memories } of await Promise.all(stats)) expect(total_memories).toBe(MEMORIES);
  });

  it('leaves no row of a lease behind for long', async () => {
    const { url, all } = await daemons(1);
    const add = (n: number) =>
      all[0]!.request('/memory/chunk', {
        method: 'POST',
        body: JSON.stringify({ content: `Text number ${n} is kept word for word.` }),
        headers: { 'idempotency-key': `text ${n}` },
      });
    for (let n = 0; n < 12; n += 1) expect((await add(n)).ok).toBe(true);
    expect((await claims(url)).length).toBeLessThanOrEqual(2);
    await cluster().query(`INSERT INTO ${schema(url)}.leases VALUES
      ('request-of-the-dead', 'gone/1', 1, now() - interval '2 days'), ('run-of-the-dead', 'gone/1', 1, now() - interval '2 days')`);
    expect((await add(99)).ok).toBe(true);
    const rows = await cluster().query<{ name: string }>(`SELECT name FROM ${schema(url)}.leases`);
    const names = rows.map(({ name }) => name);
    expect([names.includes('request-of-the-dead'), names.includes('run-of-the-dead')]).toEqual([false, true]);
  });
});
