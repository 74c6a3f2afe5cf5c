/** The limits of rooms: peers, frames, texts, slow readers, fast writers, and rooms in use. */
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { FRAME_BYTES_MAX } from '../../src/http/room/socket.ts';
import { FRAMES_PER_SECOND_MAX } from '../../src/live/room/peer.ts';
import { HARMFUL_UPDATES_MAX, PEERS_MAX } from '../../src/live/room/room.ts';
import { ROOMS_IN_USE_MAX } from '../../src/live/room/rooms.ts';
import { TEXT_BYTES_MAX } from '../../src/live/room/text.ts';
import { handshake } from '../http/wire.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import { type Client, converge, FILE, join } from './client.ts';

const daemon = sharedDaemon();
const enter = (room: string, isMute = false) => join({ ...daemon, room, isMute });
const leaveAll = (clients: readonly Client[]) => Promise.all(clients.map((client) => client.leave()));

it(`peer ${PEERS_MAX + 1} gets the reason in one text frame and is closed; after a peer leaves another one can enter`, async () => {
  const seated = await Promise.all(Array.from({ length: PEERS_MAX }, () => enter('seats', true)));
  const extra = await enter('seats', true);
  expect(await extra.closed).toMatchObject({ code: 1013 });
  expect(extra.frames).toEqual([{ type: 'error', message: expect.stringContaining(String(PEERS_MAX)) }]);
  const [first, ...rest] = seated;
  await first!.leave();
  await rest[0]!.until(() => rest[0]!.texts('peer_left').length === 1);
  const next = await enter('seats', true);
  expect(next.texts('welcome')[0]!.peers).toHaveLength(PEERS_MAX);
  const ids = next.texts('welcome')[0]!.peers!.map(({ peer_id }) => peer_id);
  expect(new Set(ids).size).toBe(PEERS_MAX);
  await leaveAll([...rest, next]);
});

it('the colour follows the order of entering: the eighth peer has the colour of the first', async () => {
  const colors: string[] = [];
  const host = await enter('colours', true);
  for (let each = 0; each < 8; each += 1) {
    const guest = await enter('colours', true);
    colors.push(guest.texts('welcome')[0]!.peers!.at(-1)!.color);
    await guest.leave();
    await host.until(() => host.texts('peer_left').length === each + 1);
  }
  expect(new Set(colors).size).toBe(8);
  expect(colors[7]).toBe(host.texts('welcome')[0]!.peers![0]!.color);
  await host.leave();
});

describe('a frame', () => {
  it('of the largest size is passed on; one byte more closes its sender, and only that', async () => {
    const ann = await enter('frames', true);
    const bob = await enter('frames', true);
    ann.sendRaw(Buffer.alloc(FRAME_BYTES_MAX, 9));
    await bob.until(() => bob.frames.some((frame) => Buffer.isBuffer(frame) && frame.length === FRAME_BYTES_MAX));
    ann.sendRaw(Buffer.alloc(FRAME_BYTES_MAX + 1, 9));
    expect(await ann.closed).toMatchObject({ code: 1009 });
    await bob.until(() => bob.texts('peer_left').length === 1);
    await bob.leave();
  });

  it('of text that is no UTF-8 closes its sender', async () => {
    const ann = await enter('utf8', true);
    ann.raw.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xff]));
    expect(await ann.closed).toMatchObject({ code: 1007 });
  });
});

it('a text that would be too long is refused to its writer, and stays as it was for the others', async () => {
  const ann = await enter('long');
  const bob = await enter('long');
  const piece = 'x'.repeat(500_000);
  for (let written = 0; written + piece.length <= TEXT_BYTES_MAX; written += piece.length) {
    ann.document.getText(FILE).insert(0, piece);
  }
  const text = await converge([ann, bob], ann.text());
  ann.document.getText(FILE).insert(0, piece);
  expect(await ann.closed).toMatchObject({ code: 1009 });
  expect(ann.texts('error')[0]!.message).toMatch(/2 MiB/);
  bob.document.getText(FILE).delete(0, text.length - 1);
  bob.document.getText(FILE).insert(0, piece);
  const late = await enter('long');
  await converge([bob, late], `${piece}x`);
  await leaveAll([bob, late]);
});

