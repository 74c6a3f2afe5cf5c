/** Access: every route of the contract without and with broken credentials, and unknown paths. */
import { describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { CONTRACT_ROUTES, concrete } from './contract-routes.ts';
import { errorOf, handshake, inject, send } from './wire.ts';

const daemon = sharedDaemon();

interface Fault {
  readonly name: string;
  readonly query?: (token: string) => string;
  readonly header?: (token: string) => string;
  readonly says: RegExp;
}

const FAULTS: readonly Fault[] = [
  { name: 'no token', says: /^Missing bearer token: .* In a browser open the console, \/web\.$/ },
  { name: 'a wrong token', header: () => `Bearer ${'0'.repeat(32)}`, says: /^Invalid bearer token/ },
  { name: 'the token cut short', header: (token) => `Bearer ${token.slice(0, -1)}`, says: /^Invalid bearer token/ },
  { name: 'the token in the query', query: (token) => `?token=${token}`, says: /^Missing bearer token/ },
  { name: 'a lower-case scheme', header: (token) => `bearer ${token}`, says: /^Missing bearer token/ },
  { name: 'two spaces', header: (token) => `Bearer  ${token}`, says: /^Invalid bearer token/ },
  { name: 'the bare token', header: (token) => token, says: /^Missing bearer token/ },
  { name: 'basic authentication', header: (token) => `Basic ${btoa(`x:${token}`)}`, says: /^Missing bearer token/ },
];

const BEARER = CONTRACT_ROUTES.filter(({ auth }) => auth === 'bearer');
const PUBLIC = CONTRACT_ROUTES.filter(({ auth }) => auth === 'public');
const SOCKETS = CONTRACT_ROUTES.filter(({ auth }) => auth === 'query-token');

it.each(FAULTS)('$name is 401', async ({ query, header, says }) => {
  const authorization = header?.(daemon.token);
  const headers = authorization === undefined ? {} : { authorization };
  const reply = await inject(daemon, `/jobs${query?.(daemon.token) ?? ''}`, { headers });
  expect(reply.status).toBe(401);
  expect(errorOf(reply)).toMatch(says);
  expect(reply.text).not.toContain(daemon.token);
  expect(reply.headers['www-authenticate']).toBeUndefined();
});

it.each(BEARER)('routes of the contract: $method $path needs the token', async ({ method, path }) => {
  const bare = await inject(daemon, concrete(path), { method });
  expect([bare.status, errorOf(bare)]).toEqual([401, expect.stringMatching(/^Missing bearer token/)]);
  const headers = { authorization: `Bearer ${daemon.token}` };
  const reply = await inject(daemon, concrete(path), { method, headers });
  expect(reply.status).not.toBe(401);
  if (reply.status < 400 || reply.headers['content-type']?.startsWith('text/html')) return;
  // An unknown skill is told that nothing was triggered, too.
  if (path !== '/webhook/skill/{skill_name}') errorOf(reply);
  else expect(JSON.parse(reply.text)).toEqual({ triggered: false, error: expect.stringContaining('skill') });
});

it('routes beside those of the contract are 401 without the token, but for these', async () => {
  const document = JSON.parse((await inject(daemon, '/openapi.json')).text) as { paths: Record<string, object> };
  const known = new Set(CONTRACT_ROUTES.map(({ method, path }) => `${method} ${path}`));
  const others = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
    .filter(({ method, path }) => !known.has(`${method} ${path}`));
  expect(others.length).toBeGreaterThan(50);
  const open: string[] = [];
  for (const { method, path } of others) {
    const { status } = await inject(daemon, concrete(path), { method });
    if (status !== 401) open.push(`${method} ${path}`);
  }
  const documents = ['/asyncapi.json', '/docs', '/docs/{name}', '/openapi.json'];
  const assets = ['/web/scripts/{name}', '/web/styles/{name}'];
  expect(open.sort()).toEqual([
    ...[...documents, ...assets].map((path) => `GET ${path}`),
    // These check a token that works once, and a signature.
    'POST /pair',
    'POST /v1/tlog/add-checkpoint',
  ]);
});

describe('public routes', () => {
  it.each(PUBLIC)('$method $path needs no credential, and reads none', async ({ method, path }) => {
    expect((await inject(daemon, path, { method })).status).toBe(200);
    expect((await inject(daemon, path, { method, headers: { authorization: 'Bearer wrong' } })).status).toBe(200);
  });

  it('the files of the console need no credential', async () => {
    const files = [...(await inject(daemon, '/web')).text.matchAll(/\/web\/[^"]+/g)].map(([path]) => path);
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/\.js$/), expect.stringMatching(/\.css$/)]));
    for (const path of files) expect((await inject(daemon, path)).status).toBe(200);
  });
});

