/** Known attacks on local HTTP servers: DNS rebinding, foreign pages, request smuggling, slow and malformed clients. */
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { serveStarting } from '../../src/http/server/starting.ts';
import { daemonHere, sharedDaemon, testDaemon } from '../support/daemon.ts';
import { errorOf, handshake, type Reply, send, sendBytes, statuses } from './wire.ts';

const daemon = sharedDaemon();

const authorization = (): string => `Bearer ${daemon.token}`;

const FOREIGN_HOSTS = [
  'evil.com',
  'evil.com:7878',
  'localhost.evil.com',
  'localhost.evil.com:7878',
  '127.0.0.1.evil.com',
  '127.0.0.1evil.com',
  '1.127.0.0.1',
  '127.0.0.1.1',
  '127.0.0.1:7878.evil.com',
  '[::1].evil.com',
  '[::1]evil.com',
  '[::2]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '0.0.0.0:7878',
  '192.168.0.10',
  '2130706433',
  '0x7f000001',
  '127.1',
  'localhost@evil.com',
  'evil.com@localhost',
  'localhost:7878@evil.com',
  'localhost:x',
  'localhost:7878:7878',
  'localhost/evil.com',
  'localhost,evil.com',
  'local host',
  'evil.com#localhost',
  'evil.localhost',
  'evil.com.',
  'EVIL.COM',
];

const OWN_HOSTS = [
  'localhost',
  'localhost:7878',
  'LOCALHOST',
  'LocalHost:1',
  'localhost.',
  'localhost.:7878',
  '127.0.0.1',
  '127.0.0.1:7878',
  '127.0.0.1.',
  '127.8.9.10',
  '[::1]',
  '[::1]:7878',
];

