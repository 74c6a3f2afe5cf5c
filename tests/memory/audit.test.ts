/** The audit of the memory, recalls and waypoints: what the tables say after the events. */
import { describe, expect, it } from 'vitest';
import {
  exactDuplicates,
  nearDuplicates,
  neverRecalled,
  recallLoops,
  staleMemories,
} from '../../src/projections/memory/audit.ts';
import { DAY_MS } from '../../src/projections/memory/memories.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import {
  anyShown,
  loopPositions,
  notRecalledSince,
  recallMark,
  wasShown,
} from '../../src/projections/memory/recalled.ts';
import {
  storedLinks,
  tunnelBetween,
  waypointCount,
  waypointEnds,
  waypointsOf,
} from '../../src/projections/memory/waypoints.ts';
import { givenProjection, type StreamEvent } from '../../src/testing/given-projection.ts';
import { about, added, asserted, loop, recalled, stored } from './stream-events.ts';

const given = (...events: readonly StreamEvent[]) => givenProjection(memory, events);
const laid = (id: string, links: Readonly<Record<string, number>>): StreamEvent =>
  about(id, 'WaypointsLaid', { links: Object.entries(links).map(([dst_id, weight]) => ({ dst_id, weight })) });
const dug = (id: string, dst_id: string, weight: number): StreamEvent =>
  about(id, 'TunnelDug', { dst_id, weight, automatic: false });

describe('the audit', () => {
  it('of exact duplicates counts the memories beyond the first of each group, the largest group first', () => {
    given(added('a')).thenAnswer((views) => exactDuplicates(views, 10), { count: 0, samples: [] });
    const { views } = given(
      ...[added('x2', { content_key: 'x', created_at: 5 }), added('x1', { content_key: 'x', created_at: 9 })],
      ...['y3', 'y1', 'y2'].map((id) => added(id, { content_key: 'y' })),
      added('z', { content_key: 'z' }),
    );
    const samples = [{ ids: ['y1', 'y2', 'y3'] }, { ids: ['x2', 'x1'] }];
    expect(exactDuplicates(views, 10)).toEqual({ count: 3, samples });
    expect(exactDuplicates(views, 1)).toEqual({ count: 3, samples: samples.slice(0, 1) });
  });

  it('of near duplicates has each pair of existing memories with different texts once, the nearest first', () => {
    const { views } = given(
      ...['a', 'b', 'c', 'd'].map((id) => added(id, { content_key: `key ${id}` })),
      added('same', { content_key: 'key a' }),
      laid('a', { b: 0.9, c: 0.95, d: 0.89, same: 1, gone: 1 }),
      dug('b', 'c', 1),
    );
    const samples = [
      { ids: ['a', 'c'], similarity: 0.95 },
      { ids: ['a', 'b'], similarity: 0.9 },
    ];
    expect(nearDuplicates(views, 10)).toEqual({ count: 2, samples });
    expect(nearDuplicates(views, 1)).toEqual({ count: 2, samples: samples.slice(0, 1) });
  });

  it('of recall loops has the newest first, without those of a deleted entry', () => {
    const story = given(added('m'), stored('d'), asserted('f'));
    story.when([loop('memory', 'm', 'exact'), loop('drawer', 'd', 'near'), loop('fact', 'f', 'exact')]);
    const { samples, ...counts } = recallLoops(story.views, 2);
    expect(counts).toEqual({ count: 3, exact: 2, near: 1 });
    expect(samples).toEqual([
      { store: 'fact', id: 'f', kind: 'exact', similarity: 1, via: 'add', at: 6 },
      { store: 'drawer', id: 'd', kind: 'near', similarity: 0.9, via: 'add', at: 5 },
    ]);
    expect(loopPositions(story.views, 'd')).toEqual([5]);
    story.when([about('m', 'MemoryDeleted')]);
    expect(recallLoops(story.views, 1)).toMatchObject({ count: 2, exact: 1, near: 1 });
  });

  it('of stale memories has the unpinned ones with little salience left, the weakest first', () => {
    const weak = { salience: 0.5, decay_lambda: 0.1, last_seen_at: 0, sector: 'episodic' as const };
    const { views } = given(
      ...[added('a', weak), added('pinned', { ...weak, pinned: true }), added('strong')],
      ...[added('b', { salience: 0.1 }), added('edge', { salience: 0.2 })],
    );
    const { count, samples } = staleMemories(views, 10 * DAY_MS, 10);
    const left = expect.closeTo(0.5 * Math.exp(-1), 10);
    expect([count, samples]).toEqual([
      2,
      [
        { id: 'b', sector: 'semantic', salience: 0.1, last_seen_at: 1 },
        { id: 'a', sector: 'episodic', salience: left, last_seen_at: 0 },
      ],
    ]);
    expect(staleMemories(views, 10 * DAY_MS, 1)).toMatchObject({ count: 2, samples: [{ id: 'b' }] });
    expect(staleMemories(views, 0, 10)).toMatchObject({ count: 1, samples: [{ id: 'b' }] });
  });

  it('of memories that were never recalled has the oldest first', () => {
    const { views } = given(
      ...[added('a', { created_at: 3 }), added('b', { created_at: 2 }), added('c'), added('d', { created_at: 4 })],
      recalled('query', { memory_ids: ['c'] }),
    );
    const sample = (id: string, created_at: number) => ({ id, sector: 'semantic', created_at });
    expect(neverRecalled(views, 2)).toEqual({ count: 3, samples: [sample('b', 2), sample('a', 3)] });
  });
});