describe('WebSocket routes', () => {
  it.each(SOCKETS)('$path is 401 Invalid token without, with a wrong and with a header token', async ({ path }) => {
    const at = daemon.url + concrete(path);
    const invalid = { status: 401, text: 'Invalid token' };
    expect(await handshake(at)).toEqual(invalid);
    expect(await handshake(`${at}?token=`)).toEqual(invalid);
    expect(await handshake(`${at}?token=${'0'.repeat(32)}`)).toEqual(invalid);
    expect(await handshake(at, { authorization: `Bearer ${daemon.token}` })).toEqual(invalid);
  });

  it.each(SOCKETS)('$path asked as a plain request is 401 Invalid token, too', async ({ path }) => {
    const reply = await inject(daemon, `${concrete(path)}?token=nope`);
    expect([reply.status, reply.text]).toEqual([401, 'Invalid token']);
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([...SOCKETS.map(({ path }) => concrete(path)), '/v1/events/ws'])(
    '%s asked as a plain request, with its credential, is 426 and says what is missing',
    async (path) => {
      const headers = path.startsWith('/ws/') ? {} : { authorization: `Bearer ${daemon.token}` };
      const reply = await send(daemon.url, `${path}?token=${daemon.token}`, { headers });
      expect([reply.status, reply.headers.connection, reply.headers.upgrade]).toEqual([
        426,
        'close, Upgrade',
        'websocket',
      ]);
      expect(errorOf(reply)).toContain('Upgrade: websocket');
    },
  );

  it('/v1/events/ws wants the bearer token in its header', async () => {
    const at = `${daemon.url}/v1/events/ws`;
    expect((await handshake(at)).status).toBe(401);
    expect((await handshake(`${at}?token=${daemon.token}`)).status).toBe(401);
    expect((await handshake(at, { authorization: `Bearer ${daemon.token}` })).status).toBe(101);
  });
});

describe('what is no route', () => {
  it.each([
    '/',
    '/nope',
    '/jobs/a/b',
    '/web/../package.json',
    '/web/index.html',
    '/web/base.css',
    '/Health',
    '/health/',
  ])('%s is 401 without the token and 404 with it', async (path) => {
    expect((await send(daemon.url, path)).status).toBe(401);
    const known = await send(daemon.url, path, { headers: { authorization: `Bearer ${daemon.token}` } });
    expect([known.status, known.text]).toEqual([404, '{"error":"Not found"}']);
  });

  it.each([
    ['DELETE', '/jobs', 'GET, HEAD'],
    ['PUT', '/agent', 'POST'],
    ['POST', '/jobs/x1', 'GET, HEAD'],
    ['GET', '/jobs/x1/cancel', 'POST'],
    ['POST', '/harness/profile', 'GET, HEAD, PUT, DELETE'],
    ['PATCH', '/api/tasks', 'GET, HEAD, POST'],
    ['POST', '/sessions', 'GET, HEAD'],
    // Another route, whose path has a parameter there, has the method.
    ['GET', '/briefing/settings', 'PUT'],
    ['PATCH', '/v1/goals/current', 'GET, HEAD, PUT, DELETE'],
    ['DELETE', '/engagements/template', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const bare = await send(daemon.url, path, { method });
    expect(bare.status).toBe(401);
    const reply = await send(daemon.url, path, { method, headers: { authorization: `Bearer ${daemon.token}` } });
    expect([reply.status, reply.headers.allow]).toEqual([405, allow]);
    expect(errorOf(reply)).toContain(method);
  });

  it.each(['POST', 'DELETE', 'PATCH'])('%s /health is 405 without a token: the path is public', async (method) => {
    const reply = await send(daemon.url, '/health', { method });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
    errorOf(reply);
  });

  it.each(['TRACE', 'PROPFIND', 'M-SEARCH'])('%s is refused', async (method) => {
    const reply = await send(daemon.url, '/jobs', { method });
    expect([400, 401, 404, 405, 501]).toContain(reply.status);
    errorOf(reply);
  });

  it('HEAD is GET without its body', async () => {
    const reply = await send(daemon.url, '/health', { method: 'HEAD' });
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect((await send(daemon.url, '/jobs', { method: 'HEAD' })).status).toBe(401);
  });
});
