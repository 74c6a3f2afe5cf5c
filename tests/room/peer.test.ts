/** One connection: a peer that does not read is disconnected, one that writes too fast is paused. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BYTES_BEHIND_MAX,
  BYTES_PER_SECOND_MAX,
  createPeer,
  FRAMES_BEHIND_MAX,
  FRAMES_PER_SECOND_MAX,
  type PeerSocket,
} from '../../src/live/room/peer.ts';
import { ownCodec } from '../../src/live/room/y-websocket.ts';

/** A socket whose other end takes frames only when it is told to. */
class Client extends EventEmitter implements PeerSocket {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  isReading = true;
  readonly sent: { readonly data: unknown; readonly binary: boolean }[] = [];
  #untaken: { readonly size: number; readonly done: () => void }[] = [];
  #late: (() => void)[] = [];

  get bufferedAmount(): number {
    return this.#untaken.reduce((sum, { size }) => sum + size, 0);
  }
  send(data: string | Uint8Array, { binary }: { readonly binary: boolean }, done: () => void = () => undefined): void {
    this.sent.push({ data, binary });
    // Also of a frame that went at once the socket tells later.
    if (this.isReading) this.#late.push(done);
    else this.#untaken.push({ size: data.length, done });
  }
  /** The socket tells of what went. */
  turn(): void {
    for (const done of this.#late.splice(0)) done();
  }
  take(count: number): void {
    for (const { done } of this.#untaken.splice(0, count)) done();
  }
  terminate(): void {
    this.readyState = 3;
  }
  close(): void {
    this.readyState = 2;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
}

let client: Client;
const somebody = () =>
  createPeer(client, { id: 'a', name: 'n', color: '#000000', now: () => Date.now(), protocol: ownCodec });

beforeEach(() => {
  vi.useFakeTimers();
  client = new Client();
});
afterEach(() => void vi.useRealTimers());

describe('a reader', () => {
  it('that takes everything is never behind, however much comes in one turn', () => {
    const peer = somebody();
    for (let each = 0; each < 10 * FRAMES_BEHIND_MAX; each += 1) peer.send('x');
    expect(client.readyState).toBe(1);
  });

  it('is cut off one frame after the most it may be behind, and gets nothing more', () => {
    const peer = somebody();
    for (let each = 0; each < 1_000; each += 1) peer.send('x');
    client.isReading = false;
    for (let each = 0; each < FRAMES_BEHIND_MAX; each += 1) peer.send('x');
    expect(client.readyState).toBe(1);
    peer.send('x');
    expect(client.readyState).toBe(3);
    const { length } = client.sent;
    peer.send('x');
    expect(client.sent).toHaveLength(length);
  });

  it('that is slow but keeps taking is not', () => {
    const peer = somebody();
    client.isReading = false;
    for (let each = 0; each < FRAMES_BEHIND_MAX; each += 1) peer.send('x');
    for (let each = 0; each < 1_000; each += 1) {
      client.take(1);
      peer.send('x');
    }
    client.turn();
    expect(client.readyState).toBe(1);
  });

  it('is cut off for bytes, too', () => {
    const peer = somebody();
    client.isReading = false;
    peer.send(new Uint8Array(BYTES_BEHIND_MAX));
    expect(client.readyState).toBe(1);
    peer.send(new Uint8Array(1));
    expect(client.readyState).toBe(3);
  });

  it('gets text as text, bytes as bytes, and bytes that look like JSON as text', () => {
    const peer = somebody();
    peer.send('hello');
    peer.send(Buffer.from([2, 1]));
    peer.send(Buffer.from('{"a":1}'));
    expect(client.sent.map(({ binary }) => binary)).toEqual([false, true, false]);
  });
});

/** Waiting frames are worked off in turns of the event loop. */
const TURN_MS = 1;

describe('a writer', () => {
  it.each([
    ['frames', FRAMES_PER_SECOND_MAX, 1],
    ['bytes', 4, BYTES_PER_SECOND_MAX / 4],
  ])('of too many %s is not read from until the second is over', async (_name, frames, size) => {
    const { countBytes } = somebody();
    await vi.advanceTimersByTimeAsync(300);
    for (let each = 1; each < frames; each += 1) countBytes(size);
    expect(client.isPaused).toBe(false);
    countBytes(size);
    expect(client.isPaused).toBe(true);
    await vi.advanceTimersByTimeAsync(699);
    expect(client.isPaused).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.isPaused).toBe(false);
  });

  it('has its frames worked off at the limit, in order, also when all of them were read in one write', async () => {
    const peer = somebody();
    const worked: number[] = [];
    const sent = Array.from({ length: 2 * FRAMES_PER_SECOND_MAX + 7 }, (_, each) => each);
    for (const each of sent) peer.take(1, () => worked.push(each));
    expect(worked).toHaveLength(FRAMES_PER_SECOND_MAX);
    await vi.advanceTimersByTimeAsync(999);
    expect([worked.length, client.isPaused]).toEqual([FRAMES_PER_SECOND_MAX, true]);
    await vi.advanceTimersByTimeAsync(1 + TURN_MS);
    expect([worked.length, client.isPaused]).toEqual([2 * FRAMES_PER_SECOND_MAX, true]);
    await vi.advanceTimersByTimeAsync(1_000 + TURN_MS);
    expect(client.isPaused).toBe(false);
    expect(worked).toEqual(sent);
  });

  it('that leaves is there until its frames are worked off, unless it is ended for what it did', async () => {
    for (const isEnded of [false, true]) {
      client = new Client();
      const peer = somebody();
      let worked = 0;
      let ends = 0;
      peer.onEnd(() => (ends += 1));
      for (let each = 0; each <= FRAMES_PER_SECOND_MAX; each += 1) peer.take(1, () => (worked += 1));
      if (isEnded) peer.closeWithError(1008, 'No.');
      client.emit('close');
      expect([worked, ends]).toEqual([FRAMES_PER_SECOND_MAX, isEnded ? 1 : 0]);
      await vi.advanceTimersByTimeAsync(1_000 + TURN_MS);
      expect([worked, ends]).toEqual([FRAMES_PER_SECOND_MAX + (isEnded ? 0 : 1), 1]);
    }
  });

  it('takes turns with others whose frames wait: none is served before all others', async () => {
    const worked: string[] = [];
    for (const name of ['a', 'b']) {
      client = new Client();
      const peer = somebody();
      for (let each = 0; each < FRAMES_PER_SECOND_MAX + 3; each += 1) peer.take(1, () => worked.push(name));
    }
    worked.length = 0;
    await vi.advanceTimersByTimeAsync(1_000 + TURN_MS);
    expect(worked.join('')).toBe('ababab');
  });

  it('has all its frames worked off at once when the daemon closes', () => {
    const peer = somebody();
    let worked = 0;
    for (let each = 0; each < 3 * FRAMES_PER_SECOND_MAX; each += 1) peer.take(1, () => (worked += 1));
    peer.flush();
    for (let each = 0; each < FRAMES_PER_SECOND_MAX; each += 1) peer.take(1, () => (worked += 1));
    expect(worked).toBe(4 * FRAMES_PER_SECOND_MAX);
  });

  it('that stays below is never stopped', async () => {
    const { countBytes } = somebody();
    for (let second = 0; second < 5; second += 1) {
      for (let each = 1; each < FRAMES_PER_SECOND_MAX; each += 1) countBytes(1);
      expect(client.isPaused).toBe(false);
      await vi.advanceTimersByTimeAsync(1_000);
    }
  });
});

it('a connection that is closed keeps no timer', () => {
  const { countBytes } = somebody();
  for (let each = 0; each < FRAMES_PER_SECOND_MAX; each += 1) countBytes(1);
  client.emit('close');
  expect(vi.getTimerCount()).toBe(0);
});
