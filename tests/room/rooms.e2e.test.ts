/** Rooms for clients: the three routes, the handshake, and when a room is open. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { errorOf, handshake, sendBytes, statuses } from '../http/wire.ts';
import { daemonHere, sharedDaemon } from '../support/daemon.ts';
import { FILE, join, type PeerCard, UPDATE } from './client.ts';

const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const daemon = sharedDaemon();

const open = async (
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ room_id: string; peer_count: number }> => {
  const reply = await daemon.request('/collab/rooms', { method: 'POST', body: JSON.stringify(body), headers });
  expect(reply.status).toBe(200);
  return (await reply.json()) as { room_id: string; peer_count: number };
};
const list = async (query = ''): Promise<string[]> =>
  (await (await daemon.request(`/collab/rooms${query}`)).json()) as string[];
const peersOf = (room: string): Promise<Response> => daemon.request(`/collab/rooms/${encodeURIComponent(room)}/peers`);
const enter = (room: string, name?: string) => join({ ...daemon, room, ...(name === undefined ? {} : { name }) });
const typesOf = async (stream: string): Promise<string[]> => {
  const reply = await daemon.request(`/v1/events?stream=${encodeURIComponent(stream)}`);
  return ((await reply.json()) as { events: { type: string }[] }).events.map(({ type }) => type);
};

describe('POST /collab/rooms', () => {
  it('makes a room with an id of its own, or the one it was given', async () => {
    expect(await open({})).toEqual({ room_id: expect.stringMatching(/^[0-9a-f]{16}$/), peer_count: 0 });
    expect(await open({ room_id: null })).toEqual({ room_id: expect.stringMatching(/^[0-9a-f]{16}$/), peer_count: 0 });
    expect(await open({ room_id: 'mine' })).toEqual({ room_id: 'mine', peer_count: 0 });
    expect(await list()).toContain('mine');
  });

  it('answers an open room unchanged, with its peers', async () => {
    await open({ room_id: 'twice' });
    await open({ room_id: 'twice' });
    expect(await typesOf('room-twice')).toEqual(['RoomCreated']);
    const ann = await enter('twice');
    expect(await open({ room_id: 'twice' })).toEqual({ room_id: 'twice', peer_count: 1 });
    await ann.leave();
  });

  it.each([
    [''],
    ['nonsense'],
    ['[]'],
    ['{"room_id":3}'],
    ['{"room_id":""}'],
    ['{"room_id":".."}'],
    ['{"room_id":"."}'],
    ['{"room_id":"a\\u0000b"}'],
    ['{"room_id":"\\ud800"}'],
    [JSON.stringify({ room_id: 'x'.repeat(201) })],
  ])('is 400 for %.40s and makes nothing', async (body) => {
    const before = await list();
    const reply = await daemon.request('/collab/rooms', { method: 'POST', body });
    expect([reply.status, Object.keys((await reply.json()) as object)]).toEqual([400, ['error']]);
    expect((await list()).sort()).toEqual(before.sort());
  });
});

describe('an open room', () => {
  it('is one without a first peer yet, or with peers; its text survives its closing', async () => {
    await open({ room_id: 'door' });
    expect(await (await peersOf('door')).json()).toEqual([]);
    const ann = await enter('door', 'Ann');
    expect(await list()).toContain('door');
    ann.document.getText(FILE).insert(0, 'kept');
    await ann.leave();
    // The end of a connection is noticed a moment later.
    await expect.poll(() => list()).not.toContain('door');
    expect(await list('?all=true')).toContain('door');
    expect(await list('?all=false')).not.toContain('door');
    expect((await peersOf('door')).status).toBe(404);

    expect(await open({ room_id: 'door' })).toEqual({ room_id: 'door', peer_count: 0 });
    expect(await list()).toContain('door');
    const bob = await enter('door');
    await bob.until(() => bob.text() === 'kept');
    await bob.leave();
    const types = ['RoomCreated', 'RoomEntered', 'RoomReopened', 'RoomEntered'];
    expect(await typesOf('room-door')).toEqual(types);
  });

  it('is created by the first connection', async () => {
    const ann = await enter('by-connecting');
    expect(await list()).toContain('by-connecting');
    await ann.leave();
  });

  it('may be called anything', async () => {
    const room = 'a/b?c <é>#%2F';
    const ann = await enter(room);
    expect(ann.texts('welcome')[0]?.room_id).toBe(room);
    expect(await (await peersOf(room)).json()).toHaveLength(1);
    await ann.leave();
  });

  it('that is none is 404 with what may be echoed of its id', async () => {
    const reply = await peersOf(' a/b<i> ');
    expect([reply.status, await reply.json()]).toEqual([404, { error: "Room 'abi' not found" }]);
  });

  it.each([
    ['too long', 'x'.repeat(300), 'x'.repeat(200)],
    ['one with a control character', 'a\u0000b', 'ab'],
  ])('whose id is %s, which no room has, is 404 as well', async (_name, id, echo) => {
    const reply = await peersOf(id);
    expect([reply.status, await reply.json()]).toEqual([404, { error: `Room '${echo}' not found` }]);
  });
});

describe('the peers of a room', () => {
  it('are shown with name, colour and cursor, to peers and to callers of the route', async () => {
    const ann = await enter('peers', 'Ann');
    const bob = await enter('peers');
    await ann.until(() => ann.texts('peer_joined').length === 1);
    const cursor = { file: 'a.ts', line: 3, column: 1, selection_end: [3, 9] };
    const { peer_id } = ann.texts('welcome')[0]!;
    ann.sendRaw(JSON.stringify({ type: 'awareness', peer_id, cursor, timestamp: 1 }));
    await bob.until(() => bob.texts('awareness').length === 1);
    const peers = (await (await peersOf('peers')).json()) as PeerCard[];
    expect(peers.map(({ last_active: _, ...rest }) => rest)).toEqual([
      { peer_id, name: 'Ann', color: ann.texts('welcome')[0]!.peers![0]!.color, cursor },
      {
        peer_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        name: 'Anonymous',
        color: expect.stringMatching(/^#[0-9a-f]{6}$/),
        cursor: null,
      },
    ]);
    expect(peers[0]!.color).not.toBe(peers[1]!.color);
    expect(bob.texts('welcome')[0]!.peers).toHaveLength(2);
    await bob.leave();
    await ann.until(() => ann.texts('peer_left')[0]?.peer_id === peers[1]!.peer_id);
    await ann.leave();
  });

  it('are not in the log', async () => {
    const events = await (await daemon.request('/v1/events?limit=5000')).text();
    expect(events).not.toMatch(/Ann|peer_id|cursor/);
  });
});

describe('the handshake', () => {
  const at = (query: string, room = 'hand'): string => `${daemon.url}/ws/collab/${room}${query}`;
  const events = async (): Promise<string> => (await daemon.request('/v1/events?limit=5000')).text();

  it('without the right token is 401, says just that, and makes no room', async () => {
    for (const query of ['', '?token=', '?token=nope', `?token=${daemon.token}x`, `?name=${daemon.token}`]) {
      expect([query, await handshake(at(query))]).toEqual([query, { status: 401, text: 'Invalid token' }]);
    }
    const authorization = `Bearer ${daemon.token}`;
    expect(await handshake(at(''), { authorization })).toEqual({ status: 401, text: 'Invalid token' });
    expect(await events()).not.toContain('room-hand');
  });

  it('from another page is 403, the right token notwithstanding', async () => {
    const foreign = await handshake(at(`?token=${daemon.token}`), { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
    expect(errorOf({ ...foreign, headers: {} })).toMatch(/Origin/);
    const own = await handshake(at(`?token=${daemon.token}`, 'own'), { origin: daemon.url });
    expect(own.status).toBe(101);
  });

  it.each([
    ['/ws/collab/', 404],
    ['/ws/collab/a/b', 404],
    ['/ws/collab/%zz', 400],
    ['/ws/collab/a%00', 400],
    [`/ws/collab/${'x'.repeat(201)}`, 400],
  ])('to %.24s is %i', async (path, status) => {
    const reply = await handshake(`${daemon.url}${path}?token=${daemon.token}`);
    expect(reply.status).toBe(status);
    errorOf({ ...reply, headers: {} });
  });

  it.each([
    ['no key', ['Upgrade: websocket', 'Sec-WebSocket-Version: 13']],
    ['another version', ['Upgrade: websocket', 'Sec-WebSocket-Version: 9', KEY]],
    ['another protocol', ['Upgrade: h2c', 'Sec-WebSocket-Version: 13', KEY]],
  ])('with %s is 400, and makes no room', async (_name, lines) => {
    const head = [`GET /ws/collab/unsound?token=${daemon.token} HTTP/1.1`, 'Host: localhost', 'Connection: Upgrade'];
    const raw = await sendBytes(daemon.url, `${[...head, ...lines].join('\r\n')}\r\n\r\n`);
    expect(statuses(raw)).toEqual([400]);
    expect(await events()).not.toContain('unsound');
  });

  it('counts against the public limit', async () => {
    const strict = await daemonHere({ env: { DAYBOOK_RATE_PUBLIC: '2' } });
    const to = (room: string) => handshake(`${strict.url}/ws/collab/${room}?token=${strict.token}`);
    expect([(await to('a')).status, (await to('b')).status, (await to('c')).status]).toEqual([101, 101, 429]);
  });

  it('leaves the token nowhere', async () => {
    const ann = await enter('secret', daemon.token.slice(0, 8));
    ann.document.getText(FILE).insert(0, 'x');
    ann.sendRaw(Buffer.from([9]));
    await ann.leave();
    expect(await events()).not.toContain(daemon.token);
    expect(daemon.lines.filter((line) => line.includes(daemon.token))).toEqual([`token ${daemon.token}`]);
  });
});

/** Several times as many as may be open at once (`ROOMS_IN_USE_MAX`). */
const ROOMS = process.env.DAYBOOK_LONG === '1' ? 10_000 : 500;

it('hundreds of rooms without peers can be made and listed', { timeout: 120_000 }, async () => {
  const own = await daemonHere();
  const make = async (from: number): Promise<void> => {
    for (let each = from; each < ROOMS; each += 20) {
      const body = JSON.stringify({ room_id: `room ${each}` });
      await (await own.request('/collab/rooms', { method: 'POST', body })).text();
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, from) => make(from)));
  expect((await (await own.request('/collab/rooms')).json()) as string[]).toHaveLength(ROOMS);
});

// A client that cannot see pings, as in a browser, took a connection that was lost for one on which nothing happens.
it('a peer gets something every 15 seconds: an update without content', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ann = await enter('quiet');
  const came = ann.frames.length;
  vi.advanceTimersByTime(15_000);
  await ann.until(() => ann.frames.slice(came).some((frame) => Buffer.isBuffer(frame) && frame[0] === UPDATE));
  expect(ann.frames.at(-1)).toEqual(Buffer.from([UPDATE, 0, 0]));
  await ann.leave();
});
