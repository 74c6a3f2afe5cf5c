/** Which waypoints count: the heaviest, between entries that exist. */
import { expect, it } from 'vitest';
import { memory } from '../../src/projections/memory/memory.ts';
import { waypointCount, waypointEnds, waypointsOf } from '../../src/projections/memory/waypoints.ts';
import type { Views } from '../../src/projections/views.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { about, added, memoryBody } from './stream-events.ts';

const linked = (id: string, ...to: readonly string[]) =>
  added(id, memoryBody({ waypoints: to.map((dst_id) => ({ dst_id, weight: 0.9 })) }));
const dug = about('b', 'TunnelDug', { dst_id: 'a', weight: 0.8 });

/** The ends of the waypoints of two memories, by each query, and their number in all. */
function counted(views: Views) {
  const kinds = (id: string) => waypointsOf(views, id).map(({ dst_id, kind }) => `${kind} ${dst_id}`);
  const ends = waypointEnds(views, ['b', 'c']);
  return [kinds('b'), kinds('c'), ends.get('b')?.length ?? 0, ends.get('c')?.length ?? 0, waypointCount(views)];
}

it('a waypoint to a memory whose creation is erased counts in no query', () => {
  // The events of b and c name a, whose own event is erased: a fold passes over it.
  const { views } = givenProjection(memory, [linked('b', 'a'), linked('c', 'a', 'b'), dug]);
  expect(counted(views)).toEqual([['near c'], ['near b'], 1, 1, 2]);
});

it('it counts as soon as the memory exists, in whichever order the events come', () => {
  const { views } = givenProjection(memory, [linked('b', 'a'), linked('c', 'a', 'b'), dug, added('a')]);
  expect(counted(views)).toEqual([['near a', 'near c', 'tunnel a'], ['near a', 'near b'], 3, 2, 7]);
});
