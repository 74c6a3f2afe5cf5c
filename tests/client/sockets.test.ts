/** Sockets of the client that are aborted or end, without a network. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DaybookError } from '../../src/client/errors.ts';
import { openVoice } from '../../src/client/voice.ts';
import { connectRoom } from '../../src/client/yjs.ts';

let opened = 0;
let closed = 0;
let newest: EventTarget;

class CountedSocket extends EventTarget {
  readonly readyState = 1;

  constructor() {
    super();
    newest = this;
    opened += 1;
  }

  send(): void {}

  close(): void {
    closed += 1;
    setImmediate(() => this.dispatchEvent(new Event('close')));
  }
}

const ROOM = {
  Y: { encodeStateVector: () => new Uint8Array(), encodeStateAsUpdate: () => new Uint8Array(), applyUpdate() {} },
  doc: { on: () => undefined, off: () => undefined },
};

beforeEach(() => {
  [opened, closed] = [0, 0];
  vi.stubGlobal('WebSocket', CountedSocket);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A client whose daemon is found when `found` is called. */
function slowClient() {
  const { promise, resolve } = Promise.withResolvers<{ url: string; token: string }>();
  return { client: { daemon: () => promise }, found: () => resolve({ url: 'http://daemon.test', token: 'x' }) };
}

it('a conversation that is aborted before its socket is opened rejects with the reason', async () => {
  const { client, found } = slowClient();
  const abort = new AbortController();
  const nothing = (): void => undefined;
  const voice = openVoice(client, { onFrame: nothing, onSound: nothing, signal: abort.signal });
  abort.abort(new Error('Left.'));
  found();
  await expect(voice).rejects.toThrow('Left.');
  expect(opened).toBe(0);
});

it.each([
  ['that is aborted while its socket connects rejects with the reason', true, 'Left.'],
  ['that is refused rejects with an error of the client', false, 'The conversation was refused: 1006'],
])('a conversation %s', async (_what, isAborted, message) => {
  const { client, found } = slowClient();
  const abort = new AbortController();
  const nothing = (): void => undefined;
  const voice = openVoice(client, { onFrame: nothing, onSound: nothing, signal: abort.signal });
  found();
  await vi.waitFor(() => expect(opened).toBe(1));
  if (isAborted) abort.abort(new DaybookError({ status: 0, error: 'Left.' }));
  newest.dispatchEvent(new CloseEvent('close', { code: 1006 }));
  await expect(voice).rejects.toThrow(new DaybookError({ status: 0, error: message }));
});

it('a room that is left before its socket is opened opens none, and reports no error', async () => {
  const { client, found } = slowClient();
  const left = Promise.withResolvers<void>();
  const errors: string[] = [];
  const room = connectRoom(client, 'standup', {
    ...ROOM,
    onStatus: (status) => void (status === 'closed' && left.resolve()),
    onError: (message) => errors.push(message),
  });
  room.close();
  found();
  await left.promise;
  expect([opened, errors]).toEqual([0, []]);
});

it('an abort at any moment while the socket is opened closes it', async () => {
  const nothing = (): void => undefined;
  for (let turns = 0; turns < 12; turns += 1) {
    const { client, found } = slowClient();
    const abort = new AbortController();
    const room = connectRoom(client, 'standup', { ...ROOM, signal: abort.signal });
    const voice = openVoice(client, { onFrame: nothing, onSound: nothing, signal: abort.signal }).catch(nothing);
    found();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    abort.abort(new Error('Left.'));
    await vi.waitFor(() => expect([turns, closed]).toEqual([turns, opened]));
    await voice;
    room.close();
  }
  expect(opened).toBeGreaterThan(0);
});

