/** Metrics: samples that an idle daemon has one at a time. Their plots were empty beside a figure in the legend. */
import { expect, it } from 'vitest';
import { isolated } from '../../web/views/metrics/isolated.ts';

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
