/**
 * A running daemon conforms to its own OpenAPI document: real answers have a declared status, a declared content type
 * and, if they are JSON, the declared schema; for every route, with success and with failure.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../src/http/openapi/document.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { type Reply, send } from './wire.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const daemon = sharedDaemon();
/** One path in so many gets a body over the limit: the same code reads the bodies of all routes. */
const LARGE_EVERY = 8;
let document: OpenApi;
/** Ids of things that exist. */
let known: { readonly session: string; readonly task: string; readonly script: string; readonly style: string };

beforeAll(async () => {
  document = (await (await fetch(`${daemon.url}/openapi.json`)).json()) as OpenApi;
  ajv.addSchema({ ...document, $id: 'doc' });
  const started = await daemon.request('/agent', {
    method: 'POST',
    body: '{"task":"List what is here and write notes.md with hello","approval":"auto-edit"}',
  });
  const { session_id: session } = (await started.json()) as { session_id: string };
  await (await daemon.request(`/stream/${session}`)).text();
  const made = await daemon.request('/api/tasks', { method: 'POST', body: '{"title":"a task"}' });
  const { id: task } = (await made.json()) as { id: string };
  await daemon.request(`/api/tasks/${task}`, { method: 'PATCH', body: JSON.stringify({ session_id: session }) });
  const page = (await ask('/web', 'GET')).text;
  const [script, style] = ['js', 'css'].map((kind) => new RegExp(`/web/[^"]+\\.${kind}`).exec(page)![0]);
  known = { session, task, script: script!, style: style! };
});

const compiled = new Map<string, ValidateFunction>();

/** The check of a schema of the document. Most answers of failures have the same one, which is compiled once. */
function checkOf(schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"doc#/');
  const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, known);
  return known;
}

/** Fails unless the document declares this reply of the route. */
function declared(path: string, method: string, reply: Reply): void {
  const lower = method.toLowerCase();
  const response = document.paths[path]?.[lower]?.responses[reply.status];
  expect([path, method, reply.status, response !== undefined ? 'declared' : 'not declared']).toEqual([
    path,
    method,
    reply.status,
    'declared',
  ]);
  const type = String(reply.headers['content-type']).split(';')[0]!;
  expect(Object.keys(response!.content ?? {})).toContain(type);
  if (type !== 'application/json') return;
  const check = checkOf(response!.content![type]!.schema);
  const valid = check(JSON.parse(reply.text));
  expect([ajv.errorsText(check.errors), valid]).toEqual(['No errors', true]);
}

/** The target with what is known in place of its braces. */
function concrete(target: string): string {
  return Object.entries(known).reduce((path, [name, value]) => path.replace(`{${name}}`, value), target);
}

