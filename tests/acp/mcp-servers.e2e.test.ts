/** MCP servers of an editor: their tools in the runs of a session, approvals of their calls, and how they end. */
import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type McpServer, methods } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { carrying, TOOL_VARIABLE, WATCHDOG_VARIABLE } from '../../src/integrations/tools/marker.ts';
import { callsTool, says } from '../fakes/providers/server.ts';
import { sharedBench } from '../run/support.ts';
import { until } from '../support/until.ts';
import { type Editor, openEditor } from './editor.ts';

const on = sharedBench();
let editor: Editor;
beforeAll(async () => {
  editor = await openEditor({ home: on.daemon.home, env: { SECRET_OF_THE_EDITOR: 'not for servers' } });
});
beforeEach(() => editor.forget());
afterAll(() => editor.close());

const program = (name: string): string => resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

function everything(env: McpServerEnv): McpServer {
  return { name: 'everything', command: process.execPath, args: [program('everything'), 'stdio'], env };
}
type McpServerEnv = { name: string; value: string }[];

function filesystem(): McpServer {
  return { name: 'files', command: process.execPath, args: [program('filesystem'), on.daemon.workspace], env: [] };
}

/** A server with one tool, which does this when it is called. */
function serverWith(name: string, tool: string, called: string, env: McpServerEnv = []): McpServer {
  const script = `
    const { createInterface } = require('node:readline');
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const send = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const tell = (text) => send({ content: [{ type: 'text', text }] });
      if (method === 'initialize') {
        const serverInfo = { name: '${name}', version: '1' };
        send({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
      }
      if (method === 'tools/list') send({ tools: [{ name: '${tool}', inputSchema: { type: 'object' } }] });
      if (method === 'tools/call') ${called};
    });`;
  return { name, command: process.execPath, args: ['-e', script], env };
}

/** It starts in a sixth of the time of `everything`. */
function echoing(env: McpServerEnv = []): McpServer {
  return serverWith('echoing', 'echo', "tell('Echo: ' + params.arguments.message)", env);
}

/** A server that does this at its first request, `initialize`. */
function server(name: string, initialize: string, env: McpServerEnv = []): McpServer {
  const script = `
    const fail = (id, message) => console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
    process.stdin.once('data', (line) => {
      const { id } = JSON.parse(line);
      ${initialize};
    });`;
  return { name, command: process.execPath, args: ['-e', script], env };
}

async function sessionWith(mcpServers: McpServer[], at: Editor = editor): Promise<string> {
  return at.newSession(on.daemon.workspace, mcpServers);
}

/** What the model was told: its tools, and the outputs of its calls. */
const toolsSent = (): string => JSON.stringify(on.provider.requests.at(-1)!.body.tools ?? []);
const lastRequest = (): string => JSON.stringify(on.provider.requests.at(-1)!.body);
const echoOf = (server: string) => callsTool({ name: `mcp__${server}__echo`, input: { message: 'marco' } });
const echo = echoOf('echoing');

const processes = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** The markers of the server that was given `mark` in its environment. Its watchdog has the same ones. */
function markersOf(mark: string): readonly string[] {
  const isMarked = carrying(['MARK'], (value) => value === mark);
  const markers: string[] = [];
  const takeMarker = carrying([TOOL_VARIABLE], (value) => markers.push(value) > 0);
  for (const pid of processes()) if (isMarked(pid)) takeMarker(pid);
  return markers;
}