describe('DNS rebinding', () => {
  it.each(FOREIGN_HOSTS)('Host: %s is 403 on public and closed routes and for preflights', async (host) => {
    for (const [method, path] of [
      ['GET', '/health'],
      ['GET', '/pair'],
      ['POST', '/pair'],
      ['GET', '/web'],
      ['GET', '/jobs'],
      ['POST', '/agent'],
      ['GET', '/nope'],
      ['OPTIONS', '/jobs'],
    ] as const) {
      const reply = await send(daemon.url, path, { method, headers: { host, authorization: authorization() } });
      expect([method, path, reply.status]).toEqual([method, path, 403]);
      expect(errorOf(reply)).not.toContain('evil');
    }
  });

  it('holds as well while the daemon copies the log from its database', async () => {
    const progress = () => ({ done: 1, total: 20_000 });
    const allowed = { allowedHosts: ['desk.lan'], allowedOrigins: [] };
    const starting = await serveStarting({ host: '127.0.0.1', port: 0, tls: null, version: '1', progress, ...allowed });
    onTestFinished(() => starting.close());
    const url = `http://127.0.0.1:${starting.port}`;
    const statusOf = async (headers: Record<string, string>) => (await send(url, '/health', { headers })).status;
    for (const host of FOREIGN_HOSTS) expect([host, await statusOf({ host })]).toEqual([host, 403]);
    for (const host of [...OWN_HOSTS, 'desk.lan']) expect([host, await statusOf({ host })]).toEqual([host, 200]);
    expect(await statusOf({ origin: 'https://evil.com' })).toBe(403);
    expect(await send(url, '/health', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await send(url, '/health', { method: 'POST' })).status).toBe(503);
  });

  it.each(OWN_HOSTS)('Host: %s is served', async (host) => {
    expect((await send(daemon.url, '/health', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'http://evil.com/health',
    'http://EVIL.com:7878/pair',
    'https://evil.com/health',
    'http://localhost@evil.com/health',
  ])('the absolute target %s is 403 whatever Host says', async (target) =>
    expect((await send(daemon.url, target)).status).toBe(403),
  );

  it('an absolute target that names us is served', async () => {
    expect((await send(daemon.url, 'http://localhost/health')).status).toBe(200);
  });

  it.each([
    'Host: localhost\r\nHost: evil.com',
    'Host: evil.com\r\nHost: localhost',
    'Host: localhost\r\n evil.com',
    '',
  ])('two, folded or missing Host headers are not served (%#)', async (lines) => {
    const head = lines === '' ? '' : `${lines}\r\n`;
    const raw = await sendBytes(daemon.url, `GET /pair HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    expect(statuses(raw)).toEqual([400]);
  });

  it.each<readonly [string, number, string]>([
    ['GET /health HTTP/1.1\r\nConnection: close\r\n', 400, 'HTTP/1.1 without a Host'],
    ['GET /v1/events/ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n', 400, 'a handshake without a Host'],
    ['POST /pair HTTP/1.1\r\nHost: localhost\r\nExpect: foo\r\nContent-Length: 0\r\n', 417, 'an unknown expectation'],
    ['GET /jobs/%zz HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n', 403, 'a broken URL at a foreign name'],
    ['GET /jobs/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n', 401, 'a broken URL without a credential'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n', 403, 'who takes the daemon for a proxy'],
    ['CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n', 401, 'a tunnel without a credential'],
  ])('%#: one refusal in our own shape, with the headers of every reply', async (lines, status) => {
    const raw = await sendBytes(daemon.url, `${lines}\r\n`);
    expect(statuses(raw)).toEqual([status]);
    expect(raw).toContain('{"error":');
    expect(raw.toLowerCase()).toContain('x-content-type-options: nosniff');
  });

  it('an older client has no Host and is served', async () => {
    expect(statuses(await sendBytes(daemon.url, 'GET /health HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });

  it('the pairing address names a host that passed the list', async () => {
    const reply = await send(daemon.url, '/pair', { headers: { host: 'LOCALHOST:99' } });
    expect((JSON.parse(reply.text) as { url: string }).url).toMatch(
      /^http:\/\/LOCALHOST:99\/pair\?token=[0-9a-f]{32}$/,
    );
  });

  it('configured names are served, and nothing like them', async () => {
    const other = await daemonHere({ env: { DAYBOOK_ALLOWED_HOSTS: 'desk.example:7878, [fd00::7]' } });
    const ask = async (host: string): Promise<number> =>
      (await send(other.url, '/health', { headers: { host } })).status;
    expect(await Promise.all(['desk.example', 'DESK.example:1', '[fd00::7]:80'].map(ask))).toEqual([200, 200, 200]);
    expect(await Promise.all(['x.desk.example', 'desk.example.evil.com', '[fd00::8]'].map(ask))).toEqual([
      403, 403, 403,
    ]);
  });
});

describe('headers that may be there once', () => {
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const right = (): string => `Authorization: ${authorization()}`;
  const wrong = 'authorization: Bearer wrong';

  it.each<readonly [string, string, () => string]>([
    ['the right credential first', 'GET /jobs', () => `${right()}\r\n${wrong}`],
    ['the wrong credential first', 'GET /jobs', () => `${wrong}\r\n${right()}`],
    ['the right credential twice', 'GET /jobs', () => `${right()}\r\n${right()}`],
    ['two on a public route', 'GET /health', () => `${right()}\r\n${wrong}`],
    ['two on no route', 'GET /nope', () => `${right()}\r\n${wrong}`],
    ['two where the query holds the token', 'GET /ws/collab/x', () => `${right()}\r\n${wrong}\r\n${upgrade}`],
    ['two in a handshake', 'GET /v1/events/ws', () => `${right()}\r\n${wrong}\r\n${upgrade}`],
    ['two with an expectation', 'GET /jobs', () => `${right()}\r\n${wrong}\r\nExpect: foo`],
    ['two for a tunnel', 'CONNECT localhost:443', () => `${right()}\r\n${wrong}`],
  ])('two Authorization headers are 400: %s', async (_what, target, lines) => {
    const bytes = `${target} HTTP/1.1\r\nHost: localhost\r\n${lines()}\r\n`;
    const close = lines().includes('Upgrade') ? '' : 'Connection: close\r\n';
    const raw = await sendBytes(daemon.url, `${bytes}${close}\r\n`);
    expect(statuses(raw)).toEqual([400]);
    expect(raw).toContain('{"error":"A request has at most one Authorization header."}');
  });

  it.each<readonly [string, string, string]>([
    ['empty', 'GET /health', 'Host:'],
    ['spaces', 'GET /health', 'Host:   '],
    ['a port alone', 'GET /health', 'Host: :7878'],
    ['empty and a name', 'GET /health', 'Host:\r\nHost: localhost'],
    ['empty beside an absolute target', 'GET http://localhost/health', 'Host:'],
    ['empty in a preflight', 'OPTIONS /jobs', 'Host:'],
  ])('a Host without a name is 400: %s', async (_what, target, lines) => {
    const raw = await sendBytes(daemon.url, `${target} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`);
    expect(statuses(raw)).toEqual([400]);
    expect(raw).toContain('{"error":"A request has one Host header, with a name."}');
  });

  it('a handshake without a name in its Host is 400', async () => {
    const raw = await sendBytes(daemon.url, `GET /v1/events/ws HTTP/1.1\r\nHost:\r\n${right()}\r\n${upgrade}\r\n\r\n`);
    expect(statuses(raw)).toEqual([400]);
  });

  it('two tokens in a query are no token, in either order', async () => {
    for (const query of [`token=${daemon.token}&token=wrong`, `token=wrong&token=${daemon.token}`]) {
      expect(await handshake(`${daemon.url}/ws/collab/x?${query}`)).toEqual({ status: 401, text: 'Invalid token' });
    }
  });
});

describe('pages of other origins', () => {
  it.each([
    ['none', 200],
    ['same-origin', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['SAME-ORIGIN', 403],
    ['', 403],
  ])('Sec-Fetch-Site: %s is %i', async (site, status) => {
    expect((await send(daemon.url, '/web', { headers: { 'sec-fetch-site': site } })).status).toBe(status);
  });

  it('a link on another site does not open the console', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await send(daemon.url, '/web', { headers })).status).toBe(403);
  });

  it('a form on another site, which needs no preflight, starts nothing', async () => {
    const headers = { origin: 'http://evil.com', 'content-type': 'text/plain', authorization: authorization() };
    const reply = await send(daemon.url, '/agent', { method: 'POST', headers, body: '{"task":"x"}' });
    expect(reply.status).toBe(403);
    expect(await (await daemon.request('/jobs')).json()).toEqual([]);
  });
});

describe('WebSocket handshakes', () => {
  const paths = ['/ws/collab/x', '/ws/voice/duplex', '/v1/events/ws', '/nope'];

  it.each(paths)('%s refuses foreign pages and hosts with 403, the right token notwithstanding', async (path) => {
    const at = `${daemon.url}${path}?token=${daemon.token}`;
    for (const headers of [
      { origin: 'http://evil.com' },
      { origin: 'null' },
      { origin: `http://localhost:${Number(new URL(daemon.url).port) + 1}` },
      { host: 'evil.com' },
      { host: '127.0.0.1.evil.com' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const reply = await handshake(at, { ...headers, authorization: authorization() });
      expect([headers, reply.status]).toEqual([headers, 403]);
    }
  });

  const upgrade = (lines: string, path = '/v1/events/ws'): Promise<string> =>
    sendBytes(
      daemon.url,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}\r\nConnection: Upgrade\r\n${lines}\r\n\r\n`,
    );

  it.each([
    'Upgrade: websocket',
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short',
    'Upgrade: websocket\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'Upgrade: nonsense',
  ])('an upgrade to garbage is refused (%#)', async (lines) => {
    const [status] = statuses(await upgrade(lines));
    expect(status).toBe(400);
  });

  it('an unknown socket path with the token is 404', async () => {
    const key = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    expect(statuses(await upgrade(key, '/nope'))).toEqual([404]);
  });

  it('a frame that is too large, and bytes that are no frame, end the socket and not the daemon', async () => {
    const at = `${daemon.url.replace('http', 'ws')}/v1/events/ws`;
    const closed = (talk: (socket: WebSocket, raw: Socket) => void): Promise<number> =>
      new Promise((resolve) => {
        const socket = new WebSocket(at, { headers: { authorization: authorization() } });
        let raw: Socket;
        socket.on('upgrade', (response) => {
          raw = response.socket;
        });
        socket.on('open', () => talk(socket, raw));
        socket.on('error', () => undefined);
        socket.on('close', resolve);
      });
    expect(await closed((socket) => socket.send(Buffer.alloc(100_000)))).toBe(1009);
    expect(await closed((_, raw) => raw.write('not a frame'))).toBe(1002);
    expect((await send(daemon.url, '/health')).status).toBe(200);
  });
});

describe('request smuggling', () => {
  const smuggled = (): string => `GET /jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization()}\r\n\r\n`;
  const post = (lines: string, body: string): string =>
    `POST /pair HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n\r\n${body}`;

  it.each<readonly [string, () => string]>([
    ['both lengths', () => post('Content-Length: 4\r\nTransfer-Encoding: chunked', `0\r\n\r\n${smuggled()}`)],
    [
      'both lengths, the other way',
      () => post('Transfer-Encoding: chunked\r\nContent-Length: 100', `0\r\n\r\n${smuggled()}`),
    ],
    ['two lengths', () => post('Content-Length: 0\r\nContent-Length: 100', smuggled())],
    ['a length with a sign', () => post('Content-Length: +0', smuggled())],
    ['a hexadecimal length', () => post('Content-Length: 0x0', smuggled())],
    ['two encodings', () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${smuggled()}`)],
    ['an unknown encoding', () => post('Transfer-Encoding: xchunked', `0\r\n\r\n${smuggled()}`)],
    ['a space before the colon', () => post('Transfer-Encoding : chunked', `0\r\n\r\n${smuggled()}`)],
    ['a broken chunk size', () => post('Transfer-Encoding: chunked', `zz\r\n\r\n${smuggled()}`)],
    ['bare line feeds', () => `POST /pair HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n${smuggled()}`],
    ['a header split by CR', () => post('X-A: b\rTransfer-Encoding: chunked', `0\r\n\r\n${smuggled()}`)],
    ['a NUL in a header', () => post('X-A: b\0c', smuggled())],
    ['an HTTP version of its own', () => 'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n'],
  ])('%s: one refusal, and the connection closes', async (_name, bytes) => {
    const raw = await sendBytes(daemon.url, bytes());
    expect(statuses(raw)).toEqual([400]);
    expect(raw).toContain('{"error":');
  });
});

