/** `daybook mcp` and Daybook's own MCP server, as processes; and a daemon that is killed during a probe. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import { OWN_MCP_TOOLS } from '../../src/live/mcp/tool-names.ts';
import { cli, cliHere, jsonLines } from '../cli/support.ts';
import { post } from '../support/asking.ts';
import { childDaemon, sharedDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { PROGRAM, runProgram, startProgram } from '../support/program.ts';
import { rudeServer } from './rude.ts';

const PATH = '/api/vibedesk/connectors';
const RUDE = rudeServer();
const SECRET = 'sk-nobody-shall-see-this-0123456789';

const daemon = sharedDaemon();

const add = (body: object) => post(daemon, PATH, body);

function daybook(words: readonly string[], cwd: string) {
  return cliHere(words, { home: daemon.home, cwd });
}

/** With a process of its own, whose streams and exit code a connector inherits. */
function daybookProcess(words: readonly string[], cwd: string) {
  return cli(words, { home: daemon.home, cwd });
}

describe('daybook mcp', () => {
  it('lists enabled connectors of the project it is called in, and the servers of config.json, which win', async () => {
    const path = temporaryFolder('project');
    mkdirSync(join(path, '.git'));
    mkdirSync(join(path, 'inside'));
    for (const catalog_id of ['filesystem', 'time', 'everything']) await add({ catalog_id, path });
    await add({ id: 'keyed', command: 'run-me', args: ['--key={secret:KEY}'], credentials: { KEY: SECRET }, path });
    const off = JSON.stringify({ id: 'everything', enabled: false, path });
    await daemon.request(`${PATH}/toggle`, { method: 'POST', body: off });
    const mcp_servers = { time: { command: 'my-clock', args: ['-u'], env: { TZ: 'UTC' } }, extra: { command: 'x' } };
    writeFileSync(join(daemon.home, 'config.json'), JSON.stringify({ mcp_servers }));

    const listed = await daybook(['mcp'], join(path, 'inside'));
    expect(listed.code).toBe(0);
    const rows = listed.stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
    expect(rows.slice(1, -1)).toEqual([
      ['filesystem', 'connector', 'npx -y @modelcontextprotocol/server-filesystem {workspace}'],
      ['keyed', 'connector', 'run-me --key={secret:KEY}'],
      ['time', 'config.json', 'my-clock -u'],
      ['extra', 'config.json', 'x'],
    ]);
    const json = await daybook(['mcp', '--json'], path);
    const run = { command: process.execPath, args: [PROGRAM, 'mcp', 'run', 'keyed', '--path', path] };
    expect(JSON.parse(json.stdout)).toEqual({
      mcpServers: {
        filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', path] },
        keyed: { ...run, env: { DAYBOOK_HOME: daemon.home } },
        ...mcp_servers,
      },
    });
    expect(listed.stdout + json.stdout).not.toContain(SECRET);
  });

  it('launches a connector with its credentials, for a client that asks it', async () => {
    const path = temporaryFolder('project');
    const args = [RUDE, 'told', '{workspace}', '{secret:KEY}'];
    await add({ id: 'told', command: process.execPath, args, credentials: { KEY: SECRET }, path });
    const { mcpServers } = JSON.parse((await daybook(['mcp', '--json'], path)).stdout) as {
      mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
    };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport(mcpServers.told!));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([path, path, SECRET]);
    await client.close();
  });

  it('answers with the exit code of what it launched', async () => {
    const path = temporaryFolder('project');
    await add({ id: 'ends', command: process.execPath, args: [RUDE, 'exit'], path });
    expect(await daybookProcess(['mcp', 'run', 'ends'], path)).toEqual({
      code: 3,
      stdout: '',
      stderr: 'cannot find the database\n',
    });
  });

  it('starts servers of the catalogue where a probe does, with no file of the project or the home beside them', async () => {
    const path = temporaryFolder('project');
    const programs = temporaryFolder('programs');
    writeFileSync(join(programs, 'npx'), '#!/bin/sh\npwd\n', { mode: 0o755 });
    await add({ catalog_id: 'memory', path });
    const env = { DAYBOOK_HOME: daemon.home, PATH: `${programs}:${process.env.PATH}` };
    const run = await runProgram(['mcp', 'run', 'memory'], { env, cwd: path });
    expect(run).toEqual({ code: 0, stdout: `${join(realpathSync(daemon.home), 'mcp')}\n`, stderr: '' });
  });

  it('says in a sentence that what it would launch is too long', async () => {
    const path = temporaryFolder('project');
    const args = Array.from({ length: 100 }, () => '{secret:KEY}');
    await add({ id: 'long', command: 'sleep', args, credentials: { KEY: 'k'.repeat(32_768) }, path });
    expect(await daybookProcess(['mcp', 'run', 'long'], path)).toEqual({
      code: 1,
      stdout: '',
      stderr: "daybook: The connector 'long' cannot be started: spawn E2BIG\n",
    });
  });

  it('probes', async () => {
    const path = temporaryFolder('project');
    await add({ id: 'good', command: process.execPath, args: [RUDE, 'polite'], path });
    await add({ id: 'bad', command: process.execPath, args: [RUDE, 'exit'], path });
    expect(await daybook(['mcp', 'probe', 'good'], path)).toEqual({ code: 0, stdout: 'one\ntwo\n', stderr: '' });
    expect(await daybook(['mcp', 'probe', 'bad'], path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^daybook: The server ended with exit code 3 .* database\n$/),
    });
    const failed = await daybook(['mcp', 'probe', 'bad', '--json'], path);
    expect([failed.code, JSON.parse(failed.stdout).state]).toEqual([1, 'failed']);
    expect(await daybook(['mcp', 'probe', 'nope'], path)).toMatchObject({ code: 1, stdout: '' });
  });

  it('says in a sentence what it cannot do', async () => {
    const path = temporaryFolder('project');
    expect(await daybook(['mcp'], temporaryFolder('empty'))).toMatchObject({ code: 0 });
    expect(await daybook(['mcp', 'nope'], path)).toMatchObject({ code: 2 });
    expect(await daybook(['mcp', '--path', '/nowhere'], path)).toMatchObject({ code: 2 });
    expect(await daybook(['mcp', 'run', 'nope'], path)).toMatchObject({
      code: 1,
      stderr: "daybook: The connector 'nope' is not configured here.\n",
    });
    const home = temporaryFolder('nobody-home');
    expect(await cliHere(['mcp'], { home })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No daemon is running/),
    });
  });
});

