/**
 * Probes of real servers and misbehaving servers, of which no process may be left. A wrapper such as `npx` starts
 * children that survive when only the wrapper is killed.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../examples/demo/support.ts';
import { createMcp, PROBE_SECONDS_MAX } from '../../src/integrations/mcp/mcp.ts';
import { OWN_MCP_TOOLS } from '../../src/live/mcp/tool-names.ts';
import type { McpPort } from '../../src/ports/mcp.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { firstRows, IS_DENSE } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { rudeServer } from './rude.ts';

const RUDE = rudeServer();
const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const SECRET = 'sekrit/+value=of 42?';

const opened: McpPort[] = [];
afterAll(() => Promise.all(opened.map((mcp) => mcp.close())));

function port(secondsMax = 30, env: NodeJS.ProcessEnv = {}): McpPort {
  let count = 0;
  const marker = (): string => {
    count += 1;
    return `probe-test-${process.pid}-${opened.length}-${count}`;
  };
  const home = temporaryFolder('mcp-home');
  const mcp = createMcp({ home, env: { PATH: process.env.PATH, ...env }, version: '1', marker, secondsMax });
  opened.push(mcp);
  return mcp;
}

interface Rude {
  readonly words?: readonly string[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

function rude(mcp: McpPort, mode: string, { words = [], secrets = {}, cwd, signal }: Rude = {}) {
  const program = { command: process.execPath, args: [RUDE, mode, ...words] };
  return mcp.probe({ program, cwd: cwd ?? null, secrets }, signal ?? new AbortController().signal);
}

/** A server that never says anything, cheaper to start than one of ours. */
function silent(mcp: McpPort) {
  const program = { command: 'sleep', args: ['600'] };
  return mcp.probe({ program, cwd: null, secrets: {} }, new AbortController().signal);
}

async function started(folder: string): Promise<readonly number[]> {
  for (;;) {
    try {
      return ['near', 'far', 'server'].map((name) => Number(readFileSync(join(folder, `${name}.pid`), 'utf8')));
    } catch {
      await delay(20);
    }
  }
}

describe('a probe of a real server', () => {
  const mcp = port();

  it('lists the tools of server-everything', async () => {
    const program = { command: 'node', args: [EVERYTHING, 'stdio'] };
    const result = await mcp.probe({ program, cwd: null, secrets: {} }, new AbortController().signal);
    expect(result).toMatchObject({ state: 'ok', tools: expect.arrayContaining(['echo', 'get-sum']) });
  });

  it('lists our own without any daemon', async () => {
    const own = await mcp.probe({ program: null, cwd: null, secrets: {} }, new AbortController().signal);
    expect(own).toEqual({ state: 'ok', tools: Object.keys(OWN_MCP_TOOLS) });
  });
});

describe('a probe lists', () => {
  const mcp = port();

  it('what comes after greetings, half lines and JSON that is no message', async () => {
    expect(await rude(mcp, 'greeting')).toEqual({ state: 'ok', tools: ['greeting'] });
  });
  it('what comes in a batch', async () => {
    expect(await rude(mcp, 'batch')).toEqual({ state: 'ok', tools: ['one', 'two'] });
  });
  it('a thousand tools over twenty pages, in their order', async () => {
    const tools = Array.from({ length: 1_000 }, (_, index) => `tool-${index}`);
    expect(await rude(mcp, 'pages')).toEqual({ state: 'ok', tools });
  });
  it('nothing of a server that offers no tools', async () => {
    expect(await rude(mcp, 'toolless')).toEqual({ state: 'ok', tools: [] });
  });
  it('the tools of a server that floods its stderr', async () => {
    expect(await rude(mcp, 'chatty')).toEqual({ state: 'ok', tools: ['chatty'] });
  });
});

describe('a probe fails', () => {
  const mcp = port();
  const cases = [
    ['unreadable', /did not list its tools: .*its answer to tools\/list is not a valid response: the disk is full$/],
    ['exit', /ended with exit code 3 before it had listed its tools\. It said: cannot find the database$/],
    ['flood', /a message of more than 10 MiB/],
    ['circle', /its list of tools does not come to an end/],
    ['endless', /more than 10000 tools/],
    ['nameless', /did not list its tools: Invalid result for tools\/list: tools\.0\.name: [^\n]+$/],
    ['unwelcome', /did not list its tools: .*No licence was found/],
    ['modern', /did not list its tools: .*protocol version.*2099-01-01/],
  ] as const;
  it.each(firstRows(4, cases))('with a reason: %s', async (mode, reason) => {
    expect(await rude(mcp, mode)).toEqual({ state: 'failed', error: expect.stringMatching(reason) });
  });

  it('with what to install when the program is missing', async () => {
    const launch = { program: { command: 'uvx', args: [] }, cwd: null, secrets: {} };
    const bare = port(30, { PATH: '/nowhere' });
    const { signal } = new AbortController();
    expect(await bare.probe(launch, signal)).toEqual({
      state: 'failed',
      error: 'The program uvx was not found: install uv, which brings it (https://docs.astral.sh/uv).',
    });
    expect(bare.isInstalled('uvx')).toBe(false);
    expect(mcp.isInstalled('sh')).toBe(true);
  });
  it('with the reason when its arguments are too long together', async () => {
    const args = Array.from({ length: 100 }, () => 'x'.repeat(32_768));
    const launch = { program: { command: 'sleep', args }, cwd: null, secrets: {} };
    const error = 'The program sleep cannot be started (E2BIG).';
    expect(await mcp.probe(launch, new AbortController().signal)).toEqual({ state: 'failed', error });
  });
  it('when its folder is gone', async () => {
    expect(await rude(mcp, 'polite', { cwd: '/nowhere/at/all' })).toMatchObject({ state: 'failed' });
  });
});