describe('slow and silent clients', () => {
  it('a hundred half-open connections do not keep other clients from connecting', async () => {
    const { port } = new URL(daemon.url);
    const sockets = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1'));
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((done) =>
            socket.on('error', () => undefined).write('POST /agent HTTP/1.1\r\n', () => done()),
          ),
      ),
    );
    expect((await send(daemon.url, '/health')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('clients that hang up in the middle do no harm', async () => {
    const { port } = new URL(daemon.url);
    for (const start of [
      'POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
      'GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n',
    ]) {
      const socket = connect(Number(port), '127.0.0.1');
      await new Promise<void>((done) => socket.write(start, () => done()));
      socket.destroy();
    }
    const reply: Reply = await send(daemon.url, '/health');
    expect(reply.status).toBe(200);
  });
});

describe('listening', () => {
  it.each(['0.0.0.0', '::', '192.0.2.1', '127.0.0.1.evil.com'])('on %s is refused without the flag', async (host) => {
    const refusal = `Listening on ${host} lets other machines in; allow it with --allow-remote.`;
    await expect(testDaemon({ flags: { host } })).rejects.toThrow(refusal);
  });

  it('on every address is possible with the flag, and foreign Hosts stay refused', async () => {
    const other = await daemonHere({ flags: { host: '0.0.0.0', allow_remote: true } });
    const at = `http://127.0.0.1:${other.port}`;
    expect((await send(at, '/health')).status).toBe(200);
    expect((await send(at, '/health', { headers: { host: 'evil.com' } })).status).toBe(403);
    expect((await send(at, '/health', { headers: { host: '0.0.0.0' } })).status).toBe(403);
  });
});