it('daybook doctor says whether credentials can be had, and nothing where none were kept', async () => {
  const home = temporaryFolder('home');
  const vault = async () => {
    const { stdout } = await cliHere(['doctor', '--json'], { home });
    const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; detail: string }[] };
    return findings.filter(({ name }) => name === 'vault').map(({ state, detail }) => ({ state, detail }));
  };
  expect(await vault()).toEqual([]);
  const own = await testDaemon({ home });
  const body = JSON.stringify({ id: 'keyed', command: 'x', credentials: { KEY: SECRET } });
  await own.request(PATH, { method: 'POST', body });
  await own.stop();
  expect(await vault()).toEqual([{ state: 'ok', detail: 'credentials of 1 connector can be had' }]);
  writeFileSync(join(home, 'vault/vault.key'), '');
  expect(await vault()).toEqual([{ state: 'warning', detail: expect.stringMatching(/its key is not in/) }]);
});

describe('our own MCP server', () => {
  async function connected(home: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const env = { PATH: process.env.PATH ?? '', DAYBOOK_HOME: home };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM, '--mcp-server'], env }));
    return client;
  }
  async function call(client: Client, name: keyof typeof OWN_MCP_TOOLS, input: Record<string, unknown>) {
    const { isError = false, content } = await client.callTool({ name, arguments: input });
    const [first] = content;
    return { isError, text: first?.type === 'text' ? first.text : '' };
  }

  let client: Client;
  beforeAll(async () => {
    client = await connected(daemon.home);
  });
  afterAll(() => client.close());

  it('lists the tools that its card names', async () => {
    const { tools } = await client.listTools();
    const listed = tools.map(({ name, description }) => ({ name, description }));
    const card = (await (await fetch(`${daemon.url}/.well-known/mcp.json`)).json()) as Record<string, unknown>;
    expect(card).toMatchObject({ name: 'daybook', tools: listed, transports: ['stdio', 'streamable_http'] });
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(OWN_MCP_TOOLS));
  });

  it('asks the daemon: runs, memories, goals', async () => {
    const { session_id } = JSON.parse((await call(client, 'run_start', { task: 'Say hello.' })).text) as {
      session_id: string;
    };
    expect(JSON.parse((await call(client, 'job_wait', { session_id })).text)).toMatchObject({ status: 'complete' });
    expect(JSON.parse((await call(client, 'job_read', { session_id })).text)).toMatchObject({ task: 'Say hello.' });
    expect((await call(client, 'jobs_list', {})).text).toContain(session_id);
    await call(client, 'memory_add', { content: 'The ferry to the island leaves at nine' });
    expect((await call(client, 'memory_query', { query: 'When does the ferry leave?' })).text).toContain('at nine');
    const goal = JSON.stringify({ title: 'Learn to sail' });
    await daemon.request('/v1/goals', { method: 'POST', body: goal });
    expect((await call(client, 'goals_list', { status: 'active' })).text).toContain('Learn to sail');
    expect((await call(client, 'goals_list', { status: 'abandoned' })).text).toBe('{"goals":[],"count":0}');
  });

  it('answers the calls that are in progress when its input ends, and ends', async () => {
    const slow = JSON.stringify({ task: 'rehearse: slow 2000' });
    const started = await daemon.request('/agent', { method: 'POST', body: slow });
    const { session_id } = (await started.json()) as { session_id: string };
    const call = (id: number, name: string, input: object) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } };
    };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'goals_list', { status: 'abandoned' }),
      call(3, 'job_wait', { session_id }),
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    const { code, stdout } = await runProgram(['--mcp-server'], { env: { DAYBOOK_HOME: daemon.home }, input });
    await daemon.request(`/jobs/${session_id}/cancel`, { method: 'POST' });
    const answers = jsonLines<{ id: number; result: { content?: { text: string }[] } }>(stdout);
    const texts = answers.sort((left, right) => left.id - right.id).map(({ result }) => result.content?.[0]?.text);
    expect([code, ...texts]).toEqual([
      0,
      undefined,
      '{"goals":[],"count":0}',
      expect.stringContaining('"status":"running"'),
    ]);
  });

  it('answers what the daemon refuses, and that none is running, as a sentence', async () => {
    expect(await call(client, 'job_read', { session_id: 'x/../..' })).toMatchObject({ isError: true });
    expect(await call(client, 'job_read', { session_id: 'none' })).toEqual({
      isError: true,
      text: "Job 'none' not found",
    });
    const wrong = await call(client, 'job_read', { session_id: 7 });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('must be a string')]);
    expect(wrong.text).not.toContain('expected');
    const home = temporaryFolder('nobody-home');
    const alone = await connected(home);
    const said = {
      isError: true,
      text: `No daemon is running on ${realpathSync(home)}. Start one with: daybook serve`,
    };
    expect(await call(alone, 'jobs_list', {})).toEqual(said);
    await alone.close();
  });
});

