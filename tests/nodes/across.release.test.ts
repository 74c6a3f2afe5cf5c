/** Clients that talk to several daemons of one log. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobRecord, NodesListAnswer } from '../../src/client/generated/types.ts';
import { allBytes, eventsOf, lastId, wholeEvents, withoutKeepAlives } from '../streams/wire.ts';
import { filesWhere, temporaryFolder } from '../support/folders.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import {
  byExecuting,
  json,
  lines,
  type NodeHere,
  nodeDaemon,
  nodeHere,
  positionOf,
  post,
  slowTool,
  startRun,
  untilEnded,
} from './support.ts';

const KEY = { 'idempotency-key': 'the same' };

withPostgres('several daemons', (cluster) => {
  async function three(names: readonly string[], start: typeof nodeHere = nodeHere): Promise<readonly NodeHere[]> {
    const url = await cluster().newLog();
    return Promise.all(names.map((name) => start({ url, env: { DAYBOOK_NODE_NAME: name } })));
  }

  it('a run goes to the daemon that has its folder; without one it waits and says so', async () => {
    const [a, b] = (await three(['anna', 'bert'])) as [NodeHere, NodeHere];
    await until(async () => (await json<NodesListAnswer>(a, '/v1/nodes')).nodes.length === 2, 'both are listed');
    const tool = 'echo began >> one.txt; while [ ! -e go ]; do sleep 0.05; done; echo ended >> one.txt';
    const id = await startRun(a, `Work.\nrehearse: bash ${tool}`, { workspace_root: b.workspace });
    await until(async () => (await json<JobRecord>(a, `/jobs/${id}`)).node !== null, 'it is executed');
    const { node, waiting } = await json<JobRecord>(a, `/jobs/${id}`);
    expect([node?.name, waiting]).toEqual(['bert', null]);
    const { nodes } = await json<NodesListAnswer>(a, '/v1/nodes');
    expect(nodes.map(({ name, alive, workspaces }) => ({ name, alive, workspaces }))).toEqual([
      { name: 'anna', alive: true, workspaces: [a.workspace] },
      { name: 'bert', alive: true, workspaces: [b.workspace] },
    ]);
    expect(nodes[1]!.runs).toEqual([id]);
    writeFileSync(join(b.workspace, 'go'), '');
    expect(await untilEnded(a, id)).toBe('complete');
    expect(lines(b.workspace, 'one.txt')).toEqual(['began', 'ended']);
    const over = await json<JobRecord>(a, `/jobs/${id}`);
    expect([over.node, over.waiting]).toEqual([{ id: nodes[1]!.id, name: 'bert' }, null]);
    const then = await json(a, `/jobs/${id}?at=${await positionOf(a)}`);
    expect(then).toEqual({ ...over, as_of: expect.anything() });
    const lost = await startRun(a, 'Nobody does this.', { workspace_root: temporaryFolder('elsewhere') });
    await until(async () => (await b.request(`/jobs/${lost}`)).ok, 'both know it');
    const job = await json<JobRecord>(b, `/jobs/${lost}`);
    expect([job.status, job.node, job.waiting]).toEqual([
      'queued',
      null,
      'It waits: no daemon that is running has the folder of this run (see GET /v1/nodes).',
    ]);
  });

  it('what was written through one is read from another with the position of the answer', async () => {
    const [a, b] = (await three(['anna', 'bert'])) as [NodeHere, NodeHere];
    for (let count = 0; count < 10; count += 1) {
      const body = JSON.stringify({ title: `Goal ${count}` });
      const made = await a.request('/v1/goals', { method: 'POST', body });
      const position = made.headers.get('daybook-position')!;
      const { id } = (await made.json()) as { id: string };
      const read = await b.request(`/v1/goals/${id}`, { headers: { 'daybook-min-position': position } });
      expect([read.status, Number(read.headers.get('daybook-position')) >= Number(position)]).toEqual([200, true]);
    }
  });

  it('a memory that is deleted at one is in no file of the others, nor of one that starts afterwards', async () => {
    const url = await cluster().newLog();
    const [home, lateHome] = [temporaryFolder('other'), temporaryFolder('late')];
    const [a, b, late] = await Promise.all([
      nodeHere({ url }),
      nodeHere({ url, home }),
      nodeHere({ url, home: lateHome }),
    ]);
    const { id } = await post<{ id: string }>(a, '/memory/add', { content: 'The xylophone4711 stands in the attic' });
    const knows = async ({ request }: NodeHere): Promise<boolean> => (await request(`/memory/${id}`)).ok;
    await until(async () => (await knows(b)) && (await knows(late)), 'all have it');
    await late.kill('SIGTERM');
    await post(a, '/memory/delete', { id });
    const holding = (folder: string) => filesWhere(folder, (bytes) => bytes.includes('xylophone4711'));
    await expect.poll(() => holding(home)).toEqual([]);
    expect(holding(lateHome)).not.toEqual([]);
    await nodeHere({ url, home: lateHome });
    await expect.poll(() => holding(lateHome)).toEqual([]);
  });

  it('two that get one idempotency key at once give one answer, and one thing comes of it', async () => {
    const all = await three(['anna', 'bert', 'carl']);
    const body = JSON.stringify({ title: 'Once' });
    const answers = await Promise.all(
      all.map(async (each) => {
        const answer = await each.request('/v1/goals', { method: 'POST', body, headers: KEY });
        return [answer.status, ((await answer.json()) as { id: string }).id];
      }),
    );
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]![0]).toBe(201);
    const late = await all[2]!.request('/v1/goals', { method: 'POST', body, headers: KEY });
    expect([late.status, ((await late.json()) as { id: string }).id]).toEqual(answers[0]);
    const { count } = await json<{ count: number }>(all[1]!, '/v1/goals');
    expect(count).toBe(1);
  });

  it('a stream of a run that is cut on one goes on at another, without a gap and without a repetition', async () => {
    const url = await cluster().newLog();
    const workspace = temporaryFolder('workspace');
    const both = await Promise.all([nodeDaemon({ url, workspace }), nodeDaemon({ url, workspace })]);
    const id = await startRun(both[0], 'Work.\nrehearse: slow 40');
    await until(async () => (await json<JobRecord>(both[0], `/jobs/${id}`)).node !== null, 'it is executed');
    const [a, b] = await byExecuting(both, id);
    const first = await readSome(await a.request(`/stream/${id}?after=0`), 5);
    await a.kill('SIGKILL');
    const rest = await allBytes(b.request, `/stream/${id}`, { 'last-event-id': lastId(first) });
    const whole = await allBytes(b.request, `/stream/${id}?after=0`);
    expect(rest.length).toBeGreaterThan(0);
    expect(Buffer.concat([wholeEvents(withoutKeepAlives(first)), rest]).toString()).toBe(whole.toString());
  });

  it('the stream of all events goes on at another, without a gap and without a repetition', async () => {
    const [a, b] = (await three(['anna', 'bert'])) as [NodeHere, NodeHere];
    for (let count = 0; count < 20; count += 1) await post(a, '/v1/goals', { title: `Goal ${count}` });
    const first = await readSome(await a.request('/v1/events/stream?after=0'), 7);
    const cut = wholeEvents(withoutKeepAlives(first));
    const last = Number(lastId(cut));
    await post(b, '/v1/goals', { title: 'The last one' });
    const head = await positionOf(b);
    const resumed = await b.request('/v1/events/stream', { headers: { 'last-event-id': String(last) } });
    const rest = wholeEvents(withoutKeepAlives(await readSome(resumed, head - last)));
    const ids = eventsOf(Buffer.concat([cut, rest])).map(({ id }) => Number(id));
    expect(ids.slice(0, head)).toEqual(Array.from({ length: head }, (_, index) => index + 1));
  });

  it('a pairing token of one is exchanged at another, once', async () => {
    const [a, b] = (await three(['anna', 'bert'], nodeDaemon)) as [NodeHere, NodeHere];
    const offer = await a.request('/pair');
    const { token } = (await offer.json()) as { token: string };
    const init = { method: 'POST', body: JSON.stringify({ token }) };
    const headers = { 'daybook-min-position': offer.headers.get('daybook-position') ?? '0' };
    const exchanged = await b.request('/pair', { ...init, headers });
    expect([exchanged.status, ((await exchanged.json()) as { token: string }).token]).toEqual([200, b.token]);
    expect((await b.request('/pair', init)).status).toBe(401);
    expect((await a.request('/pair', init)).status).toBe(401);
    const unknown = { method: 'POST', body: JSON.stringify({ token: 'f'.repeat(32) }) };
    expect((await b.request('/pair', unknown)).status).toBe(401);
  });

  it('an approval that one asks for is given at another', async () => {
    const url = await cluster().newLog();
    const workspace = temporaryFolder('workspace');
    const [a, b] = await Promise.all([nodeHere({ url, workspace }), nodeHere({ url, workspace })]);
    const body = { task: slowTool('one', 0), approval: 'suggest', interactive: true };
    const { session_id: id } = await post<{ session_id: string }>(a, '/agent', body);
    let pending: { id: string }[] = [];
    await until(async () => {
      pending = (await json<{ approvals: { id: string }[] }>(b, '/approvals')).approvals;
      return pending.length === 1;
    }, 'the approval is asked for');
    await post(b, `/approvals/${pending[0]!.id}`, { decision: 'allow_once' });
    expect(await untilEnded(b, id)).toBe('complete');
    expect(lines(workspace, 'one.txt')).toEqual(['began', 'ended']);
  });
});

/** Reads a stream until so many events came, and leaves. */
async function readSome(response: Response, events: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body!) {
    chunks.push(chunk);
    if (Buffer.concat(chunks).toString().split('\n\n').length > events) break;
  }
  return Buffer.concat(chunks);
}
