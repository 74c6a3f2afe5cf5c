/** How entries that a block showed are recognised, from folds alone: live, sealed, deleted and rebuilt. */
import { describe, expect, it } from 'vitest';
import { memory } from '../../src/projections/memory/memory.ts';
import { anyShown, recalledWith } from '../../src/projections/memory/recalled.ts';
import { waypointEnds, waypointsOf } from '../../src/projections/memory/waypoints.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { factBody, memoryBody, placeBody } from './stream-events.ts';

interface Told {
  readonly type: string;
  readonly stream: string;
  readonly data: object;
}

/** An erased event, which a fold does not see, is null. */
function folded(...events: readonly (Told | null)[]): ViewsStore {
  const views = openViews(null);
  views.exec(memory.create);
  for (const [at, event] of events.entries()) {
    if (event === null) continue;
    memory.on[event.type]!(views, { ...event, position: at + 1, at: 1_000 + at, actor: 'owner' });
  }
  return views;
}

const body = (content_key: string, line_key: string) => memoryBody({ content_key, line_key });
const place = (content_key: string, line_key: string) => placeBody({ content_key, line_key });
const fact = (line_key: string) => factBody({ line_key });
const added: Told = { type: 'MemoryAdded', stream: 'memory-m', data: body('whole', 'line') };
const stored: Told = { type: 'DrawerStored', stream: 'drawer-s', data: place('drawer exact', 'drawer line') };
const asserted: Told = { type: 'FactAsserted', stream: 'fact-f', data: fact('fact line') };
const recalled = (via: 'context' | 'query'): Told => ({
  ...{ type: 'MemoriesRecalled', stream: 'recall-store' },
  data: { via, memory_ids: ['m'], drawer_ids: ['d'], fact_ids: ['f'] },
});
const sealed: readonly Told[] = [
  {
    ...{ type: 'MemorySealed', stream: 'memory-m' },
    data: { ...body('sealed whole', 'sealed line'), sealed: 'x', made_by: 'MemoryAdded', positions: [1] },
  },
  {
    ...{ type: 'DrawerSealed', stream: 'drawer-k' },
    data: { ...place('sealed exact', 'sealed drawer line'), sealed: 'x', created_at: 1, position: 2 },
  },
  {
    ...{ type: 'FactSealed', stream: 'fact-k' },
    data: { ...fact('sealed fact line'), sealed: 'x', valid_to: null, recorded_at: 1, positions: [3] },
  },
];

const known = (views: ViewsStore, loose: string, exact = 'none') => recalledWith(views, { loose, exact });

describe('what a block showed', () => {
  it('is known by its marks; what only a query found is not', () => {
    const views = folded(added, stored, asserted, recalled('context'));
    const memoryText = { store: 'memory', id: 'm' };
    expect([known(views, 'whole'), known(views, 'line')]).toEqual([memoryText, memoryText]);
    expect(known(views, 'drawer line')).toEqual({ store: 'drawer', id: 'd' });
    expect(known(views, 'none', 'drawer exact')).toEqual({ store: 'drawer', id: 'd' });
    expect(known(views, 'fact line')).toEqual({ store: 'fact', id: 'f' });
    expect(known(views, 'drawer exact', 'whole')).toBeUndefined();
    expect(anyShown(views, 'memory')).toBe(true);
    const asked = folded(added, stored, asserted, recalled('query'));
    expect([known(asked, 'whole'), known(asked, 'none', 'drawer exact'), anyShown(asked)]).toEqual([
      ...[undefined, undefined, false],
    ]);
  });

  it('is known by its new marks once it is sealed, and the same when the plain events are gone', () => {
    const live = folded(added, stored, asserted, recalled('context'), ...sealed);
    const marks = ['whole', 'line', 'drawer line', 'fact line'];
    expect(marks.map((mark) => known(live, mark))).toEqual(marks.map(() => undefined));
    expect(known(live, 'none', 'drawer exact')).toBeUndefined();
    expect(known(live, 'sealed whole')).toEqual({ store: 'memory', id: 'm' });
    expect(known(live, 'none', 'sealed exact')).toEqual({ store: 'drawer', id: 'd' });
    expect(known(live, 'sealed fact line')).toEqual({ store: 'fact', id: 'f' });
    expect(anyShown(folded(added, stored, asserted, ...sealed))).toBe(false);
    const rebuilt = folded(recalled('context'), ...sealed);
    expect(rebuilt.all('SELECT * FROM memory_shown')).toEqual(live.all('SELECT * FROM memory_shown'));
  });

  it('is forgotten with the text', () => {
    const deleted: readonly Told[] = [
      { type: 'MemoryDeleted', stream: 'memory-m', data: { positions: [1] } },
      { type: 'DrawerDeleted', stream: 'drawer-s', data: { id: 'd', text_ids: ['t'], positions: [2] } },
      { type: 'FactDeleted', stream: 'fact-f', data: { id: 'f', positions: [3] } },
    ];
    expect(anyShown(folded(added, stored, asserted, recalled('context'), ...deleted))).toBe(false);
    expect(anyShown(folded(recalled('context'), ...deleted))).toBe(false);
  });
});