it('a peer that does not read is disconnected; the others get every update', { timeout: 60_000 }, async () => {
  const slow = await enter('slow', true);
  const writer = await enter('slow', true);
  const reader = await enter('slow', true);
  slow.socket.pause();
  const id = slow.texts('welcome')[0]!.peer_id;
  const isGone = (): boolean => reader.texts('peer_left').some(({ peer_id }) => peer_id === id);
  let sent = 0;
  while (!isGone()) {
    const frame = Buffer.alloc(32_768, 9);
    sent += 1;
    frame.writeUInt32BE(sent, 1);
    writer.sendRaw(frame);
    await reader.until(() => reader.frames.filter(Buffer.isBuffer).length === 1 + sent);
  }
  const numbers = reader.frames
    .filter((frame) => Buffer.isBuffer(frame) && frame[0] === 9)
    .map((frame) => (frame as Buffer).readUInt32BE(1));
  expect(numbers).toEqual(Array.from({ length: sent }, (_, each) => each + 1));
  slow.socket.resume();
  expect(await slow.closed).toMatchObject({ code: 1006 });
  await leaveAll([writer, reader]);
});

it('a burst of many small frames is no slow reader', async () => {
  const writer = await enter('burst', true);
  const reader = await enter('burst', true);
  writer.raw.cork();
  for (let each = 0; each < 2 * FRAMES_PER_SECOND_MAX; each += 1) writer.sendRaw(Buffer.from([9]));
  writer.raw.uncork();
  const isSmall = (frame: unknown): boolean => Buffer.isBuffer(frame) && frame[0] === 9;
  await reader.until(() => reader.frames.filter(isSmall).length === 2 * FRAMES_PER_SECOND_MAX);
  await leaveAll([writer, reader]);
});

it('updates that break every text end their sender’s connection after a few', async () => {
  const ann = await enter('harm', true);
  const bob = await enter('harm', true);
  // A letter that stands to the right of itself: yjs throws when it looks for its place.
  const document = new Y.Doc();
  document.clientID = 1;
  document.getText(FILE).insert(0, 'a');
  ann.send(2, Y.encodeStateAsUpdate(document));
  const harmful = Buffer.from('01010200840200016200', 'hex');
  for (let each = 0; each < HARMFUL_UPDATES_MAX; each += 1) ann.send(2, harmful);
  expect(await ann.closed).toMatchObject({ code: 1008 });
  const late = await enter('harm');
  await converge([late], 'a');
  await leaveAll([bob, late]);
});

it(`room ${ROOMS_IN_USE_MAX + 1} in use is 503 until one is left`, async () => {
  const clients: Client[] = [];
  for (let each = 0; each < ROOMS_IN_USE_MAX; each += 1) clients.push(await enter(`use ${each}`, true));
  const at = `${daemon.url}/ws/collab/more?token=${daemon.token}`;
  expect(await handshake(at)).toEqual({ status: 503, text: expect.stringContaining('"error"') });
  await clients.pop()!.leave();
  await until(async () => (await handshake(at)).status !== 503);
  await leaveAll(clients);
});

it('a client that is gone in the middle of the handshake leaves no room behind', async () => {
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket' },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16, 1).toString('base64') },
  };
  for (let each = 0; each < 20; each += 1) {
    const asked = request(`${daemon.url}/ws/collab/gone?token=${daemon.token}`, { headers });
    asked.on('error', () => undefined);
    asked.end();
    await once(asked, 'finish');
    asked.destroy();
  }
  const list = async (): Promise<string[]> => (await (await daemon.request('/collab/rooms')).json()) as string[];
  await until(async () => !(await list()).includes('gone'));
});