describe('the MCP servers of a session', () => {
  it('have their tools in its runs, in its folder and with the given environment only; a call asks first', async () => {
    const sessionId = await sessionWith([everything([{ name: 'GIVEN', value: 'by the editor' }]), filesystem()]);
    on.provider.script(echoOf('everything'), says('polo'));
    expect(await editor.prompt(sessionId, 'call')).toEqual({ stopReason: 'end_turn' });
    for (const name of ['read_file', 'mcp__everything__echo', 'mcp__files__read_text_file']) {
      expect(toolsSent()).toContain(`"${name}"`);
    }
    expect(editor.permissions).toMatchObject([{ toolCall: { rawInput: { message: 'marco' } } }]);
    expect(lastRequest()).toContain('Echo: marco');
    expect(editor.toolUpdates().at(-1)).toMatchObject({ status: 'completed' });
    const replay = await on.daemon.request(`/jobs/${sessionId}/replay`);
    expect(await replay.json()).toMatchObject({ identical: true });

    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'full-auto' });
    writeFileSync(join(on.daemon.workspace, 'there.txt'), 'text of the file');
    on.provider.script(
      callsTool({ name: 'mcp__everything__get-env', input: {} }),
      callsTool({ name: 'mcp__files__read_text_file', input: { path: 'there.txt' } }),
      callsTool({ name: 'mcp__files__read_text_file', input: { path: '/etc/hostname' } }),
      says('done'),
    );
    await editor.prompt(sessionId, 'look');
    const seen = lastRequest();
    expect(seen).toContain('by the editor');
    expect(seen).not.toContain('not for servers');
    expect(seen).not.toContain('DAYBOOK_HOME');
    expect(seen).toContain('text of the file');
    expect(seen).toContain('Access denied');
  });

  it('are not called when the editor denies it, nor in a mode that only reads', async () => {
    const sessionId = await sessionWith([echoing()]);
    editor.decide = () => 'deny';
    on.provider.script(echo, says('not then'));
    await editor.prompt(sessionId, 'call');
    expect(lastRequest()).toContain('was denied and was not run');
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'read-only' });
    on.provider.script(echo, says('neither'));
    await editor.prompt(sessionId, 'again');
    expect(editor.permissions).toHaveLength(1);
    expect(lastRequest()).toContain('needs approval under the policy read-only');
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'full-auto' });
    on.provider.script(echo, says('at last'));
    await editor.prompt(sessionId, 'and now');
    expect(lastRequest()).toContain('Echo: marco');
  });

  it('may speak HTTP: the daemon itself is one', async () => {
    const headers = [{ name: 'Authorization', value: `Bearer ${on.daemon.token}` }];
    const sessionId = await sessionWith([{ type: 'http', name: 'own', url: `${on.daemon.url}/mcp`, headers }]);
    on.provider.script(callsTool({ name: 'mcp__own__jobs_list', input: {} }), says('ok'));
    await editor.prompt(sessionId, 'list');
    expect(lastRequest()).toContain(sessionId);
  });

  it('are refused with a reason: of another kind, without a program, without an answer', async () => {
    const sse: McpServer = { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers: [] };
    await expect(sessionWith([sse])).rejects.toThrow(/'old' is of the kind sse; Daybook supports stdio and http/);
    const missing: McpServer = { name: 'gone', command: '/nowhere/at-all', args: [], env: [] };
    await expect(sessionWith([missing])).rejects.toThrow(/'gone' cannot be used.*at-all/s);
    const script = 'process.stderr.write("no database, key=hidden-value"); process.exit(3)';
    const env = [{ name: 'KEY', value: 'hidden-value' }];
    const failing: McpServer = { name: 'bad', command: process.execPath, args: ['-e', script], env };
    const refusal = await sessionWith([echoing(), failing]).catch((error: Error) => error.message);
    expect(refusal).toMatch(/'bad' cannot be used.*exit code 3.*no database/s);
    expect(refusal).not.toContain('hidden-value');
  });

  it('are refused with their own error, without what they were given', async () => {
    const refusing = server('refusing', "fail(id, 'no licence for ' + process.env.KEY)", [
      { name: 'KEY', value: 'hidden-value' },
    ]);
    const refusal = await sessionWith([refusing]).catch((error: Error) => error.message);
    expect(refusal).toMatch(/'refusing' cannot be used. The server did not list its tools: no licence for /);
    expect(refusal).not.toContain('hidden-value');
  });

  it('are refused in one sentence when their answer is not valid', async () => {
    const wrong = server('wrong', "console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))");
    await expect(sessionWith([wrong])).rejects.toThrow(
      /tools: Invalid result for initialize: protocolVersion: [^\n]+$/,
    );
  });

  it('without tools give none, and nothing but the protocol is written to standard output', async () => {
    let printed = '';
    editor.child.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const prompts =
      "{ protocolVersion: '2025-06-18', capabilities: { prompts: {} }, serverInfo: { name: 'p', version: '1' } }";
    const sessionId = await sessionWith([
      server('prompts', `console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ${prompts} }))`),
    ]);
    const lines = printed.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ result: { sessionId } }]);
  });

  it('may answer more than a frame of the socket holds: the answer is cut, and the tools stay', async () => {
    const verbose = serverWith('v', 'tell', 'tell(params.arguments.word.repeat(params.arguments.times))');
    const sessionId = await sessionWith([verbose]);
    const tells = (word: string, times: number) => callsTool({ name: 'mcp__v__tell', input: { word, times } });
    on.provider.script(tells('much ', 400_000), tells('short', 1), says('done'));
    expect(await editor.prompt(sessionId, 'tell')).toEqual({ stopReason: 'end_turn' });
    const tools = JSON.parse(lastRequest()).messages.filter(({ role }: { role: string }) => role === 'tool');
    expect(JSON.stringify(tools.at(-2))).toContain('much much');
    expect(JSON.stringify(tools.at(-1))).toContain('short');
  });

  it('that end in the middle fail their calls, and the run goes on', async () => {
    const sessionId = await sessionWith([serverWith('mortal', 'die', 'process.exit(1)')]);
    on.provider.script(callsTool({ name: 'mcp__mortal__die', input: {} }), says('went on'));
    expect(await editor.prompt(sessionId, 'die')).toEqual({ stopReason: 'end_turn' });
    expect(lastRequest()).toContain("The MCP server 'mortal' did not do it");
  });
});

