/**
 * `Idempotency-Key`: requests with one key and body are carried out once, whether they are repeated, concurrent, or
 * sent after a restart.
 */
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonHere, sharedDaemon, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { errorOf, inject, type Reply } from './wire.ts';

const daemon = sharedDaemon();
let keys = 0;

function freshKey(): string {
  keys += 1;
  return `key-${keys}`;
}

function post(target: string, body: unknown, key: string, at: TestDaemon = daemon): Promise<Reply> {
  const headers = { authorization: `Bearer ${at.token}`, 'idempotency-key': key };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return inject(at, target, { method: 'POST', headers, ...(body === undefined ? {} : { body: text }) });
}

const outcome = (reply: Reply) => ({ status: reply.status, type: reply.headers['content-type'], text: reply.text });

/** How many answers the log remembers. */
async function remembered(at: TestDaemon = daemon): Promise<number> {
  const page = await (await at.request('/v1/events?type=RequestAnswered&limit=5000')).json();
  return (page as { events: unknown[] }).events.length;
}

async function head(): Promise<number> {
  return ((await (await daemon.request('/v1/log/head')).json()) as { position: number }).position;
}

async function jobCount(at: TestDaemon = daemon): Promise<number> {
  return ((await (await at.request('/jobs')).json()) as unknown[]).length;
}

/** Follows a run to its end, so that the log stands still. */
async function settled(session: string): Promise<void> {
  await (await daemon.request(`/stream/${session}`)).text();
}

const CHAT = { messages: [{ role: 'user', content: 'hello' }] };

it('an answer of bytes is made again for the same body, and another body is 409', async () => {
  const key = freshKey();
  const first = await post('/embeddings/embed', { texts: ['once'] }, key);
  expect(first.status).toBe(200);
  expect(outcome(await post('/embeddings/embed', { texts: ['once'] }, key))).toEqual(outcome(first));
  expect((await post('/embeddings/embed', { texts: ['twice'] }, key)).status).toBe(409);
});

