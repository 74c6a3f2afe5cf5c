/**
 * A client that goes on after an answer opens its next connection ahead of need. Nothing ever came over it, so the
 * server took it for busy and stopping waited for the whole grace: `daybook acp` took 2 s to end.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { unusedConnections } from '../../src/http/server/unused-connections.ts';

it('a server closes at once when its only connection was never used', async () => {
  const server = createServer();
  const unused = unusedConnections(server);
  const { socket, accepted } = await connected(server);
  await accepted;
  const closed = once(server, 'close');
  server.close();
  unused.close();
  await Promise.all([closed, once(socket, 'close')]);
});

it.each([
  ['an answer under way', 'Host: x'],
  ['a socket that was taken over', 'Host: x\r\nConnection: Upgrade\r\nUpgrade: y'],
])('%s is left alone', async (_name, headers) => {
  const server = createServer();
  const unused = unusedConnections(server);
  const { socket } = await connected(server);
  const taken = Promise.race([once(server, 'request'), once(server, 'upgrade')]);
  socket.write(`GET / HTTP/1.1\r\n${headers}\r\n\r\n`);
  // A request comes with its response, an upgrade with its socket: both can be ended with a text.
  const [, answer] = (await taken) as [unknown, { end(text: string): void }];
  unused.close();
  answer.end('still here');
  expect(String((await once(socket, 'data'))[0])).toContain('still here');
  socket.destroy();
  server.close();
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
