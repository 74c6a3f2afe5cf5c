/** Work for a client: it is told when the client disconnects or the daemon stops, also before the work begins. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { whileConnected } from '../../src/http/server/disconnect.ts';
import { listening } from '../support/ports.ts';

async function requested() {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await listening(server);
  const arrived = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
  const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  onTestFinished(() => void client.destroy());
  const closing = new AbortController();
  return { request: { raw: await arrived, server: { closing: closing.signal } }, client, closing };
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
  const closed = once(request.raw.socket, 'close');
  client.destroy();
  await closed;
  expect(await whileConnected(request, async ({ aborted }) => aborted)).toBe(true);
});

it('work that fails after the client has disconnected is a 503, whatever its error says', async () => {
  const { request, client } = await requested();
  const failing = whileConnected(request, async (signal) => {
    const aborted = once(signal, 'abort');
    client.destroy();
    await aborted;
    throw new Error('The program was killed.');
  });
  await expect(failing).rejects.toMatchObject({ status: 503, message: 'The client is gone.' });
});

it('the signal does not abort while the client stays, and no listener is left', async () => {
  const { request } = await requested();
  const before = request.raw.socket.listenerCount('close');
  expect(await whileConnected(request, async ({ aborted }) => aborted)).toBe(false);
  expect(request.raw.socket.listenerCount('close')).toBe(before);
});

it('work that a stop of the daemon ends is answered with 503, also work that begins after it', async () => {
  const { request, closing } = await requested();
  const waiting = whileConnected(request, async (signal) => {
    await once(signal, 'abort');
    throw signal.reason;
  });
  closing.abort(new Error('The daemon was stopped.'));
  const stopped = { status: 503, headers: { 'retry-after': '5' } };
  await expect(waiting).rejects.toMatchObject(stopped);
  const late = whileConnected(request, async (signal) => signal.throwIfAborted());
  await expect(late).rejects.toMatchObject(stopped);
});
