/** Pairing from another machine or through a proxy: refused without the code on the daemon's terminal, and after five wrong codes. */
import { describe, expect, it } from 'vitest';
import { pairingRoutes } from '../../src/http/pairing.ts';
import { createPairing } from '../../src/reactors/pairing.ts';
import type { SendCommand } from '../../src/reactors/send-command.ts';
import { testServer } from '../support/server.ts';
import { movableClock } from './clock.ts';

const HOST = 'desk.example';

async function daemonAcrossTheNet() {
  const { clock, advance } = movableClock();
  const options = { clock, settings: { allowed_hosts: [HOST] } };
  const { app, lines, log, token } = await testServer(
    (parts) => pairingRoutes({ ...parts, port: () => 7878, nodes: { isShared: false } }),
    options,
  );
  const ask = async (
    method: 'GET' | 'POST',
    remoteAddress: string,
    body?: Record<string, unknown>,
    headers: Record<string, string> = {},
  ) => {
    const request = { method, url: '/pair', remoteAddress, headers: { host: HOST, ...headers } };
    const reply = await app.inject(body === undefined ? request : { ...request, payload: body });
    return { status: reply.statusCode, body: reply.json<{ token?: string; error?: string; url?: string }>() };
  };
  const types = (): string[] => [...log.readAll()].map((event) => event.type);
  const code = (): string => /^pairing code (\d{6}) for /.exec(lines.at(-1) ?? '')?.[1] ?? '';
  return { ask, lines, code, types, advance, log, token };
}

const PHONE = '192.0.2.9';

describe.each([PHONE, '10.0.0.1', '::ffff:192.0.2.9', '2001:db8::1', '::ffff:10.127.0.1', '128.0.0.1'])(
  'from %s',
  (peer) => {
    it('needs the code that only the terminal shows', async () => {
      const { ask, code, lines, types, token } = await daemonAcrossTheNet();
      const { body: offer } = await ask('GET', peer);
      expect(offer.url).toBe(`http://${HOST}:7878/pair?token=${offer.token}`);
      const asked = await ask('POST', peer, { token: offer.token });
      expect([asked.status, asked.body.token]).toEqual([403, undefined]);
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(asked.body)).not.toContain(code());
      const done = await ask('POST', peer, { token: offer.token, code: code() });
      expect(done).toEqual({ status: 200, body: { token } });
      expect(types()).toEqual(['PairingOffered', 'PairingExchanged']);
    });
  },
);

it('more than 1 000 open offers end the oldest', async () => {
  const { commandHandler, token, ...parts } = await testServer(() => []);
  const pairing = createPairing({ ...parts, token, nodes: { isShared: false } });
  const origin = { actor: 'anonymous', correlation: null };
  const send: SendCommand = (decider, id, command) => commandHandler.dispatch(decider, id, command, { origin });
  const offers = await Promise.all(Array.from({ length: 1_001 }, () => pairing.offer('127.0.0.1', send)));
  const exchange = (offer: string) =>
    pairing.exchange({ token: offer, code: undefined, peer: '127.0.0.1', client: '127.0.0.1', local: true }, send);
  await expect(exchange(offers[0]!)).rejects.toThrow('unknown, used or expired');
  expect(await exchange(offers[1]!)).toBe(token);
});

it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('from %s needs no code', async (peer) => {
  const { ask, lines, token } = await daemonAcrossTheNet();
  const { body: offer } = await ask('GET', peer);
  expect(await ask('POST', peer, { token: offer.token })).toEqual({ status: 200, body: { token } });
  expect(lines).toEqual([]);
});

it.each([
  { 'x-forwarded-for': PHONE },
  { 'x-forwarded-for': '127.0.0.1' },
  { 'x-real-ip': PHONE },
  { forwarded: `for=${PHONE}` },
  { via: '1.1 desk' },
])('through a proxy on the machine of the daemon needs the code: %j', async (headers) => {
  const { ask, code, lines, token } = await daemonAcrossTheNet();
  const { body: offer } = await ask('GET', '127.0.0.1');
  expect(await ask('POST', '127.0.0.1', { token: offer.token }, headers)).toMatchObject({ status: 403 });
  expect(lines).toEqual([expect.stringContaining('for a client of the proxy at 127.0.0.1: ')]);
  const done = await ask('POST', '127.0.0.1', { token: offer.token, code: code() }, headers);
  expect(done).toEqual({ status: 200, body: { token } });
});

describe('guessing', () => {
  it('five wrong codes void the offer, the right code then comes too late', async () => {
    const { ask, code, types } = await daemonAcrossTheNet();
    const { body: offer } = await ask('GET', PHONE);
    await ask('POST', PHONE, { token: offer.token });
    const right = code();
    const wrong = right === '000000' ? '000001' : '000000';
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await ask('POST', PHONE, { token: offer.token, code: wrong })).status).toBe(403);
    }
    expect((await ask('POST', PHONE, { token: offer.token, code: right })).status).toBe(401);
    expect(types()).toEqual(['PairingOffered', ...Array(5).fill('PairingRefused')]);
  });

  it('four wrong codes leave one try', async () => {
    const { ask, code } = await daemonAcrossTheNet();
    const { body: offer } = await ask('GET', PHONE);
    await ask('POST', PHONE, { token: offer.token });
    const right = code();
    for (const wrong of ['', '1', 'abcdef', `${right}0`]) {
      expect((await ask('POST', PHONE, { token: offer.token, code: wrong })).status).toBe(403);
    }
    expect((await ask('POST', PHONE, { token: offer.token, code: ` ${right} ` })).status).toBe(200);
  });

  it('a code given before one was made is wrong, too', async () => {
    const { ask } = await daemonAcrossTheNet();
    const { body: offer } = await ask('GET', PHONE);
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await ask('POST', PHONE, { token: offer.token, code: '123456' })).status).toBe(403);
    }
    expect((await ask('POST', PHONE, { token: offer.token })).status).toBe(401);
  });

  it('a code belongs to its offer', async () => {
    const { ask, code } = await daemonAcrossTheNet();
    const { body: one } = await ask('GET', PHONE);
    const { body: other } = await ask('GET', PHONE);
    await ask('POST', PHONE, { token: one.token });
    const first = code();
    await ask('POST', PHONE, { token: other.token });
    const second = code();
    if (first === second) return;
    expect((await ask('POST', PHONE, { token: other.token, code: first })).status).toBe(403);
    expect((await ask('POST', PHONE, { token: other.token, code: second })).status).toBe(200);
  });

  it('the code expires with the offer', async () => {
    const { ask, code, advance } = await daemonAcrossTheNet();
    const { body: offer } = await ask('GET', PHONE);
    await ask('POST', PHONE, { token: offer.token });
    advance(5 * 60_000);
    expect((await ask('POST', PHONE, { token: offer.token, code: code() })).status).toBe(401);
  });

  it('codes and tokens are in no event', async () => {
    const { ask, code, log, token } = await daemonAcrossTheNet();
    const { body: offer } = await ask('GET', PHONE);
    await ask('POST', PHONE, { token: offer.token });
    await ask('POST', PHONE, { token: offer.token, code: 'nope' });
    await ask('POST', PHONE, { token: offer.token, code: code() });
    const everything = JSON.stringify([...log.readAll()].map((event) => event.data));
    for (const secret of [token, offer.token!, code()]) expect(everything).not.toContain(secret);
  });
});
