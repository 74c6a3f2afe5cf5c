/** Samples by name in a fixed amount of memory, and how several are combined into one point. */
import { describe, expect, it } from 'vitest';
import { SampleRing } from '../../src/lib/sample-ring.ts';

const ring = (size = 4, namesMax = 3) => new SampleRing({ size, namesMax, isPeak: (name) => name.endsWith('_max') });

describe('a ring of samples', () => {
  it('keeps the newest samples, oldest first, with null where nothing was measured', () => {
    const kept = ring();
    for (let at = 1; at <= 6; at += 1) kept.add(at, at % 2 === 0 ? { even: at } : { odd: at });
    expect(kept.since(0, 10)).toEqual({
      at: [3, 4, 5, 6],
      series: { odd: [3, null, 5, null], even: [null, 4, null, 6] },
    });
    expect(kept.since(5, 10).at).toEqual([5, 6]);
    expect(ring().since(0, 10)).toEqual({ at: [], series: {} });
  });

  it('joins samples to points: the mean, or the greatest value of peaks', () => {
    const kept = ring();
    for (const [at, size] of [2, 4, 9, 1].entries()) kept.add(at, { size, size_max: size });
    expect(kept.since(0, 2)).toEqual({ at: [1, 3], series: { size: [3, 5], size_max: [4, 9] } });
  });

  it('leaves out names beyond its limit', () => {
    const kept = ring(4, 2);
    kept.add(1, { a: 1, b: null, c: 3 });
    expect(kept.since(0, 1).series).toEqual({ a: [1], b: [null] });
  });
});