describe('the same key and body', () => {
  it.each<readonly [string, unknown]>([
    ['/api/tasks', { title: 'once' }],
    ['/memory/add', { content: 'Only ever once.' }],
    ['/collab/rooms', {}],
    ['/chat', CHAT],
    ['/chat/stream', CHAT],
  ])('POST %s is answered with the first answer and appends nothing', async (target, body) => {
    const key = freshKey();
    const first = await post(target, body, key);
    expect(first.status).toBeLessThan(300);
    const before = await head();
    for (let n = 0; n < 3; n += 1) expect(outcome(await post(target, body, key))).toEqual(outcome(first));
    expect(await head()).toBe(before);
  });

  it.each(['PATCH', 'DELETE'] as const)('%s is answered with the first answer and appends nothing', async (method) => {
    const made = await daemon.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title: freshKey() }) });
    const { id } = (await made.json()) as { id: string };
    const headers = { 'idempotency-key': freshKey() };
    const body = method === 'PATCH' ? { body: JSON.stringify({ title: freshKey() }) } : {};
    const send = () => daemon.request(`/v1/goals/${id}`, { method, headers, ...body });
    const first = await send();
    expect(first.ok).toBe(true);
    const before = await head();
    const second = await send();
    expect([second.status, await second.text()]).toEqual([first.status, await first.text()]);
    expect(await head()).toBe(before);
  });

  it('POST /agent starts one run', async () => {
    const key = freshKey();
    const before = await jobCount();
    const first = await post('/agent', { task: 'Say hello.' }, key);
    expect(outcome(await post('/agent', { task: 'Say hello.' }, key))).toEqual(outcome(first));
    expect(await jobCount()).toBe(before + 1);
    await settled((JSON.parse(first.text) as { session_id: string }).session_id);
  });

  it('cancel and fork answer as they did', async () => {
    const { session_id } = JSON.parse((await post('/agent', { task: 'Say hello.' }, freshKey())).text) as {
      session_id: string;
    };
    await settled(session_id);
    const twice = async (target: string, body?: object): Promise<string> => {
      const key = freshKey();
      const first = await post(target, body, key);
      expect(first.status).toBe(200);
      expect(outcome(await post(target, body, key))).toEqual(outcome(first));
      return first.text;
    };
    await twice(`/jobs/${session_id}/cancel`);
    const forked = JSON.parse(await twice(`/jobs/${session_id}/fork`, { step: 0 })) as { session_id: string };
    await settled(forked.session_id);
  });

  it('answers with what the views hold after it, and is appended in the commit of its events', async () => {
    const made = async (target: string, body: unknown): Promise<Record<string, { readonly id: string }>> => {
      const key = freshKey();
      const first = await post(target, body, key);
      expect([target, first.status < 300]).toEqual([target, true]);
      expect(outcome(await post(target, body, key))).toEqual(outcome(first));
      const { events } = (await (await daemon.request('/v1/events?limit=5000')).json()) as {
        events: { type: string; causation: string }[];
      };
      const answered = events.findLast(({ type }) => type === 'RequestAnswered')!;
      expect(events.filter(({ causation }) => causation === answered.causation).length).toBeGreaterThan(1);
      return JSON.parse(first.text);
    };
    const shown = async (target: string) => (await daemon.request(target)).json();
    const goal = `/v1/goals/${(await made('/v1/goals', { title: 'kept' })).id}`;
    const link = await made(`${goal}/link`, { kind: 'note', target_id: 'x' });
    expect(await shown(goal)).toMatchObject({ links: [link] });
    const { engagement } = await made('/engagements', { name: 'kept' });
    const at = `/engagements/${engagement!.id}`;
    const { deliverable } = await made(`${at}/deliverables`, { phase: 'build', key: ' k ', title: 'T' });
    await made(`${at}/deliverables/${deliverable!.id}/evidence`, { label: 'seen' });
    const { gate } = await made(`${at}/gates`, { phase: 'build', title: 'T', measurement: 'M' });
    const judged = await made(`${at}/gates/${gate!.id}/judge`, { verdict: 'pass', observed: 'it held' });
    expect(((await shown(`${at}/gates`)) as { gates: unknown[] }).gates.at(-1)).toEqual(judged.gate);
    const { outcome: advanced } = await made(`${at}/advance`, { force: true });
    expect(advanced).toMatchObject({ advanced: true, forced: true, to: 'prove' });
  });

  it('an answer that counts the events of its commit is appended with them', async () => {
    const keyed = async (method: 'POST' | 'DELETE', target: string, body?: object): Promise<unknown> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const reply = await daemon.request(target, { method, headers: { 'idempotency-key': freshKey() }, ...sent });
      const { events } = (await (await daemon.request('/v1/events?before=100000&limit=2')).json()) as {
        events: { type: string; causation: string }[];
      };
      expect(events[0]!.type).toBe('RequestAnswered');
      expect(events[0]!.causation).toBe(events[1]!.causation);
      return reply.json();
    };
    const made = async (target: string, body: object) =>
      (await daemon.request(target, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<{
        readonly id: string;
        readonly engagement: { readonly id: string };
      }>;
    const goal = await made('/v1/goals', { title: freshKey() });
    const pin = { method: 'PUT', body: JSON.stringify({ goal_id: goal.id }) };
    expect((await daemon.request('/v1/goals/current', pin)).status).toBe(200);
    expect(await keyed('DELETE', '/v1/goals/current')).toEqual({ workspace: null, removed: true });
    const workspace_path = temporaryFolder('scanned');
    writeFileSync(join(workspace_path, 'roadmap.md'), '# Roadmap\n');
    const at = `/engagements/${(await made('/engagements', { name: freshKey(), workspace_path })).engagement.id}`;
    expect(await keyed('POST', `${at}/scan`, { attach: true })).toMatchObject({ attached: 1 });
    const { gates } = (await (await daemon.request(`${at}/gates`)).json()) as { gates: { id: string }[] };
    await daemon.request(`${at}/gates/${gates[0]!.id}`, { method: 'DELETE' });
    expect(await keyed('POST', `${at}/seed`)).toEqual({ added: 1 });
  });

  it('means the same value: order of fields and white space do not count', async () => {
    const key = freshKey();
    const first = await post('/api/tasks', '{"title":"a","model":"m"}', key);
    expect(outcome(await post('/api/tasks', ' { "model" : "m", "title" : "\\u0061" } ', key))).toEqual(outcome(first));
  });

  it('at once, ten times, is one run', async () => {
    const key = freshKey();
    const before = await jobCount();
    const replies = await Promise.all(Array.from({ length: 10 }, () => post('/agent', { task: 'Say hello.' }, key)));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies.map((reply) => reply.status)).toEqual(Array(10).fill(200));
    expect(await jobCount()).toBe(before + 1);
  });

  it('at once over /chat/stream is one answer', async () => {
    const key = freshKey();
    const before = await remembered();
    const replies = await Promise.all([1, 2, 3].map(() => post('/chat/stream', CHAT, key)));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(replies[0]!.text).toContain('event: done\ndata: ');
    expect(await remembered()).toBe(before + 1);
  });

  it('after a restart is still the first answer', async () => {
    const key = freshKey();
    const one = await testDaemon();
    const task = await post('/api/tasks', { title: 'kept' }, key, one);
    const run = await post('/agent', { task: 'Say hello.' }, key, one);
    const talk = await post('/chat/stream', CHAT, key, one);
    await one.stop();
    const two = await daemonHere({ home: one.home, workspace: one.workspace });
    expect(outcome(await post('/api/tasks', { title: 'kept' }, key, two))).toEqual(outcome(task));
    expect(outcome(await post('/agent', { task: 'Say hello.' }, key, two))).toEqual(outcome(run));
    expect(outcome(await post('/chat/stream', CHAT, key, two))).toEqual(outcome(talk));
    expect(await jobCount(two)).toBe(1);
    expect((await post('/agent', { task: 'Say something else.' }, key, two)).status).toBe(409);
  });
});

