/** Requests that hand over their body whole, and replies whose text node copies as it is: over real sockets. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SECURITY_HEADERS, SecuredResponse } from '../../src/http/server/headers.ts';
import { WholeRequest } from '../../src/http/server/whole-request.ts';
import { send, sendBytes, statuses } from './wire.ts';

const BYTES_MAX = 1_000;

/** Takes every body but that of /ignored and /stream, and answers with it; what went wrong is the answer, too. */
let server: Server;
let url: string;
let taken: string[];
let requests: WholeRequest[];
let serverErrors: unknown[];

beforeEach(async () => {
  taken = [];
  requests = [];
  serverErrors = [];
  const options = { IncomingMessage: WholeRequest, ServerResponse: SecuredResponse };
  server = createServer(options, (request, response) => {
    requests.push(request);
    const answer = (status: number, text: string): void => {
      const close = status < 400 ? {} : { connection: 'close' };
      response.writeHead(status, { 'content-length': String(Buffer.byteLength(text)), ...close }).end(text);
    };
    if (request.url === '/ignored') answer(200, 'ignored\n');
    else if (request.url === '/stream') {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => answer(200, Buffer.concat(pieces).toString('latin1')));
    } else {
      request.takeBody(BYTES_MAX, (error, body) => {
        taken.push(error === null ? body.toString('latin1') : `${error.status} ${error.message}`);
        if (error === null) answer(200, body.toString('latin1'));
        else answer(error.status, error.message);
      });
    }
  });
  server.on('clientError', (error, socket) => {
    serverErrors.push(error);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function head(path: string, ...headers: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n');
}

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

describe('a body that is taken', () => {
  it('is the bytes that were sent, wherever they were cut', async () => {
    const cases = fc.record({
      body: fc.uint8Array({ maxLength: 300 }),
      cuts: fc.array(fc.nat(400), { maxLength: 4 }),
      isChunked: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ body, cuts, isChunked }) => {
        const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
        const framed = isChunked
          ? Buffer.concat([
              Buffer.from(body.length === 0 ? '' : `${body.length.toString(16)}\r\n`),
              body,
              Buffer.from(body.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n'),
            ])
          : body;
        const all = Buffer.concat([Buffer.from(head('/', length, 'connection: close')), framed]);
        const socket = await opened();
        const closed = once(socket, 'close');
        let reply = '';
        socket.setEncoding('latin1').on('data', (part: string) => {
          reply += part;
        });
        const edges = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        for (const [index, edge] of edges.slice(1).entries()) {
          socket.write(all.subarray(edges[index]!, edge));
          await sleep(1);
        }
        await closed;
        expect(statuses(reply)).toEqual([200]);
        expect(taken.at(-1)).toBe(Buffer.from(body).toString('latin1'));
      }),
      { numRuns: 60 },
    );
  });

  it('each of requests that came in one packet has its own', async () => {
    const three = ['one\n', 'two\n', 'three\n'].map((body) => `${head('/', `content-length: ${body.length}`)}${body}`);
    const last = head('/', 'content-length: 0', 'connection: close');
    const raw = await sendBytes(url, [...three, last].join(''));
    expect(statuses(raw)).toEqual([200, 200, 200, 200]);
    expect(taken).toEqual(['one\n', 'two\n', 'three\n', '']);
  });

  // A megabyte in chunks of one byte was half a gigabyte of pieces.
  it('does not keep the pieces it came in', async () => {
    const request = new WholeRequest(new Socket());
    let body = '';
    request.takeBody(BYTES_MAX, (_error, whole) => {
      body = whole.toString('latin1');
    });
    const pieces = Array.from({ length: BYTES_MAX }, () => {
      const piece = Buffer.from('x');
      request.push(piece);
      return new WeakRef(piece);
    });
    await sleep(0);
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    expect(pieces.filter((piece) => piece.deref() !== undefined)).toEqual([]);
    request.push(null);
    expect(body).toBe('x'.repeat(BYTES_MAX));
  });

  it('leaves a request that has ended: nothing of it happens when the caller goes', async () => {
    const socket = await opened();
    const events: string[] = [];
    socket.write(`${head('/', 'content-length: 3')}abc`);
    await until(() => taken.length === 1);
    const request = requests[0]!;
    for (const name of ['error', 'close', 'aborted', 'end']) request.on(name, () => events.push(name));
    expect([request.complete, request.readableEnded, request.destroyed, request.aborted]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    socket.destroy();
    await sleep(50);
    expect([events, taken, serverErrors]).toEqual([[], ['abc'], []]);
  });
});

describe('a body that cannot be taken', () => {
  it('is refused by its announced length, before anything of it came', async () => {
    const raw = await sendBytes(url, head('/', `content-length: ${BYTES_MAX + 1}`));
    expect(statuses(raw)).toEqual([413]);
    expect(taken).toEqual(['413 The request body is too large.']);
  });

  it('is refused once, by the byte that is too many', async () => {
    const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
    const socket = await opened();
    socket.write(head('/', 'transfer-encoding: chunked') + chunk(BYTES_MAX));
    await until(() => requests.length === 1);
    await sleep(20);
    expect(taken).toEqual([]);
    socket.on('error', () => undefined).write(chunk(1));
    await until(() => taken.length > 0);
    socket.write(`${chunk(1)}${chunk(1)}0\r\n\r\n`);
    await sleep(50);
    expect(taken).toEqual(['413 The request body is too large.']);
    socket.destroy();
  });

  it('exactly the limit is taken', async () => {
    const reply = await send(url, '/', { method: 'POST', body: 'x'.repeat(BYTES_MAX) });
    expect([reply.status, reply.text.length]).toEqual([200, BYTES_MAX]);
  });

  it('is given up once when the caller hangs up, and the next caller is served', async () => {
    const socket = await opened();
    socket.write(`${head('/', 'content-length: 10')}abc`);
    await until(() => requests.length === 1);
    socket.destroy();
    await until(() => taken.length > 0);
    expect((await send(url, '/', { method: 'POST', body: 'next' })).text).toBe('next');
    expect(taken).toEqual(['400 The body did not arrive whole.', 'next']);
  });
});

describe('a body that nobody takes', () => {
  it('is a stream', async () => {
    const reply = await send(url, '/stream', { method: 'POST', body: 'as always' });
    expect(reply.text).toBe('as always');
  });

  it('does not stand in the way of the next request', async () => {
    const raw = await sendBytes(
      url,
      `${head('/ignored', 'content-length: 5')}12345${head('/', 'content-length: 3', 'connection: close')}abc`,
    );
    expect(statuses(raw)).toEqual([200, 200]);
    expect(taken).toEqual(['abc']);
  });
});

describe('a reply', () => {
  it.each([
    'plain',
    'é',
    '日本',
    '😀',
    'a\u0000b',
    'ÿ'.repeat(500),
    'x'.repeat(40_000),
    `${'x'.repeat(40_000)}é`,
    '\ud800',
  ])('arrives as the text it is: %#', async (text) => {
    server.removeAllListeners('request');
    server.on('request', (_request, response) => {
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(text)) }).end(text);
    });
    const reply = await send(url, '/');
    expect(reply.text).toBe(text.toWellFormed());
    expect(reply.headers).toMatchObject(SECURITY_HEADERS);
  });
});