it('the waypoints of many memories are those of each: the five heaviest, and the tunnels from both ends', () => {
  const laid = (id: string, weights: readonly number[]): Told => ({
    ...{ type: 'WaypointsLaid', stream: `memory-${id}` },
    data: { links: weights.map((weight, at) => ({ dst_id: `n${at}`, weight })) },
  });
  const dug = (id: string, dst_id: string): Told => ({
    ...{ type: 'TunnelDug', stream: `memory-${id}` },
    data: { dst_id, weight: 0.3, automatic: false },
  });
  const entries = ['a', 'b', ...Array.from({ length: 7 }, (_, at) => `n${at}`)];
  const views = folded(
    ...entries.map(
      (id): Told => ({ type: 'MemoryAdded', stream: `memory-${id}`, data: body(`${id} whole`, `${id} line`) }),
    ),
    laid('a', [0.7, 0.9, 0.7, 0.8, 0.7, 0.7, 0.95]),
    laid('b', [0.7]),
    dug('a', 'b'),
    dug('n0', 'a'),
  );
  const ids = ['a', 'b', 'n0', 'nobody'];
  const ends = waypointEnds(views, ids);
  for (const id of ids) {
    expect(ends.get(id) ?? []).toEqual(waypointsOf(views, id).map(({ dst_id, weight }) => ({ dst_id, weight })));
  }
  expect(ends.get('a')).toHaveLength(7);
});

describe('the times of a waypoint', () => {
  const waypoints = (dst_id: string) => [{ dst_id, weight: 0.9 }];
  const kept = (id: string, data: object): Told => ({
    ...{ type: 'MemoryAdded', stream: `memory-${id}` },
    data: { ...body(`${id} whole`, `${id} line`), ...data },
  });
  const sealedAs = (id: string, data: object): Told => ({
    ...{ type: 'MemorySealed', stream: `memory-${id}` },
    data: { ...kept(id, data).data, sealed: 'x', made_by: 'MemoryAdded', positions: [] },
  });
  const old = { created_at: 100 };
  const young = { created_at: 200, waypoints: waypoints('old') };
  const laid: Told = { type: 'WaypointsLaid', stream: 'memory-imported', data: { links: waypoints('old') } };
  const added = [kept('old', old), kept('young', young), kept('imported', old), laid];
  const linked = { ...old, waypoints: [...waypoints('young'), ...waypoints('imported')] };
  const sealed = [
    sealedAs('young', young),
    sealedAs('old', linked),
    sealedAs('imported', { ...old, waypoints: waypoints('old') }),
  ];
  const times = (views: ViewsStore) =>
    ['old', 'young', 'imported'].map((id) =>
      waypointsOf(views, id).map(({ dst_id, created_at, updated_at }) => [dst_id, created_at, updated_at]),
    );

  it('stay those of the younger memory or of the import, also when plain events are erased', () => {
    const plain = times(folded(...added));
    expect(plain[1]).toEqual([['old', 200, 200]]);
    expect(plain[2]).toEqual([['old', 1_003, 1_003]]);
    expect(times(folded(...added, ...sealed))).toEqual(plain);
    expect(times(folded(null, null, null, laid, ...sealed))).toEqual(plain);
  });
});