async function ask(target: string, method: string, body?: string, others: object = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${daemon.token}`, ...others };
  return send(daemon.url, target, { method, headers, ...(body === undefined ? {} : { body }) });
}

const CHAT = '{"messages":[{"role":"user","content":"hello"}]}';
const PROFILE = '/harness/profile?provider=openai&model=gpt-x';

type Sample = readonly [method: string, path: string, target: string, body?: string];

const named = (samples: readonly Sample[]) =>
  samples.map(([method, path, target, body]) => ({ method, path, target, body }));

/** Route, a real target for it, body. Targets name what exists as `{session}` and `{task}`. */
const SUCCESSES: readonly Sample[] = [
  ['GET', '/health', '/health'],
  ['POST', '/chat', '/chat', CHAT],
  ['POST', '/chat/stream', '/chat/stream', CHAT],
  ['POST', '/agent', '/agent', '{"task":"Say hello."}'],
  ['GET', '/stream/{session_id}', '/stream/{session}'],
  ['GET', '/jobs', '/jobs'],
  ['GET', '/jobs', '/jobs?limit=1&after={session}'],
  ['GET', '/jobs/{id}', '/jobs/{session}'],
  ['GET', '/jobs/{id}/replay', '/jobs/{session}/replay'],
  ['POST', '/jobs/{id}/cancel', '/jobs/{session}/cancel'],
  ['POST', '/jobs/{id}/fork', '/jobs/{session}/fork', '{"step":1}'],
  ['GET', '/harness/profile', PROFILE],
  ['PUT', '/harness/profile', PROFILE, '{"temperature":0,"thinking_budgets":{"low":1}}'],
  ['GET', '/harness/profile', PROFILE],
  ['GET', '/harness/profiles', '/harness/profiles'],
  ['DELETE', '/harness/profile', PROFILE],
  ['POST', '/api/tasks', '/api/tasks', '{"title":"x","provider":"openai","model":"m","project_path":"a"}'],
  ['GET', '/api/tasks', '/api/tasks'],
  ['GET', '/api/tasks/{id}', '/api/tasks/{task}'],
  ['PATCH', '/api/tasks/{id}', '/api/tasks/{task}', '{"status":"reviewing"}'],
  ['GET', '/api/tasks/{id}/history', '/api/tasks/{task}/history'],
  ['POST', '/collab/rooms', '/collab/rooms', '{"room_id":"r"}'],
  ['GET', '/collab/rooms', '/collab/rooms'],
  ['GET', '/collab/rooms/{room_id}/peers', '/collab/rooms/r/peers'],
  ['GET', '/models', '/models'],
  ['GET', '/v1/capabilities', '/v1/capabilities'],
  ['GET', '/mobile/beacon', '/mobile/beacon'],
  ['GET', '/.well-known/mcp.json', '/.well-known/mcp.json'],
  ['GET', '/favicon.svg', '/favicon.svg'],
  ['GET', '/pair', '/pair'],
  ['GET', '/v1/events', '/v1/events'],
  ['GET', '/v1/events', '/v1/events?after=3&limit=2&stream=run-{session}&type=ToolStarted'],
  ['GET', '/v1/metrics/history', '/v1/metrics/history?from=0&points=10'],
  ['GET', '/v1/log/head', '/v1/log/head'],
  ['GET', '/v1/log/proof', '/v1/log/proof?position=2'],
  ['GET', '/v1/log/proof', '/v1/log/proof?position=2&format=tlog-proof'],
  ['GET', '/v1/log/consistency', '/v1/log/consistency?from=2'],
  ['POST', '/v1/views/rebuild', '/v1/views/rebuild'],
  ['GET', '/sessions', '/sessions'],
  ['GET', '/sessions.json', '/sessions.json'],
  ['GET', '/view/{id}', '/view/{session}'],
  ['GET', '/share/{id}', '/share/{session}'],
  ['GET', '/web', '/web'],
  ['GET', '/web/scripts/{name}', '{script}'],
  ['GET', '/web/styles/{name}', '{style}'],
  ['GET', '/docs', '/docs'],
  ['GET', '/openapi.json', '/openapi.json'],
];

describe('what succeeds', () => {
  it.each(named(SUCCESSES))('$method $path as $target', async ({ method, path, target, body }) => {
    const reply = await ask(concrete(target), method, body);
    expect(reply.status).toBe(200);
    declared(path, method, reply);
  });

  it('POST /pair', async () => {
    const { token } = JSON.parse((await ask('/pair', 'GET')).text) as { token: string };
    const reply = await ask('/pair', 'POST', JSON.stringify({ token }));
    expect(reply.status).toBe(200);
    declared('/pair', 'POST', reply);
  });
});

const FAILURES: readonly Sample[] = [
  ['GET', '/v1/events', '/v1/events?limit=0'],
  ['POST', '/collab/rooms', '/collab/rooms', '{"room_id":""}'],
  ['GET', '/collab/rooms/{room_id}/peers', '/collab/rooms/nope/peers'],
  ['GET', '/v1/log/proof', '/v1/log/proof?position=0'],
  ['GET', '/stream/{session_id}', '/stream/{session}?after=x'],
  ['POST', '/jobs/{id}/fork', '/jobs/{session}/fork', '{"step":99}'],
  ['POST', '/agent', '/agent', '{"task":"x","resume_session_id":"nope"}'],
  ['POST', '/pair', '/pair', '{"token":"nope"}'],
];

/** Streams without end, and what would start over beside the others. */
const UNASKED = new Set(['/v1/events/stream', '/index/stream', '/v1/views/rebuild']);

describe('what fails', () => {
  it('for every route: without a credential, from elsewhere, with nonsense for a position, a body, a query, an id', async () => {
    for (const [at, [path, methods]] of Object.entries(document.paths).entries()) {
      const tooLarge = at % LARGE_EVERY === 0 ? ['x'.repeat(1_048_577)] : [];
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        const target = path.replace(/\{\w+\}/g, 'nothing-of-that-id');
        const bare = await send(daemon.url, target, { method, headers: { host: 'evil.com' } });
        expect([path, method, bare.status]).toEqual([path, method, 403]);
        declared(path, method, bare);
        if (methods[method.toLowerCase()]!['x-auth'] !== 'public')
          declared(path, method, await send(daemon.url, target, { method }));
        const position = await ask(target, method, undefined, { 'daybook-min-position': 'none' });
        expect([path, method, position.status]).toEqual([path, method, 400]);
        declared(path, method, position);
        if (UNASKED.has(path)) continue;
        for (const body of method === 'GET' ? [undefined] : [undefined, '{', '[]', '{"nothing":1}', ...tooLarge]) {
          declared(path, method, await ask(target, method, body));
        }
      }
    }
  });

  it.each(named(FAILURES))('$method $path as $target', async ({ method, path, target, body }) => {
    const reply = await ask(target.replace('{session}', known.session), method, body);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    declared(path, method, reply);
  });
});

it.each(['/voice/transcribe', '/webhook/forge', '/v1/tlog/add-checkpoint', '/webhook/skill/{skill_name}'])(
  'a body of any bytes is required where a request without one is refused for it: POST %s',
  async (path) => {
    const { status } = await ask(path.replace(/\{\w+\}/, 'unknown'), 'POST');
    expect(document.paths[path]!.post!.requestBody!.required).toBe(status === 400);
  },
);

// The route's own 409 names the briefing that is being made; this one has none to name.
it('a key that was used with another body: POST /briefing/generate', async () => {
  const headers = { authorization: `Bearer ${daemon.token}`, 'idempotency-key': 'twice' };
  const generate = (body: string): Promise<Reply> =>
    send(daemon.url, '/briefing/generate', { method: 'POST', headers, body });
  expect((await generate('{}')).status).toBe(200);
  const second = await generate('{"sections":["goals"]}');
  expect(second.status).toBe(409);
  declared('/briefing/generate', 'POST', second);
});

it('an Idempotency-Key is declared where a repeat gets the first answer: everywhere except at MCP', () => {
  const keyed = new Set(['post', 'patch', 'delete']);
  const undeclared = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { parameters }]) => {
        return keyed.has(method) && !parameters.some(({ name }) => name === 'Idempotency-Key');
      })
      .map(([method]) => `${method} ${path}`),
  );
  expect(undeclared.sort()).toEqual(['delete /mcp', 'post /mcp']);
});

describe('the check itself', () => {
  const reply = (text: string, status = 200, type = 'application/json'): Reply => ({
    status,
    text,
    headers: { 'content-type': type },
  });

  it.each([
    ['a field too many', () => reply('{"position":1,"tree_hash":"x","at":null,"more":1}')],
    ['a field of another type', () => reply(JSON.stringify({ position: 'one', tree_hash: 'a'.repeat(64), at: null }))],
    ['an undeclared status', () => reply('{}', 418)],
    ['an undeclared type', () => reply('<p>', 200, 'text/html')],
  ])('finds %s', (_name, wrong) => {
    expect(() => declared('/v1/log/head', 'GET', wrong())).toThrow();
  });
});