describe.skipIf(process.platform !== 'linux')('nothing of a server is left', () => {
  async function stubborn(): Promise<{
    readonly add: object;
    readonly path: string;
    readonly pids: string;
    gone(): Promise<void>;
    started(): Promise<void>;
  }> {
    const [pids, path] = [temporaryFolder('pids'), temporaryFolder('project')];
    const files = ['near', 'far', 'server'].map((name) => join(pids, `${name}.pid`));
    return {
      path,
      pids,
      add: { id: 'stubborn', command: process.execPath, args: [RUDE, 'stubborn', pids], path },
      started: () => expect.poll(() => files.every((file) => existsSync(file))).toBe(true),
      async gone() {
        const left = files.map((file) => Number(readFileSync(file, 'utf8')));
        await expect.poll(() => left.filter(isAlive)).toEqual([]);
      },
    };
  }

  it('when the daemon is killed while it probes', async () => {
    const server = await stubborn();
    const child = await childDaemon();
    const post = (route: string, body: object) =>
      child.request(PATH + route, { method: 'POST', body: JSON.stringify(body) });
    await post('', server.add);
    const asked = post('/probe', { id: 'stubborn', path: server.path }).catch(() => 'gone');
    await server.started();
    await child.kill('SIGKILL');
    await asked;
    await server.gone();
  });
  it.each(['toggle', 'remove'])('when its connector is changed by %s', async (route) => {
    const server = await stubborn();
    await add({ ...server.add, args: [RUDE, 'stubborn', server.pids, 'ends'] });
    const program = startProgram(['mcp', 'run', 'stubborn'], { env: { DAYBOOK_HOME: daemon.home }, cwd: server.path });
    await server.started();
    const body = JSON.stringify({ id: 'stubborn', path: server.path, enabled: false });
    await daemon.request(`${PATH}/${route}`, { method: 'POST', body });
    const stderr = `daybook: The connector 'stubborn' was ${route === 'toggle' ? 'disabled' : 'removed'}.\n`;
    expect(await program.ended).toMatchObject({ code: 1, stderr });
    await server.gone();
  });
  it('when the program that launched it gets a second signal, and it ignores the first', async () => {
    const server = await stubborn();
    await add(server.add);
    const program = startProgram(['mcp', 'run', 'stubborn'], { env: { DAYBOOK_HOME: daemon.home }, cwd: server.path });
    await server.started();
    program.process.kill('SIGINT');
    program.process.kill('SIGTERM');
    expect((await program.ended).code).toBe(128 + constants.signals.SIGKILL);
    await server.gone();
  });
  it('when the program that launched it for a client is killed', async () => {
    const server = await stubborn();
    await add(server.add);
    const env = { DAYBOOK_HOME: daemon.home };
    const program = startProgram(['mcp', 'run', 'stubborn'], { env, cwd: server.path });
    await server.started();
    program.process.kill('SIGKILL');
    await server.gone();
  });
});
