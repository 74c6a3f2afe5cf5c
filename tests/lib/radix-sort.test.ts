/** The radix sort gives the same order as a comparison sort. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ascendingOrder } from '../../src/lib/radix-sort.ts';

const key = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

it('the order of keys is ascending, and equal keys stay in their order', () => {
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      const compared = keys.map((_, index) => index).sort((a, b) => keys[a]! - keys[b]! || a - b);
      expect([...ascendingOrder(Uint32Array.from(keys))]).toEqual(compared);
    }),
  );
});