describe('the same key with', () => {
  it.each<readonly [string, unknown, unknown]>([
    ['/agent', { task: 'a' }, { task: 'b' }],
    ['/agent', { task: 'a' }, { task: 'a', approval: 'full-auto' }],
    ['/api/tasks', { title: 'a' }, { title: 'b' }],
    ['/chat', CHAT, { messages: [] }],
    ['/chat/stream', CHAT, { messages: [] }],
  ])('another body is 409 at POST %s', async (target, body, other) => {
    const key = freshKey();
    expect((await post(target, body, key)).status).toBe(200);
    const reply = await post(target, other, key);
    expect(reply.status).toBe(409);
    errorOf(reply);
  });

  it('another path is another request', async () => {
    const key = freshKey();
    expect((await post('/api/tasks', { title: 'a' }, key)).status).toBe(200);
    expect((await post('/chat', CHAT, key)).status).toBe(200);
  });

  it('another query is another request: it names another thing', async () => {
    const made = await daemon.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title: freshKey() }) });
    const { id: goal_id } = (await made.json()) as { id: string };
    const headers = { 'idempotency-key': freshKey() };
    for (const workspace of ['/a', '/b']) {
      await daemon.request('/v1/goals/current', { method: 'PUT', body: JSON.stringify({ goal_id, workspace }) });
      const target = `/v1/goals/current?workspace=${workspace}`;
      for (const _time of ['first', 'again']) {
        const emptied = await daemon.request(target, { method: 'DELETE', headers });
        expect(await emptied.json()).toEqual({ workspace, removed: true });
      }
    }
  });
  it('another method is not keyed: PUT has its own idempotence', async () => {
    const headers = { authorization: `Bearer ${daemon.token}`, 'idempotency-key': freshKey() };
    const put = (temperature: number): Promise<Reply> =>
      inject(daemon, '/harness/profile?provider=openai', {
        method: 'PUT',
        headers,
        body: JSON.stringify({ temperature }),
      });
    expect((await put(0)).status).toBe(200);
    expect(JSON.parse((await put(1)).text)).toMatchObject({ effective: { temperature: 1 } });
  });

  it('another case is another key', async () => {
    const key = freshKey();
    const first = await post('/api/tasks', { title: 'a' }, key);
    expect((await post('/api/tasks', { title: 'a' }, key.toUpperCase())).text).not.toBe(first.text);
  });
});

