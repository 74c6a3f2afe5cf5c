/** Sessions of MCP over Streamable HTTP: their number, and when one ends by itself. */
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { McpSessions } from '../../src/live/mcp/sessions.ts';
import type { DaemonAccess } from '../../src/live/mcp/tools.ts';

const SESSIONS_MAX = 64;
const HALF_AN_HOUR = 30 * 60_000;

/** Its runs end when they are no longer waited for. */
const daemon: DaemonAccess = {
  request: async () => ({}),
  async *runEvents(_id, signal) {
    if (!signal.aborted) await once(signal, 'abort');
    yield* [];
  },
};
const WAIT = { session_id: 'a' };
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function sessions() {
  let now = 1_000_000;
  const held = new McpSessions({ clock: { now: () => now }, version: '0' });
  onTestFinished(() => held.close());
  const ask = (method: 'GET' | 'POST' | 'DELETE', id: string | null, body?: object): Promise<Response> => {
    const headers = { ...HEADERS, ...(id === null ? {} : { 'mcp-session-id': id }) };
    return held.handle({ request: new Request('http://daybook/mcp', { method, headers }), body, daemon });
  };
  return {
    held,
    ask,
    /** The id of a new session. */
    async open(): Promise<string> {
      const response = await ask('POST', null, INITIALIZE);
      await response.text();
      return response.headers.get('mcp-session-id')!;
    },
    list: (id: string) => ask('POST', id, { jsonrpc: '2.0', id: 2, method: 'tools/list' }).then((each) => each.text()),
    pass(ms: number): void {
      now += ms;
    },
  };
}

const GOING_DOWN = 'The daemon is going down.';
const GONE = 'There is no such MCP session: it has ended.';

it('one that was unused for half an hour ends; a use or an open stream keeps it', async () => {
  const { open, ask, list, pass } = sessions();
  const [unused, used, listening] = [await open(), await open(), await open()];
  const stream = await ask('GET', listening);
  pass(HALF_AN_HOUR - 1);
  await list(used);
  pass(2);
  await list(used);
  await expect(list(unused)).rejects.toThrow(GONE);
  await list(listening);
  await stream.body!.cancel();
  pass(HALF_AN_HOUR + 1);
  await expect(list(listening)).rejects.toThrow(GONE);
});

it('a call that its client cancels is answered, so that its stream ends and the session is unused', async () => {
  const { open, ask, list, pass } = sessions();
  const id = await open();
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'job_wait', arguments: WAIT } };
  const waiting = await ask('POST', id, call);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
  expect((await ask('POST', id, cancel)).status).toBe(202);
  const [answer] = [...(await waiting.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
  expect(answer).toEqual({ jsonrpc: '2.0', id: 3, error: { code: -32_800, message: 'The request was cancelled.' } });
  // The request has ended: nothing more is sent.
  expect((await ask('POST', id, cancel)).status).toBe(202);
  pass(HALF_AN_HOUR + 1);
  await expect(list(id)).rejects.toThrow(GONE);
});

it('a call without a session that the daemon does not answer before it stops is refused', async () => {
  const { held } = sessions();
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': 'job_wait' };
  const request = new Request('http://daybook/mcp', { method: 'POST', headers: { ...HEADERS, ...headers } });
  const params = { name: 'job_wait', arguments: WAIT, _meta };
  const waiting = Promise.withResolvers<void>();
  const runEvents: DaemonAccess['runEvents'] = (id, signal) => {
    waiting.resolve();
    return daemon.runEvents(id, signal);
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const refused = expect(held.handle({ request, body, daemon: { ...daemon, runEvents } })).rejects.toThrow(GOING_DOWN);
  await waiting.promise;
  await held.close();
  await refused;
});

it('where there is no room for another, the one that was unused for longest ends', async () => {
  const { open, list, pass } = sessions();
  const ids: string[] = [];
  for (let count = 0; count < SESSIONS_MAX; count += 1) {
    ids.push(await open());
    pass(1);
  }
  await list(ids[0]!);
  ids.push(await open());
  await list(ids[0]!);
  await list(ids.at(-1)!);
  await expect(list(ids[1]!)).rejects.toThrow(GONE);
});

it('a request that opens no session ends none', async () => {
  const { open, ask, list, held, pass } = sessions();
  const oldest = await open();
  for (let count = 1; count < SESSIONS_MAX; count += 1) {
    pass(1);
    await open();
  }
  const withoutSession = await ask('POST', null, { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://daybook/mcp', { method: 'POST', headers });
  const notAcceptable = await held.handle({ request, body: INITIALIZE, daemon });
  expect([withoutSession.status, notAcceptable.status]).toEqual([400, 406]);
  expect(await list(oldest)).toContain('"tools"');
});

it('another one is refused while all are in use', async () => {
  const { open, ask } = sessions();
  for (let count = 0; count < SESSIONS_MAX; count += 1) await ask('GET', await open());
  await expect(open()).rejects.toThrow('There are 64 MCP sessions already.');
});

it('all end with the daemon, and their streams; nobody new is served', async () => {
  const { open, ask, held } = sessions();
  const id = await open();
  const stream = await ask('GET', id);
  await held.close();
  expect(await stream.text()).toBe('');
  await expect(open()).rejects.toThrow('The daemon is going down.');
});

it('one that is deleted ends, and so does its stream', async () => {
  const { open, ask, list } = sessions();
  const id = await open();
  const stream = await ask('GET', id);
  expect((await ask('DELETE', id)).status).toBe(200);
  expect(await stream.text()).toBe('');
  await expect(list(id)).rejects.toThrow(GONE);
});
