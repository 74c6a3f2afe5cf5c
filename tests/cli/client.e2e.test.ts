/** The client of the command line against a misbehaving daemon: refusals, rate limits, streams cut anywhere. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, createClient } from '../../src/cli/client.ts';
import {
  createLivenessProbe,
  PROBE_INTERVAL_MS,
  PROBE_TIMEOUT_MS,
  RESPONSE_SILENCE_MS,
  STREAM_SILENCE_MS,
} from '../../src/cli/liveness.ts';
import type { Discovery } from '../../src/discovery.ts';
import { VERSION } from '../../src/version.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { cli, cliHere } from './support.ts';

let home: string;
let server: Server;
let client: Client;
let answer: RequestListener;
let facts: Discovery;

/** A server that a home's `daemon.json` names, as a daemon would be. */
beforeEach(async () => {
  home = temporaryFolder('home');
  server = createServer((request, response) => answer(request, response));
  const port = await listening(server);
  facts = { pid: process.pid, port, token: 'secret', started_at: 1, url: `http://127.0.0.1:${port}`, version: VERSION };
  writeFileSync(join(home, 'daemon.json'), JSON.stringify(facts));
  client = createClient(home);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  vi.restoreAllMocks();
});

describe('requests', () => {
  test('do not go through the proxy of the environment', async () => {
    answer = (request, response) => response.writeHead(request.headers.authorization ? 200 : 401).end('[]');
    const HTTP_PROXY = 'http://127.0.0.1:9';
    for (const noProxy of [{}, { no_proxy: 'intranet.example' }, { NO_PROXY: '*' }]) {
      const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY, ...noProxy };
      expect(await cli(['jobs', '--json'], { home, env })).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('carry the token, and the key that makes them happen once', async () => {
    let seen: IncomingMessage['headers'] = {};
    answer = (request, response) => {
      seen = request.headers;
      response.end('{}');
    };
    await client.api.runs.start({ task: 'x' }, { idempotencyKey: 'k' });
    expect(seen).toMatchObject({ authorization: 'Bearer secret', 'idempotency-key': 'k' });
  });

  test.each([
    ['{"error":"No such thing."}', 'No such thing.'],
    ['<html>', 'The daemon answered 418 I’m a Teapot.'],
    ['{"error":7}', 'The daemon answered 418 I’m a Teapot.'],
  ])('a refusal %j is shown as a sentence', async (body, sentence) => {
    answer = (_request, response) => response.writeHead(418, "I'm a Teapot").end(body);
    const refused = client.api.runs.list();
    await expect(refused).rejects.toMatchObject({ message: sentence.replace('’', "'"), status: 418 });
  });

  test('a rate limit is waited for as long as the daemon asks, and said once', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      if (asked < 4) response.writeHead(429, { 'retry-after': '0' }).end('{"error":"slow down"}');
      else response.end('"now"');
    };
    expect(await client.api.runs.list()).toBe('now');
    expect(asked).toBe(4);
    expect(stderr).toHaveBeenCalledTimes(1);
  });

  // The doctor took a daemon whose rate limit was reached for one that hangs.
  test('a rate limit is waited for beyond the limit for a response, which each attempt has for itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const limits: AbortController[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      limits.push(new AbortController());
      return limits.at(-1)!.signal;
    });
    answer = (_request, response) => {
      if (limits.length === 1) response.writeHead(429, { 'retry-after': '5' }).end('{"error":"slow down"}');
      else response.end('"now"');
    };
    const listed = createClient(home, { timeoutMs: 5_000 }).api.runs.list();
    await expect.poll(() => stderr.mock.calls).toHaveLength(1);
    limits[0]!.abort(new DOMException('', 'TimeoutError'));
    vi.advanceTimersByTime(5_000);
    expect(await listed).toBe('now');
    expect(limits).toHaveLength(2);
  });

  // The daemon of an upgraded package runs on: `jobs` showed `NaN d` for a field that it does not send.
  test.each([
    ['0.0.9', `the running daemon is version 0.0.9, this program is ${VERSION}.`, process.pid],
    [undefined, `the running daemon is of an earlier version, this program is ${VERSION}.`, process.ppid],
  ])('to a daemon of version %s tell to restart it, once', async (version, sentence, pid) => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    answer = (_request, response) => response.end('[]');
    await client.api.runs.list();
    writeFileSync(join(home, 'daemon.json'), JSON.stringify({ ...facts, version, pid }));
    await client.api.runs.list();
    await client.api.runs.list();
    expect(stderr.mock.calls).toEqual([[`daybook: ${sentence} Restart the daemon.\n`]]);
  });

  test('a daemon that is gone without a word is named', async () => {
    server.close();
    await expect(client.api.runs.list()).rejects.toThrow(
      new RegExp(`The daemon of ${home} \\(process ${process.pid}, .*\\) does not answer: ECONNREFUSED.`),
    );
  });
});

