/** Request bodies and replies over real sockets: cut anywhere, chunked, refused, abandoned. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SECURITY_HEADERS } from '../../src/http/server/headers.ts';
import { readBody, zBytes } from '../../src/http/server/request-body.ts';
import { html, type RouteSpec } from '../../src/http/server/route.ts';
import { PUBLIC_ROUTE, publicRoutes, type TestServer, testServer } from '../support/server.ts';
import { send, sendBytes, statuses } from './wire.ts';

const BYTES_MAX = 1_000;
const TEXTS = [
  'plain',
  'é',
  '日本',
  '😀',
  'a\u0000b',
  'ÿ'.repeat(500),
  'x'.repeat(40_000),
  `${'x'.repeat(40_000)}é`,
  '\ud800',
];

let server: TestServer;
let url: string;
/** Bodies that reached the handler. */
let taken: string[];

function routes(): readonly RouteSpec[] {
  return [
    publicRoutes.post('/', {
      ...PUBLIC_ROUTE,
      rawBody: { types: [] },
      bodyBytesMax: BYTES_MAX,
      body: zBytes,
      handle({ body }) {
        const text = body.toString('latin1');
        taken.push(text);
        return html(text);
      },
    }),
    publicRoutes.get('/ignored', { ...PUBLIC_ROUTE, handle: () => html('ignored') }),
    publicRoutes.get('/texts/{at}', {
      ...PUBLIC_ROUTE,
      params: z.object({ at: z.coerce.number() }),
      handle: ({ params }) => html(TEXTS[params.at]!),
    }),
  ];
}

beforeEach(async () => {
  taken = [];
  server = await testServer(routes);
  url = await server.listen();
});

function head(line: string, ...headers: string[]): string {
  return [`${line} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');
}

const post = (...headers: string[]): string => head('POST /', ...headers);

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
}

function framed(body: Uint8Array): Buffer {
  if (body.length === 0) return Buffer.from('0\r\n\r\n');
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

/** Everything that comes back once the bytes went out in pieces. */
async function sendCut(bytes: Buffer, cuts: readonly number[]): Promise<string> {
  const socket = await opened();
  const closed = once(socket, 'close');
  let reply = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    reply += part;
  });
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  for (const [index, edge] of edges.slice(1).entries()) {
    socket.write(bytes.subarray(edges[index]!, edge));
    await sleep(1);
  }
  await closed;
  return reply;
}

describe('a body', () => {
  it('is the bytes that were sent, wherever they were cut', async () => {
    const cases = fc.record({
      body: fc.uint8Array({ maxLength: 300 }),
      cuts: fc.array(fc.nat(400), { maxLength: 4 }),
      isChunked: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ body, cuts, isChunked }) => {
        const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
        const all = [Buffer.from(post(length, 'connection: close')), isChunked ? framed(body) : body];
        expect(statuses(await sendCut(Buffer.concat(all), cuts))).toEqual([200]);
        expect(taken.at(-1)).toBe(Buffer.from(body).toString('latin1'));
      }),
      { numRuns: 60 },
    );
  });

  it('belongs to its request when several requests come in one packet', async () => {
    const three = ['one\n', 'two\n', 'three\n'].map((body) => `${post(`content-length: ${body.length}`)}${body}`);
    const last = post('content-length: 0', 'connection: close');
    const raw = await sendBytes(url, [...three, last].join(''));
    expect(statuses(raw)).toEqual([200, 200, 200, 200]);
    expect(raw).toMatch(/\r\n\r\none\n.*\r\n\r\ntwo\n.*\r\n\r\nthree\n.*\r\n\r\n$/s);
  });

  // A list of the chunks of a megabyte in chunks of one byte is half a gigabyte.
  it('is not kept as the chunks in which it came', async () => {
    const payload = new PassThrough();
    const reading = readBody(payload, { bytesMax: BYTES_MAX, announced: undefined });
    const chunks: WeakRef<Buffer>[] = [];
    for (let n = 0; n < BYTES_MAX; n += 1) {
      const piece = Buffer.from('x');
      chunks.push(new WeakRef(piece));
      payload.write(piece);
      await new Promise(setImmediate);
    }
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    expect(chunks.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(10);
    payload.end();
    expect((await reading).toString('latin1')).toBe('x'.repeat(BYTES_MAX));
  });

  // A buffer that was doubled again and again took as long as the network for large recordings.
  it('of an announced length is copied once, into memory of that length', async () => {
    const payload = new PassThrough();
    const reading = readBody(payload, { bytesMax: BYTES_MAX, announced: '600' });
    for (let n = 0; n < 6; n += 1) payload.write(Buffer.from('x'.repeat(100)));
    payload.end();
    const body = await reading;
    expect([body.toString('latin1'), body.buffer.byteLength]).toEqual(['x'.repeat(600), 600]);
  });

  it('may be as long as the limit', async () => {
    const reply = await send(url, '/', { method: 'POST', body: 'x'.repeat(BYTES_MAX) });
    expect([reply.status, reply.text.length]).toEqual([200, BYTES_MAX]);
  });

  it('of a GET is left, and does not stand in the way of the next request', async () => {
    const first = `${head('GET /ignored', 'content-length: 5')}12345`;
    const raw = await sendBytes(url, `${first}${post('content-length: 3', 'connection: close')}abc`);
    expect(statuses(raw)).toEqual([200, 200]);
    expect(taken).toEqual(['abc']);
  });
});

describe('a body that is too large', () => {
  it('is refused by its announced length, before anything of it came', async () => {
    const socket = await opened();
    socket.setEncoding('latin1').write(post(`content-length: ${BYTES_MAX + 1}`));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('is refused once, at the first byte above the limit, and the connection serves the next request', async () => {
    const socket = await opened();
    let reply = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      reply += part;
    });
    socket.write(post('transfer-encoding: chunked') + chunk(BYTES_MAX));
    await sleep(20);
    expect(reply).toBe('');
    socket.write(chunk(1));
    await once(socket, 'data');
    socket.write(`${chunk(1)}${chunk(1)}0\r\n\r\n${post('content-length: 4', 'connection: close')}next`);
    await once(socket, 'close');
    expect(statuses(reply)).toEqual([413, 200]);
    expect(taken).toEqual(['next']);
  });
});

describe('a client that closes its connection', () => {
  it('in the middle of its body reaches no handler, and the next caller is served', async () => {
    const socket = await opened();
    const arrived = once(server.app.server, 'request');
    socket.write(`${post('content-length: 10')}abc`);
    await arrived;
    socket.destroy();
    expect((await send(url, '/', { method: 'POST', body: 'next' })).text).toBe('next');
    expect([taken, server.lines]).toEqual([['next'], []]);
  });

  it('after its answer changes nothing', async () => {
    const socket = await opened();
    socket.write(`${post('content-length: 3')}abc`);
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect((await send(url, '/', { method: 'POST', body: 'next' })).text).toBe('next');
    expect([taken, server.lines]).toEqual([['abc', 'next'], []]);
  });
});

it.each(TEXTS.map((text, at) => ({ text, at })))('a reply is the text that was sent: $at', async ({ text, at }) => {
  const reply = await send(url, `/texts/${at}`);
  expect(reply.text).toBe(text.toWellFormed());
  expect(reply.headers).toMatchObject(SECURITY_HEADERS);
});
