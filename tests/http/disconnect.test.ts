/** Work for a client: it is told when the client disconnects, also before the work begins. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { whileConnected } from '../../src/http/server/disconnect.ts';

async function requested(): Promise<{ readonly request: IncomingMessage; readonly client: Socket }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const arrived = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  onTestFinished(() => void client.destroy());
  return { request: await arrived, client };
}

it('the signal aborts when the client disconnects during the work', async () => {
  const { request, client } = await requested();
  const isAborted = await whileConnected(request, async (signal) => {
    const aborted = once(signal, 'abort');
    client.destroy();
    await aborted;
    return signal.aborted;
  });
  expect(isAborted).toBe(true);
});

it('the signal is aborted from the start when the client has disconnected before the work', async () => {
  const { request, client } = await requested();
  const closed = once(request.socket, 'close');
  client.destroy();
  await closed;
  expect(await whileConnected(request, async ({ aborted }) => aborted)).toBe(true);
});

it('the signal does not abort while the client stays, and no listener is left', async () => {
  const { request } = await requested();
  const before = request.socket.listenerCount('close');
  expect(await whileConnected(request, async ({ aborted }) => aborted)).toBe(false);
  expect(request.socket.listenerCount('close')).toBe(before);
});