// A daemon that was stopped (SIGSTOP) takes connections and says nothing: every command hung on it for ever.
describe('a daemon that sends nothing', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Answers by `then`, and resolves `reached(count)` once that many requests have come in all. */
  function counting(then: RequestListener): { reached(count: number): Promise<void> } {
    let count = 0;
    const waiting = new Map<number, () => void>();
    answer = (request, response) => {
      count += 1;
      waiting.get(count)?.();
      then(request, response);
    };
    return {
      reached: (wanted) =>
        count >= wanted ? Promise.resolve() : new Promise((resolve) => waiting.set(wanted, resolve)),
    };
  }

  /** Lets `milliseconds` pass, after which the client probes, and waits for the answer to the probe. */
  async function probed(milliseconds: number): Promise<void> {
    const fetched = vi.spyOn(globalThis, 'fetch');
    vi.advanceTimersByTime(milliseconds);
    expect(fetched.mock.calls.map(([, init]) => init?.method)).toEqual(['OPTIONS']);
    await fetched.mock.results[0]!.value;
    await new Promise((resolve) => setImmediate(resolve));
    fetched.mockRestore();
  }

  test('is named, for an answer and for a stream that never began', async () => {
    const requests = counting(() => undefined);
    const { signal } = new AbortController();
    const stream = client.follow((api, options) => api.log.events(options), { signal });
    const silent = new RegExp(`The daemon of ${home} \\(process ${process.pid}, .*\\) does not answer: it is silent`);
    const both = Promise.all([
      expect(client.api.runs.list()).rejects.toThrow(silent),
      expect(stream.next()).rejects.toThrow(silent),
    ]);
    await requests.reached(2);
    vi.advanceTimersByTime(RESPONSE_SILENCE_MS);
    await requests.reached(4);
    vi.advanceTimersByTime(PROBE_TIMEOUT_MS);
    await both;
  });

  test('is waited for while it gives a sign of life', async () => {
    let last: ServerResponse | undefined;
    const requests = counting((request, response) => {
      if (request.method === 'OPTIONS') response.writeHead(405).end();
      else last = response;
    });
    const status = client.api.index.status();
    await requests.reached(1);
    await probed(RESPONSE_SILENCE_MS);
    await probed(PROBE_INTERVAL_MS);
    await probed(PROBE_INTERVAL_MS);
    last?.end('"at last"');
    expect(await status).toBe('at last');
  });

  test('an idle stream is left alone while its daemon gives a sign of life', async () => {
    answer = (_request, response) => response.writeHead(429).end();
    const probe = createLivenessProbe(() => new Error('silent'));
    probe.watch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, STREAM_SILENCE_MS);
    await probed(STREAM_SILENCE_MS);
    await probed(PROBE_INTERVAL_MS);
    expect(probe.signal.aborted).toBe(false);
    probe.stop();
  });
});

