/** The parts of the client beside its core: observables, rooms and conversations, against a real daemon. */
import { filter, firstValueFrom, map, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createClient } from '../../src/client/client.ts';
import { observe } from '../../src/client/rxjs.ts';
import { openVoice } from '../../src/client/voice.ts';
import { connectRoom, type RoomPeer } from '../../src/client/yjs.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { startRelay } from './relay.ts';

const daemon = sharedDaemon();

describe('an observable of a stream', () => {
  it('emits the events of a run and completes', async () => {
    const client = createClient({ home: daemon.home });
    const { session_id } = await client.runs.start({ task: 'Say hello' });
    const types = observe(client.runs.stream(session_id)).pipe(map(({ data }) => data.type));
    expect((await firstValueFrom(types.pipe(toArray()))).at(-1)).toBe('complete');
  });

  it('reports an error, and closes its connection when nobody listens', async () => {
    const signals: AbortSignal[] = [];
    const client = createClient({
      home: daemon.home,
      fetch: (input, init) => {
        if (init?.signal) signals.push(init.signal);
        return fetch(input, init);
      },
    });
    await expect(firstValueFrom(observe(client.runs.stream('nowhere')))).rejects.toMatchObject({ status: 404 });
    await client.goals.create({ title: 'seen' });
    const found = observe(client.log.events({ after: 0 })).pipe(
      filter(({ data }) => data.type === 'GoalCreated'),
      take(1),
    );
    expect((await firstValueFrom(found)).data.type).toBe('GoalCreated');
    expect(signals.at(-1)!.aborted).toBe(true);
  });
});

describe('a room', () => {
  it('has one text for its peers, over a lost connection', async () => {
    const relay = await startRelay(() => daemon.port);
    const client = createClient({ url: relay.url, token: daemon.token });
    const [ann, bob] = [new Y.Doc(), new Y.Doc()];
    let seen: readonly RoomPeer[] = [];
    const onPeers = (peers: readonly RoomPeer[]): void => {
      seen = peers;
    };
    const first = connectRoom(client, 'a b', { Y, doc: ann, name: 'ann', onPeers });
    const second = connectRoom(client, 'a b', { Y, doc: bob, name: 'bob' });
    await Promise.all([first.synced, second.synced]);
    const text = (doc: Y.Doc): string => doc.getText('a.md').toString();
    ann.getText('a.md').insert(0, 'hello ');
    await expect.poll(() => text(bob)).toBe('hello ');
    second.setCursor({ file: 'a.md', line: 1, column: 2 });
    await expect.poll(() => seen.find(({ name }) => name === 'bob')?.cursor).toMatchObject({ line: 1, column: 2 });
    relay.cut();
    bob.getText('a.md').insert(6, 'world');
    await expect.poll(() => text(ann), { timeout: 10_000 }).toBe('hello world');
    second.close();
    await expect.poll(() => seen.map(({ name }) => name)).toEqual(['ann']);
    first.close();
    await expect.poll(() => client.rooms.list()).toEqual([]);
    relay.close();
  });
});

it('a conversation has frames in both directions', async () => {
  const client = createClient({ home: daemon.home });
  const types: string[] = [];
  const closed = Promise.withResolvers<void>();
  const voice = await openVoice(client, {
    onFrame: ({ type }) => types.push(type),
    onSound: () => undefined,
    onClose: () => closed.resolve(),
  });
  await expect.poll(() => types).toContain('ready');
  voice.sendSound(new Int16Array(320));
  voice.close();
  await closed.promise;
});
