/** CORS as a table, and the security headers of every kind of reply. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../src/http/openapi/document.ts';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { errorOf, type Reply, send, sendBytes } from './wire.ts';

const daemon = sharedDaemon();
let session = '';
/** The path of the console's style sheet. */
let style = '';

beforeAll(async () => {
  const started = await daemon.request('/agent', { method: 'POST', body: '{"task":"Say hello."}' });
  session = ((await started.json()) as { session_id: string }).session_id;
  style = /\/web\/styles\/[^"]+/.exec((await send(daemon.url, '/web')).text)![0];
});

const ALLOWED = ['http://localhost', 'http://127.0.0.1', 'tauri://localhost', 'https://tauri.localhost'];
const OWN = [(port: string) => `http://localhost:${port}`, (port: string) => `http://127.0.0.1:${port}`];
const FOREIGN = [
  'null',
  'http://evil.com',
  'https://localhost',
  'https://127.0.0.1',
  'http://localhost:1',
  'http://127.0.0.1:1',
  'http://localhost.evil.com',
  'http://evil.localhost',
  'http://127.0.0.1.evil.com',
  'http://[::1]',
  'tauri://evil',
  'tauri://localhost.evil.com',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'http://localhost@evil.com',
  'http://localhost, http://evil.com',
  '*',
  '',
];
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'];
const HEADERS = [
  'content-type',
  'authorization',
  'accept',
  'last-event-id',
  'idempotency-key',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-voice-language',
  'x-voice-prefer-local',
];

function preflight(origin: string): Promise<Reply> {
  const asked = {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization',
  };
  return send(daemon.url, '/jobs', { method: 'OPTIONS', headers: asked });
}

const list = (header: string | undefined): string[] => (header ?? '').toLowerCase().split(/\s*,\s*/);

describe.each([...ALLOWED.map((origin) => () => origin), ...OWN])('an allowed origin (%#)', (of) => {
  const origin = (): string => of(new URL(daemon.url).port);

  it('may ask for every method and send every header that a route reads', async () => {
    const reply = await preflight(origin());
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers['access-control-allow-origin']).toBe(origin());
    expect(list(reply.headers['access-control-allow-methods'])).toEqual(expect.arrayContaining(METHODS));
    expect(list(reply.headers['access-control-allow-headers'])).toEqual(expect.arrayContaining(HEADERS));
  });

  it('is echoed on every reply, also on errors, with Vary and without credentials', async () => {
    for (const path of ['/health', '/jobs', '/nope']) {
      const reply = await send(daemon.url, path, { headers: { origin: origin() } });
      expect(reply.headers['access-control-allow-origin']).toBe(origin());
      expect(list(reply.headers.vary)).toContain('origin');
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });
});

it('a page may read every header of an answer that the OpenAPI document has', async () => {
  const { paths } = JSON.parse((await send(daemon.url, '/openapi.json')).text) as OpenApi;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  const documented = answers.flatMap((each) => Object.keys(each.headers ?? {}));
  const { headers } = await send(daemon.url, '/health', { headers: { origin: 'http://localhost' } });
  const exposed = list(headers['access-control-expose-headers']);
  expect(exposed.sort()).toEqual([...new Set(documented.map((name) => name.toLowerCase()))].sort());
});

describe('a foreign origin', () => {
  it.each(FOREIGN)('“%s” gets a preflight that allows nothing', async (origin) => {
    const reply = await preflight(origin);
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    expect(reply.headers['access-control-allow-methods']).toBeUndefined();
  });

  it.each(FOREIGN)('“%s” is refused with 403, on public routes and with the token', async (origin) => {
    for (const path of ['/health', '/pair', '/web', '/openapi.json', '/jobs', '/nope']) {
      const headers = { origin, authorization: `Bearer ${daemon.token}` };
      const reply = await send(daemon.url, path, { headers });
      expect([path, reply.status, reply.headers['access-control-allow-origin']]).toEqual([path, 403, undefined]);
      errorOf(reply);
    }
  });
});

it('configured origins are allowed, and nothing beside them', async () => {
  const env = { DAYBOOK_ALLOWED_ORIGINS: 'https://desk.example' };
  const other = await daemonHere({ env });
  const ask = (origin: string): Promise<Reply> => send(other.url, '/health', { headers: { origin } });
  expect((await ask('https://desk.example')).headers['access-control-allow-origin']).toBe('https://desk.example');
  expect((await ask('https://desk.example.evil.com')).status).toBe(403);
  expect((await ask('http://desk.example')).status).toBe(403);
});

const SECURITY = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'strict-transport-security': 'max-age=31536000',
};