describe('refusals', () => {
  it('are answers: the repeat gets the same', async () => {
    const key = freshKey();
    const body = { task: 'x', resume_session_id: 'nope' };
    const first = await post('/agent', body, key);
    expect(first.status).toBe(404);
    const answers = await remembered();
    expect(outcome(await post('/agent', body, key))).toEqual(outcome(first));
    expect(await remembered()).toBe(answers);
    expect((await post('/agent', { task: 'x' }, key)).status).toBe(409);
  });

  it('of an unreadable request are none: the key is still free', async () => {
    const key = freshKey();
    expect((await post('/agent', '{"task":', key)).status).toBe(400);
    expect((await post('/agent', { task: 1 }, key)).status).toBe(400);
    expect((await post('/api/tasks', { title: 'a' }, key)).status).toBe(200);
  });

  it('without a credential neither use nor learn a key', async () => {
    const key = freshKey();
    const stranger = (): Promise<Reply> =>
      inject(daemon, '/api/tasks', { method: 'POST', headers: { 'idempotency-key': key }, body: '{"title":"a"}' });
    expect((await stranger()).status).toBe(401);
    expect((await post('/api/tasks', { title: 'a' }, key)).status).toBe(200);
    expect((await stranger()).status).toBe(401);
  });
});

it.each(['/chat', '/chat/stream'])('a provider that fails is asked again by a repeat of POST %s', async (target) => {
  let asked = 0;
  const provider = createServer((_request, response) => {
    asked += 1;
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
  });
  const base = `http://127.0.0.1:${await listening(provider)}/v1`;
  const env = { DAYBOOK_PROVIDER: 'openai', OPENAI_API_KEY: 'k', OPENAI_BASE_URL: base };
  const other = await testDaemon({ env });
  try {
    const key = freshKey();
    for (const times of [1, 2]) {
      const reply = await post(target, CHAT, key, other);
      expect(reply.status === 500 || reply.text.startsWith('event: error\ndata: ')).toBe(true);
      expect(asked).toBe(times);
    }
    expect(await remembered(other)).toBe(0);
  } finally {
    await other.stop();
    provider.close();
  }
});

describe('keys and bodies at the edge', () => {
  it.each([
    ['1 character', 'k', 200],
    ['255 characters', 'k'.repeat(255), 200],
    ['256 characters', 'k'.repeat(256), 400],
    ['8 000 characters', 'k'.repeat(8_000), 400],
    ['blanks only', '   ', 400],
    ['nothing', '', 400],
    ['odd signs', `"'\\{}/;,<>?`, 200],
  ])('a key of %s is %s', async (_name, key, status) => {
    const reply = await post('/api/tasks', { title: 'edge' }, key);
    expect(reply.status).toBe(status);
    if (status === 400) errorOf(reply);
  });

  it.each([
    [255, 200],
    [256, 400],
  ])('a key of %i characters that are several bytes each is %i', async (length, status) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    // Header fields are bytes, which Node has as Latin-1.
    const key = Buffer.from('😀'.repeat(length)).toString('latin1');
    const headers = { authorization: `Bearer ${daemon.token}`, 'idempotency-key': key };
    const sent = request(`${daemon.url}/api/tasks`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    // With a body as text, Node would write the header in the encoding of the body.
    sent.on('error', reject).end(Buffer.from(JSON.stringify({ title: 'edge' })));
    expect(await promise).toBe(status);
  });
});
