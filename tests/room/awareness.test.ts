/** Presence in a room by the awareness protocol, compared with the library that clients use. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as protocol from 'y-protocols/awareness';
import * as Y from 'yjs';
import { Awareness } from '../../src/live/room/awareness.ts';

/** A client of the library, without a connection. */
function client() {
  const awareness = new protocol.Awareness(new Y.Doc());
  clearInterval(awareness._checkInterval);
  const id = awareness.clientID;
  return {
    id,
    awareness,
    set: (state: Record<string, unknown> | null) => {
      awareness.setLocalState(state);
      return protocol.encodeAwarenessUpdate(awareness, [id]);
    },
    apply: (update: Uint8Array | null) =>
      update === null ? undefined : protocol.applyAwarenessUpdate(awareness, update, 'room'),
    sees: () => new Map([...awareness.getStates()].filter(([each]) => each !== id)),
  };
}

describe('the awareness of a room', () => {
  it('is what the library makes of the same updates', () => {
    // States go over the wire as JSON, which has no negative zero.
    const asSent = (state: Record<string, unknown>): Record<string, unknown> => JSON.parse(JSON.stringify(state));
    const states = fc.option(fc.dictionary(fc.string(), fc.jsonValue()).map(asSent), { nil: null });
    const changes = fc.array(fc.record({ who: fc.nat({ max: 2 }), state: states }), { maxLength: 30 });
    fc.assert(
      fc.property(changes, (list) => {
        const clients = [client(), client(), client()];
        const room = new Awareness();
        const reader = client();
        for (const { who, state } of list) {
          const sender = clients[who]!;
          reader.apply(room.receive(`peer-${who}`, sender.set(state))!.update);
        }
        const late = client();
        late.apply(room.everybody());
        const wanted = new Map(
          clients.flatMap(({ id, awareness }) => {
            const state = awareness.getLocalState();
            return state === null || !list.some(({ who }) => clients[who]!.id === id) ? [] : [[id, state] as const];
          }),
        );
        expect(reader.sees()).toEqual(wanted);
        expect(late.sees()).toEqual(wanted);
      }),
    );
  });

  it('has no news in an echo, nor in the belief of others that a client is gone', () => {
    const room = new Awareness();
    const [one, other] = [client(), client()];
    const update = one.set({ name: 'one' });
    expect(room.receive('one', update)!.update).not.toBeNull();
    expect(room.receive('other', update)!.update).toBeNull();
    other.apply(update);
    protocol.removeAwarenessStates(other.awareness, [one.id], 'timeout');
    const gone = protocol.encodeAwarenessUpdate(other.awareness, [one.id]);
    expect(room.receive('other', gone)!.update).toBeNull();
    expect(room.everybody()).not.toBeNull();
  });

  it('of a client that has connected again stays when its first connection ends', () => {
    const room = new Awareness();
    const one = client();
    room.receive('before', one.set({ at: 1 }));
    room.receive('after', one.set({ at: 2 }));
    expect(room.leave('before')).toBeNull();
    const reader = client();
    reader.apply(room.everybody());
    expect([...reader.sees().values()]).toEqual([{ at: 2 }]);
    reader.apply(room.leave('after'));
    expect(reader.sees().size).toBe(0);
    expect(room.everybody()).toBeNull();
  });

  it('of a peer of the other protocol can be set, renewed and ended', () => {
    const room = new Awareness();
    const reader = client();
    for (const line of [1, 2]) reader.apply(room.set('own', { line }));
    expect([...reader.sees().values()]).toEqual([{ line: 2 }]);
    reader.apply(room.leave('own'));
    expect(reader.sees().size).toBe(0);
    reader.apply(room.set('own', { line: 3 }));
    expect([...reader.sees().values()]).toEqual([{ line: 3 }]);
  });

  it('has limits: clients of a peer, clients, a state; and refuses what cannot be read', () => {
    const room = new Awareness();
    const accepted = Array.from({ length: 12 }, () => room.receive('one', client().set({}))!.update !== null);
    expect(accepted.filter(Boolean)).toHaveLength(8);
    room.leave('one');
    for (let peer = 0; peer < 400; peer += 1) {
      expect(room.receive(`peer-${peer}`, client().set({}))!.update).not.toBeNull();
      room.leave(`peer-${peer}`);
    }
    expect(room.receive('one', client().set({ text: 'x'.repeat(20_000) }))).toBeNull();
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void room.receive('one', bytes)));
    expect(room.receive('one', Uint8Array.of(1, 1, 1, 1, 0x7b))).toBeNull();
  });
});