describe.skipIf(process.platform !== 'linux')('their processes', () => {
  it('end with the session, with the editor, and when the program is killed', async () => {
    const opened = async (at: Editor) => {
      const mark = randomUUID();
      const sessionId = await sessionWith([echoing([{ name: 'MARK', value: mark }])], at);
      const markers = markersOf(mark);
      expect(markers).not.toEqual([]);
      const isOfIt = carrying([TOOL_VARIABLE, WATCHDOG_VARIABLE], (value) => markers.includes(value));
      return { sessionId, ended: () => until(async () => !processes().some(isOfIt) || undefined) };
    };
    const own = await openEditor({ home: on.daemon.home });
    const closed = await opened(own);
    await own.agent.request(methods.agent.session.close, { sessionId: closed.sessionId });
    await closed.ended();
    const cutOff = await opened(own);
    own.child.kill('SIGKILL');
    await cutOff.ended();
    const another = await openEditor({ home: on.daemon.home });
    const left = await opened(another);
    expect(await another.close()).toBe(0);
    await left.ended();
  });

  // A server may take 45 s to start.
  it.each(['EOF', 'SIGTERM'] as const)(
    'end when the editor ends while they start: %s',
    { timeout: 30_000 },
    async (way) => {
      const mark = randomUUID();
      const own = await openEditor({ home: on.daemon.home });
      const silent = server('silent', 'setInterval(() => undefined, 1_000)', [{ name: 'MARK', value: mark }]);
      const refused = expect(sessionWith([silent], own)).rejects.toThrow();
      const [marker] = await until(async () => (markersOf(mark).length > 0 ? markersOf(mark) : undefined));
      if (way === 'SIGTERM') own.child.kill(way);
      expect(await own.close()).toBe(0);
      await refused;
      expect(processes().filter(carrying([TOOL_VARIABLE], (value) => value === marker))).toEqual([]);
    },
  );

  it('end when the same session is loaded twice at once, except those of the later one', async () => {
    const sessionId = await editor.newSession(on.daemon.workspace);
    on.provider.script(says('begun'));
    await editor.prompt(sessionId, 'begin');
    const marks = [randomUUID(), randomUUID()];
    const load = (mark: string) =>
      editor.agent.request(methods.agent.session.load, {
        sessionId,
        cwd: on.daemon.workspace,
        mcpServers: [echoing([{ name: 'MARK', value: mark }])],
      });
    await Promise.all(marks.map(load));
    expect(marks.map((mark) => markersOf(mark).length > 0)).toEqual([false, true]);
    await editor.agent.request(methods.agent.session.close, { sessionId });
    expect(marks.map((mark) => markersOf(mark))).toEqual([[], []]);
  });
});

it('an answer that is cut off by the limit of tokens, also after its continuations, ends as max_tokens', async () => {
  const sessionId = await editor.newSession(on.daemon.workspace);
  const cut = { kind: 'answer', text: ['and so on'], finish: 'length' } as const;
  on.provider.script(cut, cut, cut, cut, says('whole again'), says('whole'));
  expect(await editor.prompt(sessionId, 'write much')).toEqual({ stopReason: 'max_tokens' });
  expect(await editor.prompt(sessionId, 'write less')).toEqual({ stopReason: 'end_turn' });
});
