/** Which rooms are in memory: they are loaded while they have users, and until their updates are in the log. */
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import type { RoomEvent, RoomTextEvent } from '../../src/events/room.ts';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import { systemClock, systemIds } from '../../src/integrations/system.ts';
import type { Peer } from '../../src/live/room/peer.ts';
import { ROOMS_IN_USE_MAX, Rooms } from '../../src/live/room/rooms.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createCommandHandler } from '../../src/streams/command-handler.ts';
import type { EventBatch } from '../../src/streams/committed-events.ts';
import { temporaryFolder } from '../support/folders.ts';
import { replacing } from '../support/replacing.ts';

/** Rooms on a log in memory that can be shut. */
async function openRooms({ isShared = false } = {}) {
  const { log } = await openStorage({ directory: temporaryFolder('data'), ephemeral: true });
  const lines: string[] = [];
  const appended$ = new Subject<EventBatch>();
  const shut = { isShut: false };
  const guarded: EventLog = replacing(log, {
    async append(batch, options) {
      if (shut.isShut) throw new Error('the disk is full');
      return log.append(batch, options);
    },
  });
  const rooms = new Rooms({
    log: guarded,
    commandHandler: createCommandHandler({ log: guarded, clock: systemClock, ids: systemIds }),
    replicas: createReplicas(),
    appended$,
    isShared,
    announce: (line) => lines.push(line),
  });
  const types = (): string[] => [...log.readAll()].map(({ type }) => type as (RoomEvent | RoomTextEvent)['type']);
  return { rooms, lines, types, log, shut, appended$, close: () => rooms.close().then(() => log.close()) };
}

function fakePeer(): Peer & { readonly got: (string | Uint8Array)[] } {
  const got: (string | Uint8Array)[] = [];
  const facts = { id: 'p', name: 'n', color: '#000000', cursor: null, lastActive: 1, harmfulUpdates: 0 };
  return {
    ...facts,
    got,
    send: (frame) => got.push(frame),
    countBytes: () => undefined,
    closeWithError: () => undefined,
    hasAwareness: false,
    sendAwareness: () => undefined,
  };
}

const update = (text: string): Uint8Array => {
  const document = new Y.Doc();
  document.getText('a').insert(0, text);
  return Buffer.concat([Buffer.from([2]), Y.encodeStateAsUpdate(document)]);
};

const textOf = (state: Uint8Array): string => {
  const document = new Y.Doc();
  Y.applyUpdate(document, state);
  return document.getText('a').toString();
};

describe('a room in memory', () => {
  it('is one for concurrent callers, and is entered once in the log', async () => {
    const { rooms, types, close } = await openRooms();
    const [one, two] = await Promise.all([rooms.acquire('r'), rooms.acquire('r')]);
    expect(one).toBe(two);
    expect(types()).toEqual(['RoomCreated', 'RoomEntered']);
    await close();
  });

  it('is unloaded when its last user releases it, with its text in the log, and is loaded from there', async () => {
    const { rooms, types, close } = await openRooms();
    const first = await rooms.acquire('r');
    first.receiveBytes(fakePeer(), update('kept'));
    rooms.release('r');
    const second = await rooms.acquire('r');
    // Its text was not in the log yet: it is still the one.
    expect(second).toBe(first);
    rooms.release('r');
    await first.text.saved();
    await new Promise((resolve) => setImmediate(resolve));
    const third = await rooms.acquire('r');
    expect(third).not.toBe(first);
    expect(textOf(third.text.missing(new Uint8Array([0]))!)).toBe('kept');
    expect(types()).toEqual(['RoomCreated', 'RoomEntered', 'RoomTextChanged']);
    await close();
  });

  it('with peers is listed with them; one that is only loaded is not', async () => {
    const { rooms, close } = await openRooms();
    const room = await rooms.acquire('r');
    expect([rooms.inUse(), rooms.peerCount('r'), rooms.peers('r')]).toEqual([[], 0, null]);
    const peer = fakePeer();
    room.enter(peer);
    expect([rooms.inUse(), rooms.peerCount('r')]).toEqual([['r'], 1]);
    expect(rooms.peers('r')).toMatchObject([{ peer_id: 'p' }]);
    await close();
  });

  it(`is one of ${ROOMS_IN_USE_MAX} at most; a refused caller creates no room`, async () => {
    const { rooms, types, close } = await openRooms();
    await Promise.all(Array.from({ length: ROOMS_IN_USE_MAX }, (_, each) => rooms.acquire(`r${each}`)));
    const before = types().length;
    await expect(rooms.acquire('more')).rejects.toMatchObject({ refusal: { kind: 'unavailable' } });
    expect(types()).toHaveLength(before);
    expect(await rooms.acquire('r0')).toBeDefined();
    await close();
  });
});

