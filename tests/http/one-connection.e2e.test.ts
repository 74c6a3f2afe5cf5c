/**
 * Several requests on one connection: replies in order, also after a refused body, and no bytes after the last reply.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { refuseGarbage, trackConnections } from '../../src/http/server/connections.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { listening } from '../support/ports.ts';
import { sendBytes, statuses } from './wire.ts';

const daemon = sharedDaemon();

function head(line: string, ...headers: string[]): string {
  const own = ['Host: localhost', `Authorization: Bearer ${daemon.token}`];
  return `${[`${line} HTTP/1.1`, ...own, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Answered when it is in the log: what comes behind it comes before its answer. */
function goal(title: string): string {
  const body = JSON.stringify({ title });
  return `${head('POST /v1/goals', `Content-Length: ${body.length}`)}${body}`;
}

const last = (): string => head('GET /health', 'Connection: close');

/** A client that keeps its half of the connection open. */
async function stubborn(bytes: string): Promise<Socket> {
  const socket = connect({ port: daemon.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).write(bytes);
  await once(socket, 'connect');
  return socket;
}

function text(socket: Socket): Promise<string> {
  let all = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    all += part;
  });
  return new Promise((resolve) => socket.once('end', () => resolve(all)));
}

describe('a refused body', () => {
  // The connection was closed on a client that was still sending: it got EPIPE instead of the 413.
  it.each([1_048_577, 8_000_000])('of %i bytes is read to its end, and the next request is answered', async (bytes) => {
    const sent = head('POST /memory/add', `Content-Length: ${bytes}`) + 'x'.repeat(bytes);
    expect(statuses(await sendBytes(daemon.url, sent + last()))).toEqual([413, 200]);
  });

  it.each([
    ['no JSON', 400, []],
    ['{}', 415, ['Content-Encoding: gzip']],
  ])('%s does not end the connection: %i', async (body, status, headers) => {
    const sent = head('POST /memory/add', `Content-Length: ${body.length}`, ...headers) + body;
    expect(statuses(await sendBytes(daemon.url, sent + last()))).toEqual([status, 200]);
  });

  it.each([
    ['/memory/add', 413, () => daemon.token],
    ['/nope', 404, () => daemon.token],
    ['/memory/add', 401, () => 'wrong'],
  ])(
    'is read to its end, too, where the connection closes with the answer: POST %s is %i',
    async (path, status, token) => {
      const [bytes, headers] = [8_000_000, `Host: localhost\r\nAuthorization: Bearer ${token()}\r\nConnection: close`];
      const socket = connect(daemon.port, '127.0.0.1').on('error', () => undefined);
      const answer = text(socket);
      socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
      await once(socket, 'close');
      expect(socket.errored).toBeNull();
      expect(statuses(await answer)).toEqual([status]);
    },
  );

  it('that does not arrive is answered before its connection closes', async () => {
    const request = head('POST /nope', 'Content-Length: 9', 'Connection: close');
    expect(statuses(await sendBytes(daemon.url, request))).toEqual([404]);
  });

  it('that its client gives up is refused once', async () => {
    const socket = await stubborn(head('POST /memory/add', 'Content-Length: 9000000'));
    const answer = text(socket);
    await once(socket, 'data');
    socket.end();
    expect(statuses(await answer)).toEqual([413]);
  });
});

describe('behind a request that is under way', () => {
  it('garbage is refused after its answer', async () => {
    const raw = await sendBytes(daemon.url, `${goal('before garbage')}garbage\r\n\r\n`);
    expect(statuses(raw)).toEqual([201, 400]);
  });

  it('more garbage is not refused again', async () => {
    const socket = await stubborn(`${goal('before much garbage')}garbage\r\n\r\n`);
    const answer = text(socket);
    for (let more = 0; more < 20; more += 1) {
      socket.write('garbage\r\n\r\n');
      await new Promise(setImmediate);
    }
    expect(statuses(await answer).slice(0, 2)).toEqual([201, 400]);
    expect(statuses(await answer)).toHaveLength(2);
  });

  it('CONNECT is refused after its answer', async () => {
    const raw = await sendBytes(daemon.url, goal('before CONNECT') + head('CONNECT localhost:80'));
    expect(statuses(raw)).toEqual([201, 405]);
  });

  it('no socket opens', async () => {
    const handshake = head(
      `GET /ws/collab/r1?token=${daemon.token}`,
      'Connection: Upgrade, close',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    );
    const raw = await sendBytes(daemon.url, goal('before a handshake') + handshake);
    expect(statuses(raw)).toEqual([201, 426]);
  });
});

it('garbage leaves no connection behind that its client keeps half open', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => refuseGarbage(new Error('no HTTP'), socket));
  const closed = once(server, 'connection').then(([socket]: Socket[]) => once(socket!, 'close'));
  const socket = connect({ port: await listening(server), host: '127.0.0.1', allowHalfOpen: true });
  expect(statuses(await text(socket))).toEqual([400]);
  await closed;
  socket.destroy();
  server.close();
});

it('a reply that its client still reads is sent to its end when the server closes', async () => {
  // More than the buffers of two sockets hold.
  const server = createHttpServer((_request, response) => response.end('x'.repeat(32_000_000)));
  trackConnections(server);
  const socket = connect(await listening(server), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(socket, 'readable');
  const closed = once(server, 'close');
  server.close();
  expect((await text(socket)).length).toBeGreaterThan(32_000_000);
  await closed;
});

it.each([
  [417, 'localhost', (): string => daemon.token],
  [401, 'localhost', (): string => 'wrong'],
  [403, 'evil.example', (): string => daemon.token],
])('an expectation that is not met is %i at %s', async (status, host, token) => {
  const raw = await sendBytes(
    daemon.url,
    `POST /agent HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token()}\r\nExpect: tea\r\n\r\n`,
  );
  expect(statuses(raw)).toEqual([status]);
  expect(raw).toContain('{"error":');
});