describe('the bound of a probe', () => {
  it('is 45 seconds', () => {
    expect(PROBE_SECONDS_MAX).toBe(45);
  });
  it.each(['hang', 'garbage'])('holds for a server that only does this: %s', async (mode) => {
    expect(await rude(port(1), mode)).toEqual({ state: 'timedout', after_secs: 1 });
  });
  it.runIf(IS_DENSE)('holds for a waiting probe too, and a probe is refused when too many wait', async () => {
    const mcp = port(2);
    const probes = await Promise.allSettled(Array.from({ length: 30 }, () => silent(mcp)));
    const results = probes.map((each) => (each.status === 'fulfilled' ? each.value.state : each.reason));
    expect(results.filter((each) => each instanceof PortError && each.fault === 'busy')).toHaveLength(10);
    expect(results.filter((each) => each === 'timedout')).toHaveLength(20);
  });
});

describe.skipIf(process.platform !== 'linux')('after a probe no process of the server is left', () => {
  it('when it answered, ignores every signal and left children, one in a session of its own', async () => {
    const folder = temporaryFolder('left');
    expect(await rude(port(), 'stubborn', { words: [folder, 'answers'] })).toEqual({
      state: 'ok',
      tools: ['stubborn'],
    });
    expect((await started(folder)).filter(isAlive)).toEqual([]);
  });
  it('when a child wiped its environment and left the session, but kept the output', async () => {
    const folder = temporaryFolder('left');
    expect(await rude(port(), 'bare', { words: [folder] })).toEqual({ state: 'ok', tools: ['bare'] });
    expect(isAlive(Number(readFileSync(join(folder, 'bare.pid'), 'utf8')))).toBe(false);
  });
  it.runIf(IS_DENSE)('when it did not answer in time', async () => {
    const folder = temporaryFolder('left');
    expect(await rude(port(8), 'stubborn', { words: [folder] })).toMatchObject({ state: 'timedout' });
    expect((await started(folder)).filter(isAlive)).toEqual([]);
  });
  it('when the caller went away', async () => {
    const folder = temporaryFolder('left');
    const caller = new AbortController();
    const probing = rude(port(), 'stubborn', { words: [folder], signal: caller.signal });
    const settled = expect(probing).rejects.toThrow('gone');
    const pids = await started(folder);
    caller.abort(new Error('gone'));
    await settled;
    expect(pids.filter(isAlive)).toEqual([]);
  });
  it('when the port was closed', async () => {
    const folder = temporaryFolder('left');
    const mcp = port();
    const settled = expect(rude(mcp, 'stubborn', { words: [folder] })).rejects.toThrow('stopped');
    const pids = await started(folder);
    await mcp.close();
    await settled;
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe('what a server is given', () => {
  it('is its credentials and the harmless part of the environment', async () => {
    const mcp = port(30, { HOME: '/home/x', OPENAI_API_KEY: 'no', DAYBOOK_WEBHOOK_SECRET: 'no', LANG: 'C' });
    const result = await rude(mcp, 'environment', { secrets: { API_KEY: 'yes' } });
    expect(result).toMatchObject({ state: 'ok', tools: expect.arrayContaining(['API_KEY', 'HOME', 'LANG', 'PATH']) });
    expect(JSON.stringify(result)).not.toMatch(/OPENAI|WEBHOOK|DAYBOOK_HOME/);
  });
  it('is a folder in the home of the daemon when it is launched for none', async () => {
    const told = await rude(port(), 'told');
    expect(told).toEqual({ state: 'ok', tools: [expect.stringMatching(/daybook-mcp-home-\w+\/mcp$/)] });
  });
});

it('the name of a tool is shown without a credential in it', async () => {
  const result = await rude(port(), 'told', { words: [`a-${SECRET}`], secrets: { API_KEY: SECRET } });
  expect(result).toMatchObject({ state: 'ok', tools: expect.arrayContaining(['a-[redacted]']) });
});
