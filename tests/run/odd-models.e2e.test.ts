/** Providers that cut characters, write unusual numbers, stop answering or redirect: runs and chats continue. */
import { Agent, createServer, request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/run/agent-event.ts';
import { callsTool, hangs, rateLimits, says, slowly } from '../fakes/providers/server.ts';
import { listening } from '../support/ports.ts';
import { benchHere, sharedBench } from './support.ts';

const CHAT = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });

const text = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'chunk' ? event.content : '')).join('');

/** The beginning of a stream, up to these words. */
async function readUntil(response: Response, words: string): Promise<string> {
  let seen = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    seen += chunk;
    if (seen.includes(words)) break;
  }
  return seen;
}

describe.each(['openai', 'anthropic'] as const)('a run over the %s wire format', (kind) => {
  const on = sharedBench(kind);

  it('joins a character that was cut in two', async () => {
    on.provider.script(says('done \ud83c', '\udf89'));
    const seen = await on.events(await on.start({ task: 'x' }));
    expect(text(seen)).toBe('done 🎉');
    expect(seen.at(-1)).toEqual({ type: 'complete', content: 'done 🎉' });
  });

  it('continues after a tool input that cannot be recorded, and tells the model', async () => {
    on.provider.script(
      callsTool({ name: 'list_directory', input: '{"path":1e400}' }),
      callsTool({ name: 'list_directory', input: '{"path":"\\ud83c"}' }),
      says('end'),
    );
    const seen = await on.events(await on.start({ task: 'x' }));
    expect(seen.filter((event) => event.type === 'step')).toMatchObject([{ success: false }, { success: false }]);
    expect(seen.at(-1)).toEqual({ type: 'complete', content: 'end' });
    expect(JSON.stringify(on.provider.requests[1]!.body)).toContain(
      'The input of list_directory is not a JSON object.',
    );
  });

  it('asks the model to go on with an answer that its limit of tokens cut off', async () => {
    on.provider.script({ kind: 'answer', text: ['This is ha'], finish: 'length' }, says('lf of it.'));
    const seen = await on.events(await on.start({ task: 'x' }));
    const told = seen.filter(({ type }) => type === 'system');
    expect(told).toMatchObject([{ content: expect.stringContaining('asked to go on (1 of 3)') }]);
    expect(text(seen)).toBe('This is half of it.');
    expect(seen.at(-1)).toEqual({ type: 'complete', content: 'This is half of it.' });
    expect(JSON.stringify(on.provider.requests[1]!.body)).toContain('Go on exactly where it stopped');
  });

  it('does not send back a text of nothing but white space, which Anthropic refuses', async () => {
    on.provider.script({ kind: 'answer', text: ['\n\n'], calls: [{ name: 'list_directory', input: {} }] }, says('end'));
    await on.events(await on.start({ task: 'x' }));
    const said = on.provider.requests[1]!.body.messages.find(({ role }: { role: string }) => role === 'assistant');
    expect(JSON.stringify(said)).toContain('list_directory');
    expect(JSON.stringify(said)).not.toContain('\\n');
  });
});

it('a model that writes a long call in prose slowly is alive', async () => {
  const { provider, start, events, daemon } = await benchHere('openai', { DAYBOOK_MODEL_STALL_SECONDS: '1' });
  const body = JSON.stringify({ tool_transport: 'prose' });
  await daemon.request('/harness/profile?provider=openai', { method: 'PUT', body });
  const written = { name: 'write_file', input: { path: 'long.txt', content: 'line of text\n'.repeat(12) } };
  const call = `<tool_call>\n${JSON.stringify(written)}\n</tool_call>`;
  provider.script(slowly(100, ...(call.match(/[\s\S]{1,16}/g) ?? [])), says('written'));
  const seen = await events(await start({ task: 'x', approval: 'auto-edit' }));
  expect(seen.map(({ type }) => type)).toEqual(['step', 'chunk', 'complete']);
});

it('a run waits for hours when the provider asks for that, says so, and lets other runs go on', async () => {
  const { provider, start, events, job, daemon } = await benchHere('openai', { DAYBOOK_RUNS_MAX: '1' });
  provider.script(rateLimits(7_200), says('the other one'));
  const waiting = await start({ task: 'x' });
  const told = await readUntil(await daemon.request(`/stream/${waiting}`), 'called again at');
  expect(told).toMatch(/"type":"retry".*"backoff_ms":60000/);
  expect(told).toContain('The provider asks for a longer wait: the model is called again at 20');
  const other = await start({ task: 'y' });
  expect((await events(other)).at(-1)).toEqual({ type: 'complete', content: 'the other one' });
  expect(await job(waiting)).toMatchObject({ status: 'running' });
  await daemon.request(`/jobs/${waiting}/cancel`, { method: 'POST' });
  expect(await job(waiting)).toMatchObject({ status: 'cancelled' });
  expect(provider.requests).toHaveLength(2);
});

