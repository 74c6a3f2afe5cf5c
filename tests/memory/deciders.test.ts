/** The deciders of memories, drawers, recall and settings, row by row; a repeated command appends no second event. */
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/commands/memory/decide.ts';
import { drawer } from '../../src/commands/memory/drawer.ts';
import { recalled } from '../../src/commands/memory/recalled.ts';
import { memorySettings } from '../../src/commands/memory/settings.ts';
import type { Place } from '../../src/events/memory/drawers.ts';
import type { MemoryBody, MemoryEvent } from '../../src/events/memory/events.ts';
import { decider } from '../support/given.ts';

const body: MemoryBody = {
  ...{ content: 'words', tags: [], meta: {}, sealed: null, content_key: 'k', line_key: 'k' },
  ...{ sector: 'semantic', secondary: [], salience: 1, decay_lambda: 0.005 },
  ...{ created_at: 1, updated_at: 1, last_seen_at: 1, version: 1, user_id: 'owner' },
  ...{ project_id: null, session_id: null, pinned: false, from: [], waypoints: [] },
};
const added: MemoryEvent = { type: 'MemoryAdded', data: body };
const pinned: MemoryEvent = { type: 'MemoryPinned', data: {} };
const deleted: MemoryEvent = { type: 'MemoryDeleted', data: { positions: [1] } };
const keep = { type: 'KeepMemory', how: 'MemoryAdded', body } as const;
const tunnel = (weight: number, existingWeight: number | null) =>
  ({ type: 'DigTunnels', tunnels: [{ dst_id: 'x', weight, existingWeight }], automatic: false }) as const;
const decay = { type: 'DecayMemory', effective_salience: 0.01, positions: [1] } as const;

describe('a memory', () => {
  const { fold, given } = decider(memory);

  it('is kept once, and again after it left', () => {
    given().when(keep).thenEvents(added);
    given(added).when(keep).thenNothing();
    given(added, deleted).when(keep).thenEvents(added);
  });

  it.each([
    { type: 'PinMemory' },
    { type: 'UnpinMemory' },
    { type: 'DeleteMemory', positions: [] },
    tunnel(0.8, null),
    decay,
  ] as const)('that is not there is refused %j', (command) => {
    given().when(command).thenRefused('not_found');
    given(added, deleted).when(command).thenRefused('not_found');
  });

  it('is pinned and unpinned once', () => {
    given(added).when({ type: 'PinMemory' }).thenEvents(pinned);
    given(added, pinned).when({ type: 'PinMemory' }).thenNothing();
    given(added, pinned).when({ type: 'UnpinMemory' }).thenTypes('MemoryUnpinned');
    given(added).when({ type: 'UnpinMemory' }).thenNothing();
  });

  it('neither fades nor is merged while it is pinned', () => {
    const decayed: MemoryEvent = { type: 'MemoryDecayed', data: { effective_salience: 0.01, positions: [1] } };
    const absorb = { type: 'AbsorbMemory', into: 'y', positions: [1] } as const;
    const absorbed: MemoryEvent = { type: 'MemoryAbsorbed', data: { into: 'y', positions: [1] } };
    given(added).when(decay).thenEvents(decayed);
    given(added).when(absorb).thenEvents(absorbed);
    given(added, pinned).when(decay).thenNothing();
    given(added, pinned).when(absorb).thenNothing();
    given(added, pinned, { type: 'MemoryUnpinned', data: {} }).when(decay).thenEvents(decayed);
    given(added, pinned)
      .when({ type: 'DeleteMemory', positions: [1] })
      .thenEvents(deleted);
  });

  it('has one tunnel to another one, with the weight recorded last', () => {
    const dug: MemoryEvent = { type: 'TunnelDug', data: { dst_id: 'x', weight: 0.8, automatic: false } };
    given(added).when(tunnel(0.8, null)).thenEvents(dug);
    given(added, dug).when(tunnel(0.8, 0.8)).thenNothing();
    given(added, dug).when(tunnel(0.5, 0.8)).thenTypes('TunnelDug');
    // Its other end left the store and came back: the tunnel went with it.
    given(added, dug).when(tunnel(0.8, null)).thenEvents(dug);
  });

  it('is sealed once and stays pinned', () => {
    const command = {
      type: 'SealMemory',
      body: { ...body, sealed: 'x', pinned: true },
      made_by: 'MemoryAdded',
      positions: [1],
    } as const;
    const sealed = given(added, pinned).when(command).events();
    const data = { ...command.body, made_by: 'MemoryAdded', positions: [1] } as const;
    expect(sealed).toEqual([{ type: 'MemorySealed', data }]);
    given({ type: 'MemoryAdded', data: command.body }).when(command).thenNothing();
    given(added, pinned, sealed).when(command).thenNothing();
    given(added, pinned, sealed).when({ type: 'PinMemory' }).thenNothing();
  });

  it('has waypoints when there are some', () => {
    const links = [{ dst_id: 'x', weight: 0.5 }];
    given(added).when({ type: 'LayWaypoints', links }).thenEvents({ type: 'WaypointsLaid', data: { links } });
    given(added).when({ type: 'LayWaypoints', links: [] }).thenNothing();
  });

  it('that is not there is not pinned by an event of an older log', () => {
    const unpinned: MemoryEvent = { type: 'MemoryUnpinned', data: {} };
    expect(fold([added, deleted, pinned])).toEqual({ life: 'absent' });
    expect(fold([added, deleted, unpinned])).toEqual({ life: 'absent' });
  });

  it('is folded without harm from unreadable events', () => {
    const odd: MemoryEvent = JSON.parse('{"type":"TunnelDug","data":null}');
    expect(fold([added, odd])).toEqual(given(added).state);
  });
});

