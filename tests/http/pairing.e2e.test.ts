/** Pairing on this machine, over real sockets, with a clock that the test moves. */
import { describe, expect, it } from 'vitest';
import type { PairingOfferAnswer } from '../../src/client/generated/types.ts';
import type { RecordedEvent } from '../../src/storage/event-log.ts';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { movableClock } from './clock.ts';
import { errorOf, inject, type Reply, sendBytes, statuses } from './wire.ts';

const { clock, advance } = movableClock();
const daemon = sharedDaemon({ clock });

const offer = async (at = daemon): Promise<PairingOfferAnswer> =>
  JSON.parse((await inject(at, '/pair')).text) as PairingOfferAnswer;

const exchange = (token: string, headers: Record<string, string> = {}, at = daemon): Promise<Reply> =>
  inject(at, '/pair', { method: 'POST', headers, body: JSON.stringify({ token }) });

/** What comes into the log meanwhile. */
async function recorded(work: () => Promise<unknown>): Promise<readonly RecordedEvent[]> {
  const { position } = daemon.log.head();
  await work();
  return [...daemon.log.readAll({ after: position })];
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
    const tokens: string[] = [];
    const offered = await recorded(async () => {
      for (let more = 0; more < 2; more += 1) tokens.push((await offer()).token);
    });
    expect(new Set(tokens).size).toBe(2);
    expect(offered.map(({ type }) => type)).toEqual(['PairingOffered', 'PairingOffered']);
    for (const token of tokens) expect(JSON.stringify(offered)).not.toContain(token);
  });
});

describe('the exchange', () => {
  it('answers the bearer token, once', async () => {
    const { token } = await offer();
    const events = await recorded(async () => {
      const first = await exchange(token);
      expect([first.status, JSON.parse(first.text)]).toEqual([200, { token: daemon.token }]);
      const second = await exchange(token);
      expect(second.status).toBe(401);
      expect(errorOf(second)).not.toContain(token);
    });
    expect(events.map(({ type }) => type)).toEqual(['PairingExchanged']);
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
    advance(5 * 60_000 - 1);
    expect((await exchange(inTime.token)).status).toBe(200);
    advance(1);
    expect((await exchange(late.token)).status).toBe(401);
    expect((await exchange((await offer()).token)).status).toBe(200);
  });

  it('does not survive a restart: the token it would answer is another one', async () => {
    const before = await daemonHere();
    const { token } = await offer(before);
    await before.stop();
    const after = await daemonHere({ home: before.home });
    expect(after.token).not.toBe(before.token);
    expect((await exchange(token, {}, after)).status).toBe(401);
  });

  it('with an Idempotency-Key can be repeated only by its sender', async () => {
    const { token } = await offer();
    const events = await recorded(async () => {
      const first = await exchange(token, { 'idempotency-key': 'mine' });
      expect(first.status).toBe(200);
      expect((await exchange(token, { 'idempotency-key': 'mine' })).text).toBe(first.text);
      expect((await exchange(token, { 'idempotency-key': 'other' })).status).toBe(401);
      expect((await exchange('0'.repeat(32), { 'idempotency-key': 'mine' })).status).toBe(409);
    });
    expect(events.filter(({ type }) => type === 'PairingExchanged')).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(daemon.token);
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
