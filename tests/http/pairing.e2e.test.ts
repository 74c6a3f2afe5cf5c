/** Pairing on this machine, over real sockets, with a clock that the test moves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingOfferAnswer } from '../../src/client/generated/types.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { type MovableClock, movableClock } from './clock.ts';
import { errorOf, inject, type Reply, sendBytes, statuses } from './wire.ts';

let daemon: TestDaemon;
let clock: MovableClock;

beforeEach(async () => {
  clock = movableClock();
  daemon = await testDaemon({ clock: clock.clock });
});
afterEach(() => daemon.stop());

const offer = async (): Promise<PairingOfferAnswer> =>
  JSON.parse((await inject(daemon, '/pair')).text) as PairingOfferAnswer;

const exchange = (token: string, headers: Record<string, string> = {}): Promise<Reply> =>
  inject(daemon, '/pair', { method: 'POST', headers, body: JSON.stringify({ token }) });

async function events(type: string): Promise<unknown[]> {
  const page = (await (await daemon.request(`/v1/events?type=${type}`)).json()) as { events: unknown[] };
  return page.events;
}

describe('an offer', () => {
  it.each(['localhost', '[::1]'])('asked for at “%s” without a port names the one that is served', async (host) => {
    const reply = await inject(daemon, '/pair', { headers: { host } });
    expect(JSON.parse(reply.text)).toMatchObject({
      url: expect.stringContaining(`http://${host}:${daemon.port}/pair?`),
    });
  });

  it('has a token that is accepted by the exchange only', async () => {
    const { token, url, instructions } = await offer();
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(token).not.toBe(daemon.token);
    expect(url).toBe(`http://127.0.0.1:${daemon.port}/pair?token=${token}`);
    expect(instructions).toContain('POST /pair');
    expect((await inject(daemon, '/jobs', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect((await inject(daemon, `/ws/collab/x?token=${token}`)).status).toBe(401);
  });

  it('is another one each time, and each is an event without its token', async () => {
    const tokens = [(await offer()).token, (await offer()).token];
    expect(new Set(tokens).size).toBe(2);
    const offered = await events('PairingOffered');
    expect(offered).toHaveLength(2);
    for (const token of tokens) expect(JSON.stringify(offered)).not.toContain(token);
  });
});

describe('the exchange', () => {
  it('answers the bearer token, once', async () => {
    const { token } = await offer();
    const first = await exchange(token);
    expect([first.status, JSON.parse(first.text)]).toEqual([200, { token: daemon.token }]);
    const second = await exchange(token);
    expect(second.status).toBe(401);
    expect(errorOf(second)).not.toContain(token);
    expect(await events('PairingExchanged')).toHaveLength(1);
  });

  it('of twins at once answers one of them', async () => {
    const { token } = await offer();
    const replies = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array(7).fill(401)]);
  });

  it.each(['', '0'.repeat(32), 'x', 'a'.repeat(10_000)])('refuses a token it did not offer (%#)', async (token) => {
    expect((await exchange(token)).status).toBe(401);
  });

  it('refuses the bearer token itself', async () => {
    expect((await exchange(daemon.token)).status).toBe(401);
  });

  it('is possible until five minutes have gone by, not after', async () => {
    const [inTime, late] = [await offer(), await offer()];
    clock.advance(5 * 60_000 - 1);
    expect((await exchange(inTime.token)).status).toBe(200);
    clock.advance(1);
    expect((await exchange(late.token)).status).toBe(401);
    expect((await exchange((await offer()).token)).status).toBe(200);
  });

  it('does not survive a restart: the token it would answer is another one', async () => {
    const { token } = await offer();
    await daemon.stop();
    const old = daemon.token;
    daemon = await testDaemon({ home: daemon.home, workspace: daemon.workspace, clock: clock.clock });
    expect(daemon.token).not.toBe(old);
    expect((await exchange(token)).status).toBe(401);
  });

  it('with an Idempotency-Key can be repeated only by its sender', async () => {
    const { token } = await offer();
    const first = await exchange(token, { 'idempotency-key': 'mine' });
    expect(first.status).toBe(200);
    expect((await exchange(token, { 'idempotency-key': 'mine' })).text).toBe(first.text);
    expect((await exchange(token, { 'idempotency-key': 'other' })).status).toBe(401);
    expect((await exchange('0'.repeat(32), { 'idempotency-key': 'mine' })).status).toBe(409);
    expect(await events('PairingExchanged')).toHaveLength(1);
    expect(JSON.stringify(await events('RequestAnswered'))).not.toContain(daemon.token);
  });

  it('over HTTP/1.0, which nginx speaks for clients of other machines, needs the code of the terminal', async () => {
    const body = JSON.stringify({ token: (await offer()).token });
    const head = `POST /pair HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(statuses(await sendBytes(daemon.url, head + body))).toEqual([403]);
  });

  it('takes no token from the query', async () => {
    const { token } = await offer();
    expect((await inject(daemon, `/pair?token=${token}`, { method: 'POST' })).status).toBe(400);
    expect((await inject(daemon, `/pair?token=${token}`, { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await exchange(token)).status).toBe(200);
  });
});
