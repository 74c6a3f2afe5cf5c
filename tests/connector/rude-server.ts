/**
 * MCP servers that misbehave, one way for each mode, and that otherwise follow the protocol far enough to be listed.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', place = ''] = process.argv.slice(2);
const FOREVER_MS = 600_000;

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string };
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** To the first request; a server that answers so ends by itself when its stdin does. */
function greet(answer: object): void {
  createInterface({ input: process.stdin }).once('line', (line) => {
    send({ id: (JSON.parse(line) as Request).id, ...answer });
  });
}

function serve(tools: (request: Request) => object): void {
  answerList((request) => ({ jsonrpc: '2.0', id: request.id, ...tools(request) }));
}

function welcome({ id }: Request): void {
  const capabilities = mode === 'toolless' ? {} : { tools: {} };
  const serverInfo = { name: 'rude', version: '1' };
  send({ id, result: { protocolVersion: '2025-06-18', capabilities, serverInfo } });
}

/** Follows the protocol until the tools are listed: that answer is exactly this JSON. */
function answerList(answer: (request: Request) => object): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line) as Request;
    if (request.method === 'initialize') welcome(request);
    if (request.method === 'tools/list') process.stdout.write(`${JSON.stringify(answer(request))}\n`);
  });
}

function listed(...names: readonly string[]): object {
  return { result: { tools: names.map(toolNamed) } };
}

function toolNamed(name: string): object {
  return { name, inputSchema: { type: 'object' } };
}

/** A child in a session of its own, and one in the group; their pids go to files. */
function fork(): void {
  for (const [name, detached] of [
    ['near', false],
    ['far', true],
  ] as const) {
    const child = spawn('sleep', ['600'], { detached, stdio: detached ? 'ignore' : 'inherit', env: process.env });
    writeFileSync(`${place}/${name}.pid`, String(child.pid));
    child.unref();
  }
  writeFileSync(`${place}/server.pid`, String(process.pid));
}

/** A child in a session of its own and without the environment: it only has the output of the server. */
function forkBare(): void {
  const child = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'inherit', env: {} });
  writeFileSync(`${place}/bare.pid`, String(child.pid));
  child.unref();
}

const PAGE = 50;

const MODES: Readonly<Record<string, () => void>> = {
  polite: () => serve(() => listed('one', 'two')),
  toolless: () => serve(() => listed()),
  hang: () => void setTimeout(() => undefined, FOREVER_MS),
  exit: () => {
    process.stderr.write('cannot find the database\n');
    process.exitCode = 3;
  },
  stubborn: () => {
    const [, , , , behaviour] = process.argv;
    const onSignal = () => (behaviour === 'ends' ? process.exit(0) : undefined);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, onSignal);
    fork();
    setTimeout(() => undefined, FOREVER_MS);
    if (place !== '' && behaviour === 'answers') serve(() => listed('stubborn'));
  },
  bare: () => {
    forkBare();
    serve(() => listed('bare'));
  },
  chatty: () => {
    const line = `${'x'.repeat(1_023)}\n`;
    const flood = (): void => {
      for (let lines = 0; lines < 1_000; lines += 1) process.stderr.write(line);
      setTimeout(flood, 1);
    };
    flood();
    serve(() => listed('chatty'));
  },
  greeting: () => {
    process.stdout.write('Welcome!\n{"half": \n\u0000\u0001\n{"no":"message"}\n[1,2]\n\n');
    serve(() => listed('greeting'));
  },
  garbage: () => {
    process.stdout.write(Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256)));
    setTimeout(() => undefined, FOREVER_MS);
  },
  flood: () => {
    process.stdout.write('x'.repeat(11 * 1024 * 1024));
    setTimeout(() => undefined, FOREVER_MS);
  },
  pages: () =>
    serve(({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const tools = Array.from({ length: PAGE }, (_, index) => toolNamed(`tool-${from + index}`));
      return { result: { tools, ...(from + PAGE < 1_000 ? { nextCursor: String(from + PAGE) } : {}) } };
    }),
  circle: () => serve(() => ({ result: { tools: [toolNamed('again')], nextCursor: 'round' } })),
  endless: () =>
    serve(({ params }) => {
      const tools = Array.from({ length: 500 }, (_, index) => toolNamed(`t${index}`));
      return { result: { tools, nextCursor: String(Number(params?.cursor ?? 0) + 1) } };
    }),
  nameless: () => serve(() => ({ result: { tools: [{ inputSchema: { type: 'object' } }] } })),
  batch: () => answerList(({ id }) => [{ jsonrpc: '2.0', id, ...listed('one', 'two') }]),
  unreadable: () => answerList(({ id }) => ({ jsonrpc: '2.0', id, error: 'the disk is full' })),
  unwelcome: () => greet({ error: { code: -32_000, message: 'No licence was found.' } }),
  modern: () =>
    greet({ result: { protocolVersion: '2099-01-01', capabilities: {}, serverInfo: { name: 'm', version: '1' } } }),
  leak: () => {
    process.stderr.write(`${place}\n`);
    process.exitCode = 1;
  },
  environment: () => serve(() => listed(...Object.keys(process.env))),
  told: () => serve(() => listed(process.cwd(), ...process.argv.slice(3))),
};

MODES[mode]!();
