/** MCP over Streamable HTTP at `/mcp`, with the client of the MCP SDK and without one. */
import { Client, LATEST_PROTOCOL_VERSION, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MCP_PROTOCOL_VERSION, OWN_MCP_TOOLS, type OwnMcpTool } from '../../src/live/mcp/tool-names.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import { answer, waiting } from '../run/approval-support.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';

const daemon = sharedDaemon();

/** `cut`: when it aborts, the connections that are open then are cut. */
async function connected({ mode = 'legacy', cut }: { mode?: 'auto' | 'legacy'; cut?: AbortSignal } = {}) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const resumed: string[] = [];
  const cuttable: typeof fetch = (input, init = {}) => {
    const last = new Headers(init.headers).get('last-event-id');
    if (last !== null) resumed.push(last);
    return fetch(input, cut === undefined || cut.aborted ? init : { ...init, signal: anySignal(cut, init.signal) });
  };
  const requestInit = { headers: { authorization: `Bearer ${daemon.token}` } };
  const url = new URL(`${daemon.url}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch: cuttable });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, resumed };
}

function anySignal(cut: AbortSignal, signal: AbortSignal | null | undefined): AbortSignal {
  return AbortSignal.any(signal == null ? [cut] : [cut, signal]);
}

async function call(client: Client, name: OwnMcpTool, input: Record<string, unknown>) {
  const { isError = false, content } = await client.callTool({ name, arguments: input });
  const [first] = content;
  return { isError, text: first?.type === 'text' ? first.text : '' };
}

async function started(client: Client, task: string): Promise<string> {
  const { text } = await call(client, 'run_start', { task });
  return (JSON.parse(text) as { session_id: string }).session_id;
}

describe.each(['legacy', 'auto'] as const)('a client of the SDK (%s)', (mode) => {
  it('lists the tools that the card names', async () => {
    const { client } = await connected({ mode });
    const { tools } = await client.listTools();
    const listed = tools.map(({ name, description }) => ({ name, description }));
    const card = await (await fetch(`${daemon.url}/.well-known/mcp.json`)).json();
    expect(card).toMatchObject({ tools: listed, transports: ['stdio', 'streamable_http'], endpoint: '/mcp' });
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(OWN_MCP_TOOLS));
  });

  it('calls each tool', async () => {
    const { client } = await connected({ mode });
    const session_id = await started(client, 'Say hello.');
    expect(JSON.parse((await call(client, 'job_wait', { session_id })).text)).toMatchObject({ status: 'complete' });
    expect(JSON.parse((await call(client, 'job_read', { session_id })).text)).toMatchObject({ task: 'Say hello.' });
    expect((await call(client, 'jobs_list', {})).text).toContain(session_id);
    await call(client, 'memory_add', { content: `The ferry of ${mode} leaves at nine` });
    expect((await call(client, 'memory_query', { query: `the ferry of ${mode}` })).text).toContain('at nine');
    await daemon.request('/v1/goals', { method: 'POST', body: JSON.stringify({ title: `Learn ${mode}` }) });
    expect((await call(client, 'goals_list', { status: 'active' })).text).toContain(`Learn ${mode}`);
  });

  it('is told what the daemon refuses, and what is wrong with a call', async () => {
    const { client } = await connected({ mode });
    expect(await call(client, 'job_read', { session_id: 'none' })).toEqual({
      isError: true,
      text: "Job 'none' not found",
    });
    const wrong = await call(client, 'job_read', { session_id: 7 });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('must be a string')]);
  });

  it('sees the progress of a run that it waits for', async () => {
    const { client } = await connected({ mode });
    const { session_id, allow } = await runThatAsks();
    const seen: Seen[] = [];
    const job = waited(client, { session_id, seen });
    await until(async () => seen[0]);
    await allow();
    expect(await job).toMatchObject({ status: 'complete' });
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, index) => index + 1));
    expect(seen.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^Step \d: write_file is done$/));
  });
});

it('a call without a session ends when its client disconnects before the answer', async () => {
  const { client } = await connected({ mode: 'auto' });
  const { session_id, allow } = await runThatAsks();
  const requests = vi.spyOn(daemon.app, 'inject');
  onTestFinished(() => requests.mockRestore());
  const gone = new AbortController();
  const request = { name: 'job_wait', arguments: { session_id } };
  const refused = expect(client.callTool(request, { signal: gone.signal })).rejects.toThrow();
  // The tool reads the run before it waits, and after.
  await expect.poll(() => requests.mock.calls.length).toBe(1);
  gone.abort();
  await refused;
  await expect.poll(() => requests.mock.calls.length).toBe(2);
  await allow();
});

interface Seen {
  readonly progress: number;
  readonly message?: string | undefined;
}

/** A run that waits for an approval until `allow` is called. */
async function runThatAsks() {
  const body = JSON.stringify({ task: 'write notes.md with hello', approval: 'suggest', interactive: true });
  const { session_id } = (await (await daemon.request('/agent', { method: 'POST', body })).json()) as {
    session_id: string;
  };
  const { id } = await waiting({ daemon }, session_id);
  return { session_id, allow: () => answer({ daemon }, id, { decision: 'allow_run' }) };
}

async function waited(client: Client, { session_id, seen }: { readonly session_id: string; readonly seen: Seen[] }) {
  const request = { name: 'job_wait', arguments: { session_id } };
  const { content } = await client.callTool(request, { onprogress: (progress) => void seen.push(progress) });
  return JSON.parse((content[0] as { text: string }).text) as unknown;
}

describe('a session', () => {
  it('goes on after a cut: what was sent meanwhile comes once, in order', async () => {
    const cut = new AbortController();
    const { client, resumed } = await connected({ cut: cut.signal });
    const { session_id, allow } = await runThatAsks();
    const seen: Seen[] = [];
    const job = waited(client, { session_id, seen });
    await until(async () => seen[0]);
    cut.abort();
    await allow();
    expect(await job).toMatchObject({ status: 'complete' });
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, index) => index + 1));
    expect(resumed.length).toBeGreaterThan(0);
  });

  it('ends when it is deleted; then and before it began it is unknown', async () => {
    const { client, transport } = await connected();
    const id = transport.sessionId!;
    expect(await status({ 'mcp-session-id': id })).toBe(200);
    await transport.terminateSession();
    expect(await status({ 'mcp-session-id': id })).toBe(404);
    expect(await status({ 'mcp-session-id': 'never' })).toBe(404);
    expect(await status({})).toBe(400);
    await client.close();
  });

  it('refuses a revision that it does not speak, and negotiates one for a client that asks for another', async () => {
    const { transport } = await connected();
    const id = transport.sessionId!;
    expect(await status({ 'mcp-session-id': id, 'mcp-protocol-version': '1999-01-01' })).toBe(400);
    const { protocolVersion: asked } = await initialized('2024-11-05');
    expect(asked).toBe('2024-11-05');
    expect((await initialized('1999-01-01')).protocolVersion).toBe(LATEST_PROTOCOL_VERSION);
  });

  it('is refused without its credential, and to pages of others', async () => {
    const init = { method: 'POST', body: LIST };
    const challenged = async (headers: Record<string, string>): Promise<unknown> => {
      const { status, headers: told } = await fetch(`${daemon.url}/mcp`, { ...init, headers });
      return [status, told.get('www-authenticate')];
    };
    expect(await challenged({})).toEqual([401, 'Bearer realm="daybook"']);
    expect(await challenged({ authorization: 'Bearer wrong' })).toEqual([
      401,
      'Bearer realm="daybook", error="invalid_token"',
    ]);
    expect((await daemon.request('/mcp', { ...init, headers: { origin: 'http://evil.example' } })).status).toBe(403);
    const allowed = await daemon.request('/mcp', { ...init, headers: { origin: 'http://localhost', ...HEADERS } });
    expect(allowed.status).toBe(400);
    expect(allowed.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
  });

  it('takes messages of JSON-RPC only', async () => {
    const reply = await daemon.request('/mcp', { method: 'POST', headers: HEADERS, body: '{"hello":1}' });
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: 'Invalid body: must be a message of JSON-RPC 2.0 or an array of them' },
    ]);
  });
});

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

async function status(headers: Record<string, string>): Promise<number> {
  const reply = await daemon.request('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body: LIST });
  await reply.text();
  return reply.status;
}

async function initialized(protocolVersion: string): Promise<{ readonly protocolVersion: string }> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const events = await readSse(await daemon.request('/mcp', { method: 'POST', headers: HEADERS, body }));
  return (JSON.parse(events.at(-1)!.data) as { result: { protocolVersion: string } }).result;
}

it('the card names the newest revision with sessions that the library speaks', () => {
  expect(MCP_PROTOCOL_VERSION).toBe(LATEST_PROTOCOL_VERSION);
});