it('a key does not follow a redirect to another address', async () => {
  const keys: (string | undefined)[] = [];
  const elsewhere = createServer((request, response) => {
    keys.push(request.headers['x-api-key'] as string | undefined);
    response.writeHead(400).end();
  });
  const location = `http://127.0.0.1:${await listening(elsewhere)}/v1/messages`;
  let asked = 0;
  const named = createServer((_, response) => {
    asked += 1;
    response.writeHead(307, { location: `${location}?code=1` }).end();
  });
  const { daemon } = await benchHere('anthropic', { ANTHROPIC_BASE_URL: `http://127.0.0.1:${await listening(named)}` });
  const answer = await daemon.request('/chat', { method: 'POST', body: CHAT });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    {
      error:
        `LLM provider error: Anthropic redirects to ${location} (307), which is not followed: ` +
        'set ANTHROPIC_BASE_URL to the final address.',
    },
  ]);
  expect([keys, asked]).toEqual([[], 1]);
  elsewhere.close();
  named.close();
});

it('a resumed session continues in its own folder and keeps its original task', async () => {
  const { provider, start, events, job, daemon } = await benchHere();
  const workspace_root = `${daemon.workspace}/inner`;
  provider.script(callsTool({ name: 'write_file', input: { path: 'inner/a.txt', content: '1' } }), says('made'));
  await events(await start({ task: 'make the folder', approval: 'auto-edit' }));
  provider.script(says('first'));
  const id = await start({ task: 'the original', workspace_root });
  await events(id);
  provider.script(callsTool({ name: 'write_file', input: { path: 'b.txt', content: '2' } }), says('second'));
  await start({ task: 'go on', approval: 'auto-edit', resume_session_id: id });
  await events(id);
  expect(await job(id)).toMatchObject({
    task: 'the original',
    workspace: workspace_root,
    summary: 'second',
    files_modified: ['b.txt'],
  });
  provider.script(says('third'));
  await start({ task: 'and here', resume_session_id: id, workspace_root: daemon.workspace });
  await events(id);
  expect(await job(id)).toMatchObject({ workspace: daemon.workspace, summary: 'third' });
  provider.script(says('fourth'));
  await start({ task: 'back', resume_session_id: id, workspace_root: '', cwd: workspace_root });
  await events(id);
  expect(await job(id)).toMatchObject({ workspace: workspace_root, summary: 'fourth' });
  provider.script(says('fifth'));
  await start({ task: 'an empty folder names none', resume_session_id: id, workspace_root: '' });
  await events(id);
  expect(await job(id)).toMatchObject({ workspace: workspace_root, summary: 'fifth' });
});

describe('a chat', () => {
  it('is not kept waiting by a provider that only sends keep-alives', async () => {
    const { provider, daemon } = await benchHere('anthropic', { DAYBOOK_MODEL_STALL_SECONDS: '0.2' });
    // A busy machine repeats a request whose answer has not begun in time.
    provider.script(() => hangs('Hello'));
    const whole = await daemon.request('/chat', { method: 'POST', body: CHAT });
    expect(whole.status).toBe(500);
    expect(await whole.json()).toEqual({ error: expect.stringMatching(/^Stream error: The model sent nothing/) });
    await provider.requests.at(-1)!.abandoned;
    const streamed = await (await daemon.request('/chat/stream', { method: 'POST', body: CHAT })).text();
    expect(streamed).toMatch(/^data: Hello\n\nevent: error\ndata: Stream error: The model sent nothing[^\n]+\n\n$/);
  });

  it('leaves nothing behind on a connection that carries many of them', async () => {
    const { provider, daemon } = await benchHere();
    const warnings: Error[] = [];
    const listen = (warning: Error): number => warnings.push(warning);
    process.on('warning', listen);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let turn = 0; turn < 12; turn += 1) {
      provider.script(says('ok'));
      const headers = { authorization: `Bearer ${daemon.token}` };
      await new Promise<void>((done, failed) => {
        const asked = httpRequest(`${daemon.url}/chat`, { method: 'POST', headers, agent }, (response) => {
          response.resume().once('end', done);
        });
        asked.once('error', failed).end(CHAT);
      });
    }
    agent.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([]);
  });
});
