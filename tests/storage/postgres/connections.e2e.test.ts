/** The pool of connections to a database that accepts connections and never answers. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections } from '../../../src/storage/postgres/connections.ts';
import { parseAddress } from '../../../src/storage/postgres/url.ts';

const server = createServer();
const sockets: Socket[] = [];
server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await once(server, 'close');
});

it('refuses every caller that waits for a connection when it is closed', async () => {
  const { port } = server.address() as AddressInfo;
  const options = 'sslmode=disable&pool_max=2&connect_timeout_ms=200';
  const connections = new Connections(parseAddress(`postgres://me:it@127.0.0.1:${port}/log?${options}`, {}));
  const uses = Array.from({ length: 7 }, () => connections.use(async () => null));
  const [, , ...waiting] = uses.map((use) => use.catch((error: { readonly code?: string }) => error.code));
  await connections.close();
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'STORAGE_CLOSED'));
  await Promise.allSettled(uses);
});

// A pooler such as PgBouncer ends a connection whose first packet has a setting that it does not know.
it('sends only the settings that poolers pass on when it connects', async () => {
  const { port } = server.address() as AddressInfo;
  const options = 'sslmode=disable&connect_timeout_ms=60000';
  const connections = new Connections(parseAddress(`postgres://me:it@127.0.0.1:${port}/log?${options}`, {}));
  const use = connections.use(async () => null).catch(() => null);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [packet] = (await once(socket, 'data')) as [Buffer];
  const texts = packet.subarray(8).toString('utf8').split('\0');
  const names = texts.filter((name, index) => index % 2 === 0 && name !== '');
  expect(names.sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
  socket.destroy();
  await use;
  await connections.close();
});
