/** Upgrade requests: WebSocket on the routes that have one, plain HTTP/1.1 everywhere else. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { childDaemon, sharedDaemon } from '../support/daemon.ts';
import { sendBytes, statuses } from './wire.ts';

const daemon = sharedDaemon();

interface Asking {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Everything that comes back; a switch of protocols would hang, so the connection is asked to close. */
function ask({ line, headers = [], body = '' }: Asking): Promise<string> {
  const all = [
    `${line} HTTP/1.1`,
    `Host: 127.0.0.1:${daemon.port}`,
    `Authorization: Bearer ${daemon.token}`,
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  return sendBytes(daemon.url, `${all.join('\r\n')}\r\n\r\n${body}`);
}

const lastLine = (raw: string): unknown => JSON.parse(raw.split('\r\n').at(-1)!);

// Java's HttpClient asks every plain-text server for HTTP/2 by default; each of its requests was taken for a WebSocket
// handshake and answered 404, or 401 on public routes.
describe('Upgrade: h2c', () => {
  const h2c = ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'];

  it('GET /health is answered in HTTP/1.1', async () => {
    const raw = await ask({ line: 'GET /health', headers: h2c });
    expect(statuses(raw)).toEqual([200]);
    expect(lastLine(raw)).toMatchObject({ service: 'daybook' });
  });

  it('a POST keeps its body', async () => {
    const raw = await ask({ line: 'POST /api/tasks', headers: h2c, body: '{"title":"from Java"}' });
    expect(statuses(raw)).toEqual([200]);
    expect(lastLine(raw)).toMatchObject({ title: 'from Java' });
  });
});

describe('Upgrade: websocket', () => {
  const websocket = ['Connection: Upgrade', 'Upgrade: websocket'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

  // Such a target is no URL, and was answered 500.
  it.each(['//', '///', 'http://'])('the target %s is 400', async (target) => {
    const raw = await ask({ line: `GET ${target}`, headers: [...websocket, key, 'Sec-WebSocket-Version: 13'] });
    expect(statuses(raw)).toEqual([400]);
    expect(lastLine(raw)).toEqual({ error: 'The URL cannot be read.' });
  });

  it.each([
    ['no key', ['Sec-WebSocket-Version: 13'], /Sec-WebSocket-Key/],
    ['another version', [key, 'Sec-WebSocket-Version: 12'], /Sec-WebSocket-Version/],
  ])('a handshake with %s is 400 in our own shape', async (_name, headers, message) => {
    const raw = await ask({ line: 'GET /v1/events/ws', headers: [...websocket, ...headers] });
    expect(statuses(raw)).toEqual([400]);
    expect(raw).toMatch(/^sec-websocket-version: 13$/im);
    expect(raw).toMatch(/^x-content-type-options: nosniff$/im);
    expect(lastLine(raw)).toEqual({ error: expect.stringMatching(message) });
  });
});

const FOREIGN = 'Host: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

describe('a refused handshake', () => {
  // Errors of a connection need a listener at every stage: a page that opens a socket and closes at once must not end
  // the daemon.
  it('whose client is gone before it is answered ends nothing else', { timeout: 60_000 }, async () => {
    const victim = await childDaemon();
    const { hostname, port } = new URL(victim.url);
    const resets = async (): Promise<void> => {
      for (let round = 0; round < 30 && victim.process.exitCode === null; round += 1) {
        await new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname, () =>
            socket.write(`GET /v1/events/ws HTTP/1.1\r\n${FOREIGN}`, () => {
              setImmediate(() => socket.resetAndDestroy());
            }),
          );
          socket.on('error', () => undefined).on('close', () => resolve());
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, resets));
    expect((await victim.request('/health')).status).toBe(200);
    expect(await victim.kill('SIGTERM')).toBe(0);
  });

  it('leaves no connection behind that its client keeps half open', async () => {
    const socket = connect({ port: daemon.port, host: '127.0.0.1', allowHalfOpen: true });
    const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
    socket.on('error', () => undefined).resume();
    socket.write(`GET /v1/events/ws HTTP/1.1\r\n${FOREIGN}`);
    await new Promise((resolve) => socket.once('end', resolve));
    // Bytes for a connection that is gone are answered with a reset.
    const talk = setInterval(() => socket.write('x'), 20);
    expect(await closed).toBe(true);
    clearInterval(talk);
  });
});
