/** Rooms over the protocol of y-websocket, with its own provider, together with peers of Daybook's protocol. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { roomTextEvents } from '../../src/events/room.ts';
import { TEXT_BYTES_MAX } from '../../src/live/room/text.ts';
import { startTestDaemon } from '../../src/testing/testing.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { type Client, FILE, join } from './client.ts';
import { type Stock, stock, stockOf } from './y-websocket-client.ts';

const daemon = sharedDaemon();
let rooms = 0;

function room(): { url: string; token: string; room: string } {
  rooms += 1;
  return { url: daemon.url, token: daemon.token, room: `yjs-${rooms}` };
}

async function stockIn(at: ReturnType<typeof room>, document?: Y.Doc): Promise<Stock> {
  const joined = await stock({ ...at, ...(document && { document }) });
  onTestFinished(() => joined.leave());
  return joined;
}

describe('the stock provider', () => {
  it('writes a text with a peer of the other protocol, in both directions', async () => {
    const at = room();
    const own = await join(at);
    const [one, other] = [await stockIn(at), await stockIn(at)];
    own.document.getText(FILE).insert(0, 'own ');
    await one.until(() => one.text() === 'own ');
    one.document.getText(FILE).insert(4, 'stock');
    await Promise.all([own, other].map((each) => each.until(() => each.text() === 'own stock')));
    await own.leave();
  });

  it('syncs with a daemon for tests, whose clock stands still', async () => {
    await using tested = await startTestDaemon();
    const joined = await stock({ url: tested.url, token: tested.token, room: 'plan' });
    joined.document.getText(FILE).insert(0, 'still');
    joined.leave();
    const again = await stock({ url: tested.url, token: tested.token, room: 'plan' });
    await again.until(() => again.text() === 'still');
    again.leave();
  });

  it('finds the text again that only it has written, and the log has it', async () => {
    const at = room();
    const first = await stockIn(at);
    first.document.getText(FILE).insert(0, 'kept');
    first.leave();
    const second = await stockIn(at);
    await second.until(() => second.text() === 'kept');
    const own = await join(at);
    await own.until(() => own.text() === 'kept');
    await own.leave();
    second.leave();
    const stream = `room_text-${at.room}`;
    await expect
      .poll(async () => {
        const page = await daemon.request(`/v1/events?stream=${stream}`);
        return ((await page.json()) as { events: { type: string }[] }).events.map(({ type }) => type);
      })
      .toEqual([roomTextEvents.RoomTextChanged.type]);
  });

  it('sees presence of other stock peers as they sent it, and is told when they leave', async () => {
    const at = room();
    const [one, other] = [await stockIn(at), await stockIn(at)];
    const state = { user: { name: 'Ann', color: '#123456' }, cursor: { anchor: { tname: 'x' }, head: null } };
    one.provider.awareness.setLocalState(state);
    const seen = () => other.provider.awareness.getStates().get(one.document.clientID);
    await other.until(() => seen() !== undefined);
    await other.until(() => JSON.stringify(seen()) === JSON.stringify(state));
    const late = await stockIn(at);
    await late.until(() => late.provider.awareness.getStates().has(one.document.clientID));
    one.leave();
    await other.until(() => seen() === undefined);
    await late.until(() => !late.provider.awareness.getStates().has(one.document.clientID));
  });

  it('and a peer of the other protocol see each other’s name and place', async () => {
    const at = room();
    const own = await join({ ...at, name: 'Bob' });
    const stocked = await stockIn(at);
    const states = () => [...stocked.provider.awareness.getStates().values()] as { user?: { name: string } }[];
    await stocked.until(() => states().some(({ user }) => user?.name === 'Bob'));
    const cursor = { file: FILE, line: 3, column: 4, selection_end: null };
    const peer_id = own.texts('welcome')[0]!.peer_id!;
    own.sendRaw(JSON.stringify({ type: 'awareness', peer_id, cursor, timestamp: 1 }));
    await stocked.until(() => states().some((state) => JSON.stringify(state).includes(JSON.stringify(cursor))));
    stocked.provider.awareness.setLocalState({ user: { name: 'Ann' }, cursor });
    await own.until(() => own.texts('awareness').length === 1);
    expect(own.texts('awareness')[0]).toMatchObject({ cursor });
    const peers = await (await daemon.request(`/collab/rooms/${at.room}/peers`)).json();
    expect(peers).toMatchObject([
      { name: 'Bob', cursor },
      { name: 'Ann', cursor },
    ]);
    await own.leave();
    await stocked.until(() => !states().some(({ user }) => user?.name === 'Bob'));
  });

  it('is refused without the token, and for a name that no room can have', async () => {
    const base = daemon.url.replace(/^http/, 'ws');
    for (const [path, status] of [
      ['/ws/yjs/a', 401],
      ['/ws/yjs/a?token=wrong', 401],
      [`/ws/yjs/${'x'.repeat(300)}?token=${daemon.token}`, 400],
    ] as const) {
      const socket = new WebSocket(base + path);
      socket.on('error', () => undefined);
      const answered = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      });
      socket.terminate();
      expect([path, answered]).toEqual([path, status]);
    }
  });

  it('does not connect again when its text is too long', async () => {
    const at = room();
    const document = new Y.Doc();
    document.getText(FILE).insert(0, 'x'.repeat(TEXT_BYTES_MAX + 1));
    const long = stockOf({ ...at, document });
    onTestFinished(() => long.leave());
    await long.until(() => long.closes.includes(4413));
    expect(long.provider.shouldConnect).toBe(false);
    const other = await stockIn(at);
    expect(other.text()).toBe('');
  });

  it('is not disturbed by messages that cannot be read', async () => {
    const at = room();
    const healthy = await stockIn(at);
    const socket = new WebSocket(`${daemon.url.replace(/^http/, 'ws')}/ws/yjs/${at.room}?token=${daemon.token}`);
    await new Promise((resolve) => socket.on('open', resolve));
    for (const bytes of [[], [0], [0, 9, 0], [0, 2, 200], [1, 3, 255, 255, 255], [2, 0], [0, 2, 2, 9, 9], [1, 255]]) {
      socket.send(Uint8Array.from(bytes));
    }
    socket.send('text');
    const writer = await stockIn(at);
    writer.document.getText(FILE).insert(0, 'fine');
    await healthy.until(() => healthy.text() === 'fine');
    expect(socket.readyState).toBe(socket.OPEN);
    socket.close();
  });
});

type Move =
  | { readonly kind: 'insert'; readonly who: number; readonly at: number; readonly text: string }
  | { readonly kind: 'delete'; readonly who: number; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly who: number };

const PEERS = 4;
const who = fc.nat({ max: PEERS - 1 });
const moves = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert' as const), who, at: fc.nat(), text: fc.string() }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('delete' as const), who, at: fc.nat(), length: fc.nat({ max: 5 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), who }) },
  ),
  { maxLength: 30 },
);

/** A peer of either protocol. */
interface Writer {
  readonly document: Y.Doc;
  cut(): Promise<void>;
  leave(): void;
}