describe('a room on a log that other daemons append to', () => {
  it('goes on without a change that a newer daemon recorded, and shows the next one', async () => {
    const { rooms, lines, appended$, close } = await openRooms({ isShared: true });
    const room = await rooms.acquire('r');
    const recorded = { stream: 'room_text-r', id: 'e', type: 'RoomTextChanged', at: 1, actor: 'owner', leafHash: '' };
    const ofOther = { ...recorded, correlation: null, causation: null };
    const change = Buffer.from(update('from afar').subarray(1)).toString('base64');
    appended$.next([
      { ...ofOther, position: 9, version: 1, schema: 99, data: { change: 'of a later kind' } },
      { ...ofOther, position: 10, version: 2, schema: 1, data: { update: change } },
    ]);
    await expect.poll(() => room.text.missing(new Uint8Array([0])) ?? new Uint8Array()).not.toHaveLength(0);
    expect(textOf(room.text.missing(new Uint8Array([0]))!)).toBe('from afar');
    expect(lines).toEqual([expect.stringMatching(/^Room r: a change .* is not shown here: .* position 9 /)]);
    await close();
  });
});

describe('a log that takes no writes', () => {
  it('refuses to enter a new room, and keeps none of it', async () => {
    const { rooms, shut, close } = await openRooms();
    shut.isShut = true;
    for (let each = 0; each < ROOMS_IN_USE_MAX + 1; each += 1) {
      await expect(rooms.acquire(`r${each}`)).rejects.toThrow('the disk is full');
    }
    shut.isShut = false;
    expect(await rooms.acquire('r')).toBeDefined();
    await close();
  });

  it('is reported to every peer of the room and on stderr once; nothing written meanwhile is lost', async () => {
    const { rooms, shut, lines, log, close } = await openRooms();
    const room = await rooms.acquire('r');
    const peer = fakePeer();
    room.enter(peer);
    shut.isShut = true;
    room.receiveBytes(peer, update('through the storm'));
    const saved = room.text.saved();
    const errors = (): unknown[] => peer.got.filter((frame) => String(frame).includes('"type":"error"'));
    while (errors().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(lines).toEqual([expect.stringContaining('Room r: what is written cannot be recorded (the disk is full)')]);
    shut.isShut = false;
    await saved;
    const [event] = log.readStream('room_text-r');
    expect(textOf(Buffer.from((event!.data as { update: string }).update, 'base64'))).toBe('through the storm');
    expect([errors().length, lines.length]).toEqual([1, 1]);
    await close();
  });

  it('keeps a room in memory that everybody has left, until its text is in the log', async () => {
    const { rooms, shut, lines, types, close } = await openRooms();
    const room = await rooms.acquire('r');
    shut.isShut = true;
    room.receiveBytes(fakePeer(), update('alone'));
    rooms.release('r');
    while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await rooms.acquire('r')).toBe(room);
    rooms.release('r');
    shut.isShut = false;
    await room.text.saved();
    await new Promise((resolve) => setImmediate(resolve));
    expect(types()).toEqual(['RoomCreated', 'RoomEntered', 'RoomTextChanged']);
    expect(await rooms.acquire('r')).not.toBe(room);
    await close();
  });

  it('at the end is said', async () => {
    const { rooms, shut, lines, log } = await openRooms();
    (await rooms.acquire('r')).receiveBytes(fakePeer(), update('lost'));
    shut.isShut = true;
    await rooms.close();
    expect(lines.at(-1)).toMatch(/last changes could not be recorded.*: 1\.$/);
    await log.close();
  });
});
