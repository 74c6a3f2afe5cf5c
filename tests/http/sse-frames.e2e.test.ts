/**
 * Writing frames as server-sent events: the next frame when the socket took the last one, and keep-alives meanwhile.
 */
import { connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { concat, finalize, NEVER, type Observable, of, throwError } from 'rxjs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { frameSource, KEEP_ALIVE_MS, sendSse } from '../../src/http/server/sse.ts';

const KEEP_ALIVE = ': keep-alive\n\n';
/** More than the sockets of both sides hold. */
const LARGE_BYTES = 16_777_216;

type Open = (demand$: Observable<unknown>) => Observable<{ readonly bytes: Buffer }>;

let app: FastifyInstance;
let open: Open;
let sockets: Socket[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  sockets = [];
  app = fastify();
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (_request, reply) =>
      void sendSse(
        reply,
        frameSource((demand$) => open(demand$)),
      ),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  vi.useRealTimers();
  await app.close();
});

/** The response as it comes; nothing is read before `read` or `rest`. */
async function request(method = 'GET') {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  const socket = connect({ port: address.port, host: '127.0.0.1' }).on('error', () => undefined);
  sockets.push(socket);
  socket.write(`${method} / HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const chunks: string[] = [];
  return {
    /** Reads until it has this text, or the connection is over; answers all that was read. */
    until: (wanted: string): Promise<string> =>
      new Promise((resolve) => {
        let newest = chunks.at(-1) ?? '';
        const onData = (chunk: Buffer): void => {
          chunks.push(chunk.toString('latin1'));
          newest = newest.slice(-wanted.length) + chunks.at(-1);
          if (newest.includes(wanted)) stop();
        };
        const stop = (): void => {
          socket.off('data', onData).off('close', stop).pause();
          resolve(chunks.join(''));
        };
        socket.on('data', onData).on('close', stop).resume();
      }),
  };
}

const message = (text: string) => ({ bytes: Buffer.from(`data: ${text}\n\n`) });

it('each accepted write requests the next one; the end of the source ends the response', async () => {
  let demands = 0;
  open = (demand$) => {
    demand$.subscribe(() => {
      demands += 1;
    });
    return of(message('one'), message('two'));
  };
  const text = await (await request()).until('0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(text).toContain('content-type: text/event-stream; charset=utf-8\r\n');
  expect(text).toMatch(/data: one\n\n[\s\S]*data: two\n\n/);
  expect(demands).toBe(2);
});

it('a client that waits gets a keep-alive every 15 s', async () => {
  open = () => concat(of(message('one')), NEVER);
  const response = await request();
  expect(await response.until('data: one\n\n')).not.toContain(KEEP_ALIVE);
  vi.advanceTimersByTime(KEEP_ALIVE_MS);
  await response.until(KEEP_ALIVE);
  for (const seen of [2, 3]) {
    vi.advanceTimersByTime(KEEP_ALIVE_MS);
    expect((await response.until(KEEP_ALIVE)).split(KEEP_ALIVE)).toHaveLength(seen + 1);
  }
});

it('a client that stops reading gets no writes and no keep-alives; when it reads again, the next write follows', async () => {
  let demands = 0;
  const opened = Promise.withResolvers<void>();
  open = (demand$) => {
    demand$.subscribe(() => {
      demands += 1;
    });
    opened.resolve();
    return concat(of({ bytes: Buffer.concat([Buffer.alloc(LARGE_BYTES, 'x'), Buffer.from('last')]) }), NEVER);
  };
  const response = await request();
  await opened.promise;
  vi.advanceTimersByTime(4 * KEEP_ALIVE_MS);
  expect(demands).toBe(0);
  expect(await response.until('last')).not.toContain(KEEP_ALIVE);
  await expect.poll(() => demands).toBe(1);
});

it('a source that fails cuts the connection off', async () => {
  open = () =>
    concat(
      of(message('one')),
      throwError(() => new Error('behind')),
    );
  const text = await (await request()).until('0\r\n\r\n');
  expect(text).not.toContain('0\r\n\r\n');
});

it('a client that goes leaves its source', async () => {
  const left = Promise.withResolvers<void>();
  open = () => concat(of(message('one')), NEVER).pipe(finalize(() => left.resolve()));
  const response = await request();
  await response.until('data: one');
  sockets[0]!.destroy();
  await left.promise;
});

it('HEAD gets the head, and no source is opened', async () => {
  open = vi.fn<Open>();
  const response = await request('HEAD');
  expect(await response.until('\r\n\r\n')).toContain('content-type: text/event-stream');
  expect(open).not.toHaveBeenCalled();
});
