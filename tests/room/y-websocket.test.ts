/** The codec of y-websocket: how each frame of a room and each message is translated; and presence in a room. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReplicas } from '../../src/integrations/rooms/replicas.ts';
import { RENEW_MS } from '../../src/live/room/awareness.ts';
import { binaryFrame, STEP_1, STEP_2, textFrame, UPDATE } from '../../src/live/room/frames.ts';
import type { Peer } from '../../src/live/room/peer.ts';
import { Room } from '../../src/live/room/room.ts';
import { yWebsocketCodec as codec, type RoomCodec } from '../../src/live/room/y-websocket.ts';

interface Listener extends Peer {
  readonly frames: (string | Uint8Array)[];
  readonly awareness: Uint8Array[];
}

function listener(id: string, hasAwareness: boolean): Listener {
  const frames: (string | Uint8Array)[] = [];
  const awareness: Uint8Array[] = [];
  return {
    ...{ id, name: id, color: '#000000', hasAwareness, cursor: null, lastActive: 1, harmfulUpdates: 0 },
    ...{ frames, awareness },
    countBytes: () => undefined,
    send: (frame) => void frames.push(frame),
    sendAwareness: (update) => void (hasAwareness && awareness.push(update)),
    closeWithError: () => undefined,
  };
}

async function newRoom(): Promise<Room> {
  const replica = await createReplicas().open(() => []);
  return new Room('r', {
    apply: (update) => replica.apply(update),
    learn: () => null,
    vector: () => replica.vector(),
    missing: (vector) => replica.missing(vector),
    saved: async () => undefined,
    close: async () => true,
  });
}

const bytes = (...of: number[]): Uint8Array => Uint8Array.from(of);
const frameOf = (frame: Parameters<RoomCodec['frame']>[0]): number[] | null => {
  const message = codec.frame(frame);
  return message === null ? null : [...Buffer.from(message)];
};

describe('a frame of a room', () => {
  it.each([
    ['a state vector', binaryFrame(STEP_1, bytes(7)), [0, 0, 1, 7]],
    ['an answer', binaryFrame(STEP_2, bytes(7, 8)), [0, 1, 2, 7, 8]],
    ['an update', binaryFrame(UPDATE, bytes()), [0, 2, 0]],
    ['another binary frame', binaryFrame(9, bytes(1)), null],
    ['an empty frame', bytes(), null],
    ['a text frame', textFrame({ type: 'error', message: 'The log takes no writes.' }), null],
  ])('%s is the message of the stock provider, or none', (_name, frame, message) => {
    expect(frameOf(frame)).toEqual(message);
  });

  it('has close codes at which the stock provider does not connect again, except for a full room', () => {
    expect([1008, 1009, 1013].map((code) => codec.closeCode(code as 1008 | 1009 | 1013))).toEqual([4400, 4413, 1013]);
  });
});

describe('a stock peer in a room', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is shown the peers of the other protocol, again every 15 s, as long as it is there', async () => {
    const room = await newRoom();
    const [own, stock] = [listener('own', false), listener('stock', true)];
    room.enter(own);
    await vi.advanceTimersByTimeAsync(RENEW_MS);
    room.enter(stock);
    const before = stock.awareness.length;
    expect(before).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(2 * RENEW_MS);
    expect(stock.awareness).toHaveLength(before + 2);
    room.leave(stock);
    expect(vi.getTimerCount()).toBe(0);
    room.leave(own);
    expect(stock.awareness).toHaveLength(before + 2);
  });

  it('is not sent what cannot be read; peers of the other protocol are', async () => {
    const room = await newRoom();
    const [sender, own, stock] = [listener('sender', false), listener('own', false), listener('stock', true)];
    for (const peer of [sender, own, stock]) room.enter(peer);
    const before = stock.frames.length;
    const garbage = binaryFrame(UPDATE, bytes(255, 255));
    expect(room.receiveBytes(sender, garbage)).not.toBeNull();
    expect(own.frames.at(-1)).toBe(garbage);
    expect(stock.frames).toHaveLength(before);
    room.leave(stock);
  });
});