async function ownWriter(at: ReturnType<typeof room>): Promise<Writer> {
  let client: Client = await join(at);
  const { document } = client;
  return {
    document,
    async cut() {
      client.socket.terminate();
      await client.closed;
      client = await join({ ...at, document });
    },
    leave: () => client.socket.terminate(),
  };
}

function edit({ document }: Writer, move: Exclude<Move, { kind: 'cut' }>): void {
  const text = document.getText(FILE);
  const at = text.length === 0 ? 0 : move.at % (text.length + 1);
  if (move.kind === 'insert') text.insert(at, move.text);
  else text.delete(at, Math.min(move.length, text.length - at));
}

it('peers of both protocols converge after any edits and cuts, and so does who comes later', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (steps) => {
      const at = room();
      const writers: readonly Writer[] = [await ownWriter(at), await stock(at), await ownWriter(at), await stock(at)];
      for (const move of steps) {
        if (move.kind === 'cut') await writers[move.who]!.cut();
        else edit(writers[move.who]!, move);
      }
      await converged(writers);
      const late = await stock(at);
      const text = writers[0]!.document.getText(FILE).toString();
      await late.until(() => late.text() === text);
      for (const writer of [...writers, late]) writer.leave();
    }),
    { numRuns: 12 },
  );
});

/** Until all have the same text, made of the same updates. */
async function converged(writers: readonly Writer[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => (hasAll(writers) ? resolve() : undefined);
  for (const { document } of writers) document.on('update', look);
  look();
  await promise;
}

/** Deletions are in no state vector: the texts are compared too. */
function hasAll(writers: readonly Writer[]): boolean {
  const states = writers.map(({ document }) => {
    const vector = [...Y.decodeStateVector(Y.encodeStateVector(document))].sort();
    return JSON.stringify([vector, document.getText(FILE)]);
  });
  return new Set(states).size === 1;
}
