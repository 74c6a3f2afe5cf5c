/**
 * Rate limits over real sockets, with a clock that the test moves: sliding windows, buckets, addresses, exempt
 * requests.
 */
import { request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { movableClock } from './clock.ts';
import { errorOf, handshake, type Reply, send } from './wire.ts';

const AUTHENTICATED = 6;
const PUBLIC = 3;

const clock = movableClock();
const env = { DAYBOOK_RATE_AUTHENTICATED: String(AUTHENTICATED), DAYBOOK_RATE_PUBLIC: String(PUBLIC) };
const daemon = sharedDaemon({ clock: clock.clock, env });

// The windows of the test before are over.
beforeEach(() => clock.advance(60_000));

const jobs = (method = 'GET'): Promise<Reply> =>
  send(daemon.url, '/jobs', { method, headers: { authorization: `Bearer ${daemon.token}` } });
const health = (): Promise<Reply> => send(daemon.url, '/health');

async function times(count: number, ask: () => Promise<Reply>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1) statuses.push((await ask()).status);
  return statuses;
}

const ok = (count: number): number[] => Array<number>(count).fill(200);

describe('the limits', () => {
  it('admit so many authenticated requests and answer the next one 429 with Retry-After: 5', async () => {
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
    const reply = await jobs();
    expect([reply.status, reply.headers['retry-after'], reply.headers['content-type']]).toEqual([
      429,
      '5',
      'application/json; charset=utf-8',
    ]);
    errorOf(reply);
  });

  it('admit so many public requests over all public routes together', async () => {
    const statuses = [];
    for (const path of ['/health', '/models', '/pair', '/v1/capabilities'])
      statuses.push((await send(daemon.url, path)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('keep the two buckets apart', async () => {
    expect(await times(PUBLIC + 1, health)).toEqual([...ok(PUBLIC), 429]);
    expect(await times(AUTHENTICATED + 1, jobs)).toEqual([...ok(AUTHENTICATED), 429]);
    expect((await health()).status).toBe(429);
  });

  it('count requests to no route and with a wrong method, too', async () => {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const nope = (): Promise<Reply> => send(daemon.url, '/nope', { headers });
    expect(await times(AUTHENTICATED - 1, nope)).toEqual(Array(AUTHENTICATED - 1).fill(404));
    expect((await jobs('DELETE')).status).toBe(405);
    expect((await nope()).status).toBe(429);
  });

  it('count a stream once, when it is opened', async () => {
    const headers = { authorization: `Bearer ${daemon.token}` };
    const stream = await fetch(`${daemon.url}/v1/events/stream`, { headers });
    expect(stream.status).toBe(200);
    expect(await times(AUTHENTICATED, jobs)).toEqual([...ok(AUTHENTICATED - 1), 429]);
    await stream.body?.cancel();
  });
});

describe('the window slides', () => {
  it('by one request at a time: each counts for exactly 60 s', async () => {
    expect(await times(2, jobs)).toEqual(ok(2));
    clock.advance(30_000);
    expect(await times(AUTHENTICATED - 1, jobs)).toEqual([...ok(AUTHENTICATED - 2), 429]);
    clock.advance(29_999);
    expect((await jobs()).status).toBe(429);
    clock.advance(1);
    expect(await times(3, jobs)).toEqual([200, 200, 429]);
    clock.advance(30_000);
    expect(await times(AUTHENTICATED - 1, jobs)).toEqual([...ok(AUTHENTICATED - 2), 429]);
  });

  // A clock that is set back must not prolong a refusal.
  it('also when the clock of the machine is set back', async () => {
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
    clock.advance(-3_600_000);
    expect((await jobs()).status).toBe(429);
    clock.advance(59_999);
    expect((await jobs()).status).toBe(429);
    clock.advance(1);
    expect(await times(AUTHENTICATED + 1, jobs)).toEqual([...ok(AUTHENTICATED), 429]);
  });

  it('and refused requests do not count', async () => {
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
    clock.advance(59_000);
    expect(await times(20, jobs)).toEqual(Array(20).fill(429));
    clock.advance(1_000);
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
  });
});

describe('what costs nothing', () => {
  it('401s', async () => {
    const wrong = (): Promise<Reply> => send(daemon.url, '/jobs', { headers: { authorization: 'Bearer no' } });
    expect(await times(3 * AUTHENTICATED, wrong)).toEqual(Array(3 * AUTHENTICATED).fill(401));
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
  });

  it('refused WebSocket handshakes', async () => {
    for (let n = 0; n < 2 * AUTHENTICATED; n += 1)
      expect((await handshake(`${daemon.url}/ws/collab/a?token=no`)).status).toBe(401);
    expect(await times(PUBLIC, health)).toEqual(ok(PUBLIC));
  });

  it('requests of foreign hosts and origins', async () => {
    const foreign = (): Promise<Reply> => send(daemon.url, '/health', { headers: { origin: 'http://evil.com' } });
    expect(await times(3 * PUBLIC, foreign)).toEqual(Array(3 * PUBLIC).fill(403));
    expect(await times(PUBLIC, health)).toEqual(ok(PUBLIC));
  });

  it('preflights', async () => {
    const headers = { origin: 'http://localhost', 'access-control-request-method': 'DELETE' };
    const preflight = (): Promise<Reply> => send(daemon.url, '/jobs', { method: 'OPTIONS', headers });
    expect(await times(3 * AUTHENTICATED, preflight)).toEqual(ok(3 * AUTHENTICATED));
    expect(await times(AUTHENTICATED, jobs)).toEqual(ok(AUTHENTICATED));
    expect((await preflight()).status).toBe(200);
  });
});

describe('another address', () => {
  const from = (localAddress: string, forwarded: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(daemon.url);
      const headers = { host: 'localhost', 'x-forwarded-for': forwarded };
      request({ host: '127.0.0.1', port, path: '/health', localAddress, agent: false, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it('has its own buckets', async () => {
    expect(await times(PUBLIC + 1, health)).toEqual([...ok(PUBLIC), 429]);
    expect(await from('127.0.0.2', '127.0.0.1')).toBe(200);
  });

  it('is the socket’s, whatever a proxy header says', async () => {
    const statuses = [];
    for (let n = 0; n <= PUBLIC; n += 1) statuses.push(await from('127.0.0.3', `10.0.0.${n}`));
    expect(statuses).toEqual([...ok(PUBLIC), 429]);
  });
});