describe('streams', () => {
  const frames = Array.from({ length: 12 }, (_, at) => `id: ${at + 1}\ndata: {"number":${at + 1}}\n\n`);

  /** Sends what comes after Last-Event-ID, and hangs up after so many bytes of it. */
  function cutting(bytesOf: (connection: number) => number): { connections: () => number } {
    let connections = 0;
    answer = (request, response) => {
      const last = Number(request.headers['last-event-id'] ?? 0);
      if (last === frames.length) return void response.writeHead(204).end();
      connections += 1;
      const bytes = Buffer.from(frames.slice(last).join(''));
      const length = Math.min(bytesOf(connections), bytes.length);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(bytes.subarray(0, length), () => {
        if (length < bytes.length) response.destroy();
        else response.end();
      });
    };
    return { connections: () => connections };
  }

  async function followed(): Promise<string[]> {
    const seen: string[] = [];
    const signal = new AbortController().signal;
    for await (const { id } of client.follow((api, options) => api.runs.stream('x', options), { signal }))
      seen.push(id);
    return seen;
  }

  const whole = frames.map((_, at) => String(at + 1));
  const bytes = Buffer.byteLength(frames.join(''));

  test.each(Array.from({ length: 12 }, (_, at) => 1 + at * Math.floor(bytes / 12)))(
    'cut after byte %i of the first connection: each event once, in order',
    async (cut) => {
      const { connections } = cutting((connection) => (connection === 1 ? cut : bytes));
      expect(await followed()).toEqual(whole);
      expect(connections()).toBe(2);
    },
  );

  test('a daemon that is not ready is asked again; one that knows no such stream is believed', async () => {
    let asked = 0;
    const { connections } = cutting(() => bytes);
    const serve = answer;
    answer = (request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(503).end('{"error":"The views are being rebuilt."}');
      else serve(request, response);
    };
    expect(await followed()).toEqual(whole);
    expect(connections()).toBe(1);
    answer = (_request, response) => response.writeHead(404).end('{"error":"Session not found"}');
    await expect(followed()).rejects.toThrow('Session not found');
  });

  // It was given up at once: the time without a sign was counted from its beginning.
  test('one that was followed for long is taken up again when its connection breaks', async () => {
    const { connections } = cutting((connection) => (connection === 1 ? bytes - 1 : bytes));
    const started = Date.now();
    const seen: string[] = [];
    const { signal } = new AbortController();
    const stream = client.follow((api, options) => api.runs.stream('x', options), { signal });
    const now = vi.spyOn(Date, 'now').mockImplementation(() => started + (connections() === 0 ? 0 : 3_600_000));
    for await (const { id } of stream) seen.push(id);
    now.mockRestore();
    expect(seen).toEqual(whole);
  });

  test('leaving ends it at once', async () => {
    answer = (_request, response) => response.writeHead(200).write(frames[0]);
    const leave = new AbortController();
    const seen: string[] = [];
    const { signal } = leave;
    const stream = client.follow((api, options) => api.runs.stream('x', options), { signal });
    for await (const { id } of stream) {
      seen.push(id);
      leave.abort();
    }
    expect(seen).toEqual(['1']);
  });
});

test('daybook replay names where a run diverges, exit code 1', async () => {
  const divergence = { position: 41, version: 7, field: 'data.request_hash', recorded: 'aa', replayed: 'bb' };
  const report = { session_id: 'x', identical: false, events: 9, effects: 3, divergence };
  answer = (_request, response) => response.end(JSON.stringify(report));
  const { code, stdout } = await cliHere(['replay', '0'.repeat(32)], { home });
  expect(code).toBe(1);
  expect(stdout).toBe(
    'diverges at position 41 (event 7 of the run) in data.request_hash, after 3 equal effects\n' +
      '  recorded: "aa"\n  today:    "bb"\n',
  );
});

test('daybook log verify finds a daemon whose log is not what it says', async () => {
  answer = (request, response) => {
    if (request.url === '/v1/log/head')
      response.end(JSON.stringify({ position: 0, tree_hash: 'f'.repeat(64), at: null }));
    else response.writeHead(404).end();
  };
  const { code, stdout } = await cliHere(['log', 'verify'], { home });
  expect(code).toBe(1);
  expect(stdout).toContain(`the log says ${'f'.repeat(64)}`);
});