describe('a text', () => {
  const { given } = decider(drawer);
  const place = (kind: Place['kind'], index: number): Place => ({
    ...{ id: `d${index}`, text_id: 't', index, start: index * 700, kind, of: null, content: 'words', source: 's' },
    ...{ sealed: null, content_key: 'c', line_key: 'l', source_key: 'k', wing: 'w', room: 'semantic' },
  });
  const places = (['new', 'new', 'exact', 'near', 'blank'] as const).map(place);
  const chunk = { type: 'ChunkText', text_id: 't', text_key: 'key', places, repeated: false } as const;

  it('is summed up and stored place by place; again it is only counted', () => {
    const events = given().when(chunk).events();
    expect(events[0]).toEqual({
      type: 'TextChunked',
      data: { text_id: 't', text_key: 'key', chunks: 5, created: 2, exact: 1, near: 1, blank: 1 },
    });
    expect(events).toHaveLength(6);
    given()
      .when({ ...chunk, repeated: true })
      .thenEvents({ type: 'TextRepeated', data: { text_key: 'key', chunks: 4 } });
  });

  it('loses a drawer once', () => {
    const command = { type: 'DeleteDrawer', id: 'd0', text_ids: ['t'], positions: [2] } as const;
    const gone = given().when(command).events();
    expect(gone).toEqual([{ type: 'DrawerDeleted', data: { id: 'd0', text_ids: ['t'], positions: [2] } }]);
    given(gone).when(command).thenNothing();
  });
});

describe('what was recalled', () => {
  const { given } = decider(recalled);

  it('is recorded when it is something', () => {
    const none = { via: 'query', memory_ids: [], drawer_ids: [], fact_ids: [] } as const;
    given()
      .when({ type: 'RecordRecall', recalled: { ...none, memory_ids: [], drawer_ids: [], fact_ids: [] } })
      .thenNothing();
    for (const some of [
      { memory_ids: ['a'] },
      { drawer_ids: ['a'] },
      { fact_ids: ['a'] },
      { memory_ids: ['a'], drawer_ids: ['b'] },
      { drawer_ids: ['a'], fact_ids: ['b'] },
    ]) {
      const data = { ...none, memory_ids: [], drawer_ids: [], fact_ids: [], ...some };
      given().when({ type: 'RecordRecall', recalled: data }).thenEvents({ type: 'MemoriesRecalled', data });
    }
  });
});

describe('encryption', () => {
  const { given } = decider(memorySettings);
  const encryption = { key_source: 'passphrase', salt: 'aa', check: 'x' } as const;

  it('is switched on once, with one key, and settled once', () => {
    const enabled = given().when({ type: 'EnableMemoryEncryption', encryption });
    const on = enabled.events();
    given(on)
      .when({ type: 'EnableMemoryEncryption', encryption: { ...encryption, salt: 'bb' } })
      .thenNothing();
    const settled = given(on).when({ type: 'SettleMemoryEncryption' }).events();
    given(on, settled).when({ type: 'SettleMemoryEncryption' }).thenNothing();
  });

  it('has a key that can move, once there is one', () => {
    const move = { type: 'MoveMemoryKey', encryption: { ...encryption, wrapped: 'y' }, positions: [1] } as const;
    given().when(move).thenRefused('conflict');
    const on = given().when({ type: 'EnableMemoryEncryption', encryption }).events();
    given(on)
      .when(move)
      .thenEvents({ type: 'MemoryKeyMoved', data: { ...move.encryption, positions: [1] } });
  });
});