it('recalls are counted; the last one, and the last one in a block, are remembered', () => {
  const story = given(
    ...[added('m'), stored('d'), asserted('f')],
    { ...recalled('context', { memory_ids: ['m'], fact_ids: ['f'] }), at: 50 },
    { ...recalled('query', { memory_ids: ['m'], drawer_ids: ['d'] }), at: 60 },
  );
  const without = (via: 'context' | 'query', since: number) =>
    notRecalledSince(story.views, ['m', 'd', 'f', 'nobody'], { via, since });
  const marks = (['m', 'd', 'f', 'nobody'] as const).map((id) => recallMark(story.views, id));
  expect(marks).toEqual([
    { recalled_at: 60, recalls: 2 },
    { recalled_at: 60, recalls: 1 },
    { recalled_at: 50, recalls: 1 },
    undefined,
  ]);
  expect([without('query', 50), without('query', 51)]).toEqual([['nobody'], ['f', 'nobody']]);
  expect([without('context', 50), without('context', 51)]).toEqual([
    ['d', 'nobody'],
    ['m', 'd', 'f', 'nobody'],
  ]);
  expect(['m', 'd', 'f', 'nobody'].map((id) => wasShown(story.views, id))).toEqual([true, false, true, false]);
  expect((['memory', 'drawer', 'fact'] as const).map((store) => anyShown(story.views, store))).toEqual([
    ...[true, false, true],
  ]);
  story.when([about('m', 'MemoryDeleted')]);
  expect([recallMark(story.views, 'm'), anyShown(story.views, 'memory')]).toEqual([undefined, false]);
});

describe('waypoints', () => {
  const entries = (...ids: readonly string[]) => ids.map((id) => added(id));

  it('lead in both directions; a memory that leaves takes them along', () => {
    const story = given(
      ...entries('b', 'c'),
      added('a', { created_at: 7, waypoints: [{ dst_id: 'b', weight: 0.8 }] }),
      laid('a', { c: 0.6 }),
    );
    story.when([{ ...laid('a', { b: 0.5 }), at: 30 }]);
    const waypoint = { src_id: 'b', dst_id: 'a', kind: 'near', weight: 0.5, created_at: 30, updated_at: 30 };
    expect(waypointsOf(story.views, 'b')).toEqual([waypoint]);
    expect(storedLinks(story.views, 'a')).toEqual([
      { dst_id: 'b', weight: 0.5 },
      { dst_id: 'c', weight: 0.6 },
    ]);
    expect(waypointCount(story.views)).toBe(4);
    story.when([about('a', 'MemoryDeleted')]);
    expect([waypointCount(story.views), waypointsOf(story.views, 'c')]).toEqual([0, []]);
  });

  it('count up to five from each memory, and every tunnel', () => {
    const links = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`n${at}`, 0.5]));
    given().thenAnswer(waypointCount, 0);
    const events = [laid('a', links), dug('a', 'n0', 1), dug('n1', 'n2', 1)];
    given(...entries('a', ...Object.keys(links)), ...events).thenAnswer(waypointCount, 5 + 7 + 2);
  });

  it('dug again have the new weight; a tunnel is the same from both ends', () => {
    const { views } = given(
      ...entries('a', 'b'),
      dug('a', 'b', 0.5),
      { ...dug('a', 'b', 0.7), at: 20 },
      dug('a', 'c', 0.4),
      laid('a', { d: 1 }),
    );
    const tunnel = { src_id: 'a', dst_id: 'b', weight: 0.7 };
    expect([tunnelBetween(views, 'a', 'b'), tunnelBetween(views, 'b', 'a')]).toEqual([tunnel, tunnel]);
    expect([tunnelBetween(views, 'b', 'c'), tunnelBetween(views, 'a', 'd')]).toEqual([undefined, undefined]);
    expect(waypointsOf(views, 'b')).toEqual([
      { src_id: 'b', dst_id: 'a', kind: 'tunnel', weight: 0.7, created_at: 3, updated_at: 20 },
    ]);
    expect(waypointEnds(views, ['b', 'nobody'])).toEqual(new Map([['b', [{ dst_id: 'a', weight: 0.7 }]]]));
    expect(storedLinks(views, 'a')).toEqual([{ dst_id: 'd', weight: 1 }]);
  });
});