it('a room whose connection ends says so at once, not when it connects again', async () => {
  vi.useFakeTimers();
  const { client, found } = slowClient();
  const statuses: string[] = [];
  const room = connectRoom(client, 'standup', { ...ROOM, onStatus: (status) => void statuses.push(status) });
  found();
  await vi.advanceTimersByTimeAsync(0);
  newest.dispatchEvent(new MessageEvent('message', { data: Uint8Array.of(1).buffer }));
  expect(statuses).toEqual(['connecting', 'connected']);
  newest.dispatchEvent(new Event('close'));
  await vi.advanceTimersByTimeAsync(0);
  expect([opened, statuses]).toEqual([1, ['connecting', 'connected', 'connecting']]);
  room.close();
});

// After the sleep of a laptop it stayed connected for ever, to nothing.
it('a room whose connection is silent for 45 seconds connects again', async () => {
  vi.useFakeTimers();
  const { client, found } = slowClient();
  const statuses: string[] = [];
  const applyUpdate = vi.fn();
  const Y = { ...ROOM.Y, applyUpdate };
  const room = connectRoom(client, 'standup', { ...ROOM, Y, onStatus: (status) => void statuses.push(status) });
  found();
  await vi.advanceTimersByTimeAsync(0);
  const lost = newest;
  const hear = (tag: number): unknown =>
    lost.dispatchEvent(new MessageEvent('message', { data: Uint8Array.of(tag, 0, 0).buffer }));
  hear(1);
  await vi.advanceTimersByTimeAsync(44_000);
  hear(2);
  await vi.advanceTimersByTimeAsync(44_000);
  expect([opened, closed, statuses]).toEqual([1, 0, ['connecting', 'connected']]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([opened, closed, statuses]).toEqual([2, 1, ['connecting', 'connected', 'connecting']]);
  hear(2);
  expect(applyUpdate).toHaveBeenCalledTimes(2);
  room.close();
});

// A socket that is being closed drops the `error` frame, so a change that was refused looked like one that was taken.
it.each([
  ['the reason', { code: 1009, reason: 'This text is full.' }, ['This text is full.']],
  [
    'that it was too large',
    { code: 1009 },
    ['The last change is too large for one frame, so the daemon did not take it.'],
  ],
  ['that it may be lost', { code: 1006 }, ['The connection ended before the daemon took the last changes.']],
  ['nothing when all of it was read', { code: 1005 }, []],
])('a room that is left after a change reports %s', async (_what, closing, expected) => {
  const { client, found } = slowClient();
  const errors: string[] = [];
  const on = vi.fn<(name: 'update', listener: (update: Uint8Array, origin: unknown) => void) => void>();
  const doc = { on, off: () => undefined };
  const room = connectRoom(client, 'standup', { ...ROOM, doc, onError: (message) => errors.push(message) });
  found();
  await vi.waitFor(() => expect(on).toHaveBeenCalled());
  on.mock.calls[0]![1](Uint8Array.of(1, 1, 1), null);
  room.close();
  newest.dispatchEvent(new CloseEvent('close', closing));
  expect(errors).toEqual(expected);
});

it.each([
  ['a text that is too long', { code: 1009, reason: 'This text is full.' }, []],
  [
    'a frame that is too large',
    { code: 1009 },
    ['The last change is too large for one frame, so the daemon did not take it.'],
  ],
  ['harmful updates', { code: 1008, reason: 'Too many of these updates cannot be applied.' }, []],
])('a room that refuses %s is not joined again', async (_what, closing, expected) => {
  const { client, found } = slowClient();
  const [statuses, errors]: [string[], string[]] = [[], []];
  const ended = Promise.withResolvers<void>();
  connectRoom(client, 'standup', {
    ...ROOM,
    onStatus(status) {
      statuses.push(status);
      if (statuses.length === 2) ended.resolve();
    },
    onError: (message) => errors.push(message),
  });
  found();
  await vi.waitFor(() => expect(opened).toBe(1));
  newest.dispatchEvent(new CloseEvent('close', closing));
  await ended.promise;
  expect([opened, statuses, errors]).toEqual([1, ['connecting', 'closed'], expected]);
});