const REPLIES: readonly (readonly [string, () => Promise<Reply>])[] = [
  ['200 JSON', () => send(daemon.url, '/health')],
  ['200 HTML', () => send(daemon.url, '/sessions', { headers: { authorization: `Bearer ${daemon.token}` } })],
  ['200 text of a file', () => send(daemon.url, style)],
  ['200 of a preflight', () => preflight('http://localhost')],
  ['401', () => send(daemon.url, '/jobs')],
  ['403 foreign origin', () => send(daemon.url, '/jobs', { headers: { origin: 'http://evil.com' } })],
  ['403 foreign host', () => send(daemon.url, '/jobs', { headers: { host: 'evil.com' } })],
  ['404', () => send(daemon.url, '/nope', { headers: { authorization: `Bearer ${daemon.token}` } })],
  ['404 HTML', () => send(daemon.url, '/view/nope', { headers: { authorization: `Bearer ${daemon.token}` } })],
  ['405', () => send(daemon.url, '/health', { method: 'PUT' })],
  ['400 body', () => send(daemon.url, '/pair', { method: 'POST', body: '{' })],
  ['400 URL', () => send(daemon.url, '/jobs/%zz', { headers: { authorization: `Bearer ${daemon.token}` } })],
  ['413', () => send(daemon.url, '/pair', { method: 'POST', body: 'x'.repeat(1_048_577) })],
  ['431', () => send(daemon.url, `/health?${'a'.repeat(20_000)}`)],
  ['SSE', () => send(daemon.url, `/stream/${session}`, { headers: { authorization: `Bearer ${daemon.token}` } })],
];

describe('security headers', () => {
  it.each(REPLIES)('are on a %s', async (_name, ask) => {
    const { headers } = await ask();
    expect(headers).toMatchObject(SECURITY);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers.server).toBeUndefined();
  });

  it('give the microphone to the console only, and only to itself', async () => {
    const { headers } = await send(daemon.url, '/web');
    const microphone = 'camera=(), microphone=(self), geolocation=()';
    expect(headers).toMatchObject({ ...SECURITY, 'permissions-policy': microphone });
  });

  it('are sent once, also by a page that sets its own', async () => {
    for (const path of ['/health', '/web', style]) {
      const raw = await sendBytes(daemon.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      const names = [...raw.split('\r\n\r\n', 1)[0]!.matchAll(/^([\w-]+):/gm)].map(([, name]) => name!.toLowerCase());
      expect(names).toEqual([...new Set(names)]);
      expect(names).toEqual(
        expect.arrayContaining([...Object.keys(SECURITY), 'content-security-policy', 'cache-control']),
      );
    }
  });

  it('are on what answers garbage and refused handshakes', async () => {
    const garbage = await sendBytes(daemon.url, 'hello\r\n\r\n');
    const socket = await sendBytes(
      daemon.url,
      'GET /ws/collab/a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    for (const raw of [garbage, socket]) {
      for (const [name, value] of Object.entries(SECURITY)) expect(raw).toContain(`${name}: ${value}\r\n`);
    }
  });

  it('nothing that may hold secrets is kept by a cache', async () => {
    for (const path of ['/pair', '/health', '/jobs', '/web']) {
      const reply = await send(daemon.url, path, { headers: { authorization: `Bearer ${daemon.token}` } });
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('scripts are allowed to the console and the page of the interface only, from their own files only', async () => {
    const policy = async (path: string): Promise<string[]> => {
      const reply = await send(daemon.url, path, { headers: { authorization: `Bearer ${daemon.token}` } });
      return String(reply.headers['content-security-policy']).split('; ');
    };
    for (const path of ['/sessions', `/view/${session}`, `/share/${session}`, '/health', '/nope']) {
      expect(await policy(path)).toContain("script-src 'none'");
    }
    for (const path of ['/web', '/docs']) {
      expect(await policy(path)).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"]),
      );
      expect((await policy(path)).join()).not.toContain('unsafe');
    }
  });
});
