/**
 * The socket whose client carries out tool calls of a session: the checks of a connection, and the effects of a
 * disconnection.
 */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { callsTool, says } from '../fakes/providers/server.ts';
import { ended } from '../run/approval-support.ts';
import { sharedBench } from '../run/support.ts';
import { until } from '../support/until.ts';

const on = sharedBench();
let sessions = 0;

interface Frame {
  readonly type: string;
  readonly call_id: string;
  readonly name: string;
  readonly input: unknown;
}

function connect(session: string, names: string, token = on.daemon.token): WebSocket {
  const url = `${on.daemon.url.replace('http', 'ws')}/acp/v1/sessions/${session}/tools?names=${names}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  // A refused handshake that is hung up on is an error event; the tests look at its status.
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return socket;
}

/** A client that the daemon has accepted, and the frames that it got since. */
async function client(session: string, names: string): Promise<{ socket: WebSocket; frames: Frame[] }> {
  const socket = connect(session, names);
  const frames: Frame[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
  await until(async () => (frames.length > 0 ? true : undefined));
  expect(frames.shift()).toEqual({ type: 'ready' });
  return { socket, frames };
}

function newId(): string {
  sessions += 1;
  return sessions.toString(16).padStart(32, '0');
}
const start = (session_id: string) => on.start({ task: 'read', approval: 'full-auto', session_id });
const readsFile = callsTool({ name: 'read_file', input: { path: 'delegated.txt' } });
const lastTool = (): string =>
  JSON.stringify(
    (on.provider.requests.at(-1)!.body.messages as { role: string }[]).filter(({ role }) => role === 'tool').at(-1),
  );

it.each([
  ['another token', 'a'.repeat(32), 'read_file', 'wrong', 401],
  ['a session id that is none', 'nonsense', 'read_file', undefined, 404],
  ['no tools', 'a'.repeat(32), '', undefined, 400],
  ['a tool that does not exist', 'a'.repeat(32), 'read_file,fly', undefined, 400],
])('a handshake with %s is refused', async (_name, session, names, token, status) => {
  const socket = connect(session, names, token);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(status);
});

describe('tools that a client brings', () => {
  const tool = (name: string) => ({ name, description: 'brought', input_schema: { type: 'object' } });

  async function bring(frame: object | string): Promise<{ socket: WebSocket; frames: Frame[]; session: string }> {
    const session = newId();
    const socket = connect(session, '&brings=tools');
    const frames: Frame[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data)) as Frame));
    await once(socket, 'open');
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    return { socket, frames, session };
  }

  it.each([
    ['a name of the daemon’s own', [tool('read_file')]],
    ['a name that no model can use', [tool('mcp__a b')]],
    ['a name twice', [tool('mcp__a__b'), tool('mcp__a__b')]],
    ['more than 128', Array.from({ length: 129 }, (_, index) => tool(`mcp__a__${index}`))],
    ['more than 256 KiB', [{ ...tool('mcp__a__b'), description: 'x'.repeat(262_144) }]],
    ['half a character', [{ ...tool('mcp__a__b'), description: '\ud800' }]],
  ])('with %s are refused', async (_name, tools) => {
    const { socket } = await bring({ type: 'tools', tools });
    expect((await once(socket, 'close'))[0]).toBe(1008);
  });

  it('with a schema too deep to read are refused', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const text = JSON.stringify({ type: 'tools', tools: [tool('mcp__a__b')] }).replace('"object"', () => deep);
    expect((await once((await bring(text)).socket, 'close'))[0]).toBe(1008);
  });

  it('are in the runs of their session, and gone with the client', async () => {
    const { socket, frames, session } = await bring({ type: 'tools', tools: [tool('mcp__a__b')] });
    await until(async () => (frames.length > 0 ? true : undefined));
    const calls = callsTool({ name: 'mcp__a__b', input: { x: 1 } });
    on.provider.script(calls, calls, says('ok'));
    await start(session);
    const call = await until(async () => frames[1]);
    expect(call).toMatchObject({ type: 'call', name: 'mcp__a__b', input: { x: 1 } });
    socket.terminate();
    expect(await ended(on, session)).toMatchObject({ status: 'complete' });
    expect(lastTool()).toContain('The editor that brought this tool is gone; the call was not made.');
    on.provider.script(says('alone'));
    await on.start({ task: 'again', resume_session_id: session });
    await until(async () => ((await on.job(session)).summary === 'alone' ? true : undefined));
    expect(JSON.stringify(on.provider.requests.at(-1)!.body.tools)).not.toContain('mcp__a__b');
  });
});

describe('a delegated call', () => {
  it('is carried out by the client, and the model reads its answer', async () => {
    const id = newId();
    const { socket, frames } = await client(id, 'read_file');
    on.provider.script(readsFile, says('ok'));
    await start(id);
    const call = await until(async () => frames[0]);
    expect(call).toMatchObject({
      type: 'call',
      name: 'read_file',
      input: { path: 'delegated.txt' },
      workspace: on.daemon.workspace,
    });
    const answer = { success: true, output: 'from far away', files_modified: [] };
    socket.send(JSON.stringify({ type: 'result', call_id: 'another', ...answer, output: 'not this' }));
    socket.send(JSON.stringify({ type: 'result', call_id: call.call_id, ...answer }));
    expect(await ended(on, id)).toMatchObject({ status: 'complete' });
    expect(lastTool()).toContain('from far away');
  });
  it('is cut to what any tool may answer', async () => {
    const id = newId();
    const { socket, frames } = await client(id, 'read_file');
    on.provider.script(readsFile, says('ok'));
    await start(id);
    const { call_id } = await until(async () => frames[0]);
    socket.send(
      JSON.stringify({ type: 'result', call_id, success: true, output: 'x'.repeat(500_000), files_modified: [] }),
    );
    await ended(on, id);
    expect(lastTool().length).toBeLessThan(40_000);
  });
  it('fails when its client disconnects, and the daemon runs the next one', async () => {
    const id = newId();
    const { socket, frames } = await client(id, 'read_file');
    on.provider.script(readsFile, callsTool({ name: 'bash', input: { command: 'echo here' } }), readsFile, says('ok'));
    await start(id);
    await until(async () => frames[0]);
    socket.terminate();
    expect(await ended(on, id)).toMatchObject({ status: 'complete', steps_completed: 3 });
    const tools = JSON.stringify(on.provider.requests.at(-1)!.body.messages);
    expect(tools).toContain('is gone');
    expect(tools).toContain('does not exist');
  });
  it.each([['no JSON'], ['{"type":"result"}'], ['{"type":"call","call_id":"x"}']])(
    'ends with a client that sends %s',
    async (frame) => {
      const id = newId();
      const { socket, frames } = await client(id, 'read_file');
      on.provider.script(readsFile, says('ok'));
      await start(id);
      await until(async () => frames[0]);
      socket.send(frame);
      const [code] = (await once(socket, 'close')) as [number];
      expect(code).toBe(1008);
      expect(await ended(on, id)).toMatchObject({ status: 'complete' });
    },
  );
  it('is cancelled when its run is cancelled', async () => {
    const id = newId();
    const { frames } = await client(id, 'read_file');
    on.provider.script(readsFile);
    await start(id);
    const { call_id } = await until(async () => frames[0]);
    await on.daemon.request(`/jobs/${id}/cancel`, { method: 'POST' });
    expect(await until(async () => frames[1])).toEqual({ type: 'cancel', call_id });
  });
  it('goes to the newest client of its session, and to none of another’s', async () => {
    const id = newId();
    const [first, other] = [await client(id, 'read_file'), await client(newId(), 'read_file')];
    const second = await client(id, 'read_file');
    on.provider.script(readsFile, says('ok'));
    await start(id);
    const { call_id } = await until(async () => second.frames[0]);
    second.socket.send(
      JSON.stringify({ type: 'result', call_id, success: true, output: 'second', files_modified: [] }),
    );
    await ended(on, id);
    expect([first.frames, other.frames]).toEqual([[], []]);
  });
});

it('a session id of the caller’s choice is used once, and must look like one', async () => {
  const id = newId();
  on.provider.script(says('x'));
  expect(await start(id)).toBe(id);
  const again = await on.daemon.request('/agent', {
    method: 'POST',
    body: JSON.stringify({ task: 't', session_id: id }),
  });
  expect(again.status).toBe(409);
  for (const session_id of ['', 'ABC', 'f'.repeat(31), `${'f'.repeat(31)}/`, 5]) {
    const bad = await on.daemon.request('/agent', {
      method: 'POST',
      body: JSON.stringify({ task: 't', session_id }),
    });
    expect(bad.status).toBe(400);
    expect(((await bad.json()) as { error: string }).error).toContain('session_id');
  }
});
