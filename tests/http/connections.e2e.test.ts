/**
 * Connections without a request, and too many of them. A client may open a connection in advance; a server that stops
 * must not wait for it.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createEncryptedServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectEncrypted } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { limitConnections, trackConnections } from '../../src/http/server/connections.ts';
import { html } from '../../src/http/server/route.ts';
import { openFilesMax } from '../../src/lib/open-files.ts';
import { selfSigned } from '../support/certificate.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { PUBLIC_ROUTE, publicRoutes, testServer } from '../support/server.ts';
import { statuses } from './wire.ts';

const daemon = sharedDaemon();

describe('the limit of connections', () => {
  it('leaves half of a low limit of open files to other work, and says so once', async () => {
    const server = createServer();
    const lines: string[] = [];
    limitConnections(server, { filesMax: 4, announce: (line) => lines.push(line) });
    const open = [await connected(server), await connected(server)];
    for (let more = 0; more < 2; more += 1) {
      const { socket } = await connected(server);
      await once(
        socket.on('error', () => undefined),
        'close',
      );
    }
    expect(lines).toEqual(['2 connections are open; more are refused, because this process may have 4 open files.']);
    open[0]!.socket.destroy();
    await expect.poll(() => isAdmitted(server)).toBe(true);
    open[1]!.socket.destroy();
    server.close();
  });

  it('of a daemon follows the limit of open files, without which its store could open no file', () => {
    expect(openFilesMax()).toBeGreaterThan(512);
    expect(daemon.app.server.maxConnections).toBe(openFilesMax()! - 256);
  });
});

describe('closeUnused', () => {
  it('closes a connection that was never used, so that the server closes at once', async () => {
    const server = createServer();
    const connections = trackConnections(server);
    const { socket, accepted } = await connected(server);
    await accepted;
    const closed = once(server, 'close');
    server.close();
    connections.closeUnused();
    await Promise.all([closed, once(socket, 'close')]);
  });

  it.each([
    ['an answer under way', 'Host: x'],
    ['a socket that was taken over', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: y'],
  ])('leaves %s alone', async (_name, headers) => {
    const server = createServer();
    const connections = trackConnections(server);
    const { socket } = await connected(server);
    const taken = Promise.race([once(server, 'request'), once(server, 'upgrade')]);
    socket.write(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`);
    // A request comes with its response, an upgrade with its socket: both can be ended with a text.
    const [, answer] = (await taken) as [unknown, { end(text: string): void }];
    connections.closeUnused();
    answer.end('still here');
    expect(String((await once(socket, 'data'))[0])).toContain('still here');
    socket.destroy();
    server.close();
  });

  it('leaves an answer alone that goes over TLS, and closes a connection before its handshake', async () => {
    const { DAYBOOK_TLS_CERT: cert, DAYBOOK_TLS_KEY: key } = selfSigned();
    const server = createEncryptedServer({ cert: readFileSync(cert), key: readFileSync(key) });
    const connections = trackConnections(server);
    const { socket: silent, accepted } = await connected(server);
    await accepted;
    const socket = connectEncrypted({ port: portOf(server), rejectUnauthorized: false });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, answer] = await once(server, 'request');
    const closed = once(silent, 'close');
    connections.closeUnused();
    await closed;
    answer.end('still here');
    const [arrived] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(String(arrived)).toContain('still here');
    socket.destroy();
    server.close();
  });
});

describe('a connection that is quiet for long', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
  /** The daemon's server with short times, and one route whose answer waits. */
  async function impatientServer() {
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    const slow = publicRoutes.get('/slow', {
      ...PUBLIC_ROUTE,
      handle: () => promise.then(() => html('at last')),
    });
    const quick = publicRoutes.get('/', { ...PUBLIC_ROUTE, handle: () => html('') });
    const { app, listen } = await testServer(() => [slow, quick]);
    await listen();
    Object.assign(app.server, { keepAliveTimeout: 50, keepAliveTimeoutBuffer: 0, headersTimeout: 50 });
    return { app, server: app.server, answer };
  }

  it.each([
    ['after an answer', REQUEST],
    ['before its first request', ''],
  ])('is closed: %s', async (_name, sent) => {
    const { server } = await impatientServer();
    const { socket } = await connected(server);
    socket.resume().write(sent);
    await once(socket, 'close');
  });

  it('in the middle of its headers is answered 408 and closed; a daemon waits 10 s for them, 60 s for the request', async () => {
    expect(daemon.app.server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 60_000 });
    const { server } = await impatientServer();
    const { socket } = await connected(server);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    expect(statuses(await text(socket))).toEqual([408]);
  });

  it('is left open while its answer is under way, or another protocol has it, and closed once that was sent', async () => {
    const { server, answer } = await impatientServer();
    const upgraded = new Promise<Socket>((resolve) => server.on('upgrade', (_, socket) => resolve(socket as Socket)));
    const { socket: slow } = await connected(server);
    slow.write(REQUEST.replace(' / ', ' /slow '));
    const { socket: taken } = await connected(server);
    taken.write('GET /ws/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    const other = await upgraded;
    const { socket: later } = await connected(server);
    later.resume().write(REQUEST);
    await once(later, 'close');
    expect([slow.closed, taken.closed]).toEqual([false, false]);
    other.end('still here');
    expect(String((await once(taken, 'data'))[0])).toBe('still here');
    answer();
    expect(String((await once(slow, 'data'))[0])).toContain('at last');
    await once(slow.resume(), 'close');
  });

  it('is refused a request that comes while the server closes, with a reason and the time to wait', async () => {
    const { app, server, answer } = await impatientServer();
    const { socket } = await connected(server);
    socket.write(REQUEST.replace(' / ', ' /slow '));
    await once(server, 'request');
    const closed = app.close();
    socket.write(REQUEST);
    await once(server, 'request');
    answer();
    const raw = await text(socket);
    await closed;
    expect(raw).toContain('at last');
    expect(raw).toMatch(/HTTP\/1\.1 503 [\s\S]*retry-after: 5[\s\S]*\{"error":"The daemon is going down\."\}$/);
  });

  it('is announced: the keep-alive header names the seconds until the server closes it', async () => {
    expect((await fetch(`${daemon.url}/health`)).headers.get('keep-alive')).toBe('timeout=72');
  });
});

async function connected(server: Server) {
  if (!server.listening) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const accepted = once(server, 'connection');
  const socket = connect(portOf(server), '127.0.0.1');
  await once(socket, 'connect');
  return { socket, accepted };
}

/** Whether the server takes one more connection. */
async function isAdmitted(server: Server): Promise<boolean> {
  const { socket, accepted } = await connected(server);
  const closed = once(
    socket.on('error', () => undefined),
    'close',
  );
  const isOpen = await Promise.race([accepted.then(() => true), closed.then(() => false)]);
  socket.destroy();
  return isOpen;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
