/** Metrics: what a plot needs to know of its samples. */
import { expect, it } from 'vitest';
import { isolated, visibleTimes } from '../../web/views/metrics/samples.ts';

it.each([
  [[], []],
  [[1], [0]],
  [
    [null, 1, null, 2, 3, null, 0],
    [1, 6],
  ],
  [[1, 2, null], []],
  [[null, null], []],
])('of %j the values at %j have no neighbour', (values, places) => {
  expect(isolated(values)).toEqual(places);
});

it.each([
  { first: null, from: 9_940 },
  { first: 9_990, from: 9_940 },
  { first: 9_000, from: 9_000 },
  { first: 2_000, from: 6_400 },
])('a plot of an hour whose first sample is $first begins at $from', ({ first, from }) => {
  expect(visibleTimes({ span: 3_600, first, now: 10_000 })).toEqual([from, 10_000]);
});
