/**
 * Connections on which no request is under way. A client that goes on after an answer opens its next one ahead of need:
 * nothing ever came over it, so the server took it for busy and stopping waited for the whole grace (`daybook acp` took
 * 2 s to end).
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { waitingConnections } from '../../src/http/server/waiting-connections.ts';
import { testDaemon } from '../support/daemon.ts';

it('a server closes at once when its only connection was never used', async () => {
  const server = createServer();
  const waiting = waitingConnections(server);
  const { socket, accepted } = await connected(server);
  await accepted;
  const closed = once(server, 'close');
  server.close();
  waiting.close();
  await Promise.all([closed, once(socket, 'close')]);
});

it.each([
  ['an answer under way', 'Host: x'],
  ['a socket that was taken over', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: y'],
])('%s is left alone', async (_name, headers) => {
  const server = createServer();
  const waiting = waitingConnections(server);
  const { socket } = await connected(server);
  const taken = Promise.race([once(server, 'request'), once(server, 'upgrade')]);
  socket.write(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`);
  // A request comes with its response, an upgrade with its socket: both can be ended with a text.
  const [, answer] = (await taken) as [unknown, { end(text: string): void }];
  waiting.close();
  answer.end('still here');
  expect(String((await once(socket, 'data'))[0])).toContain('still here');
  socket.destroy();
  server.close();
});

describe('a connection that is quiet for long', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  it.each([
    ['after an answer', REQUEST],
    ['before its first request', ''],
  ])('is closed: %s', async (_name, sent) => {
    const server = createServer((_request, response) => response.end());
    const waiting = waitingConnections(server, { quietMs: 50, everyMs: 10 });
    const { socket } = await connected(server);
    socket.resume().write(sent);
    await once(socket, 'close');
    waiting.close();
    server.close();
  });

  it('is left open while its answer is under way, or another protocol has it, and closed once that was sent', async () => {
    const answers: ServerResponse[] = [];
    const server = createServer((_request, response) => answers.push(response));
    const upgraded = new Promise<Socket>((resolve) => server.on('upgrade', (_, socket) => resolve(socket as Socket)));
    const waiting = waitingConnections(server, { quietMs: 50, everyMs: 10 });
    const { socket: slow } = await connected(server);
    const { socket: taken } = await connected(server);
    slow.write(REQUEST);
    taken.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: y\r\n\r\n');
    const other = await upgraded;
    const { socket: later } = await connected(server);
    await once(later.resume(), 'close');
    expect([slow.closed, taken.closed]).toEqual([false, false]);
    other.end('still here');
    expect(String((await once(taken, 'data'))[0])).toBe('still here');
    answers[0]!.end('at last');
    expect(String((await once(slow, 'data'))[0])).toContain('at last');
    await once(slow.resume(), 'close');
    waiting.close();
    server.close();
  });

  it('belongs to a client that was told how long it may be', async () => {
    const daemon = await testDaemon();
    try {
      expect((await fetch(`${daemon.url}/health`)).headers.get('keep-alive')).toBe('timeout=72');
    } finally {
      await daemon.stop();
    }
  });
});

async function connected(server: ReturnType<typeof createServer>) {
  if (!server.listening) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const accepted = once(server, 'connection');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return { socket, accepted };
}
