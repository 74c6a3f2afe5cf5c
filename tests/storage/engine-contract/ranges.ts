/** Ranges: bounds, directions, limits, laziness, and the state that they see. */
import { describe, expect, it } from 'vitest';
import type { Entry, RangeOptions } from '../../../src/storage/engine.ts';
import { bytes, type Context, DURABLE, del, KEYS, keysOf, LAZY, pairs, put, textOf } from './helpers.ts';

export function ranges(context: Context): void {
  describe('ranges', () => {
    const bounds: RangeOptions[] = [{}];
    for (const low of ['', 'a', 'aa', 'az', 'b', 'd', 'e']) {
      if (low !== '') bounds.push({ gte: bytes(low) }, { gt: bytes(low) });
      for (const high of ['a', 'ab', 'b', 'bz', 'd', 'z']) {
        const from: RangeOptions[] = low === '' ? [{}] : [{ gte: bytes(low) }, { gt: bytes(low) }];
        for (const start of from) bounds.push({ ...start, lt: bytes(high) }, { ...start, lte: bytes(high) });
      }
    }

    it('gives the same entries as a sorted list for every combination of bounds, direction and limit', async () => {
      await context.engine.commit(KEYS.map((key) => put(key, `v${key}`)).reverse(), DURABLE);
      for (const bound of bounds) {
        for (const reverse of [false, true]) {
          for (const limit of [undefined, 0, 1, 2, 3, 100]) {
            const options = { ...bound, reverse, ...(limit !== undefined && { limit }) };
            expect(keysOf(context.engine, options), describeRange(options)).toEqual(expectedKeys(KEYS, options));
          }
        }
      }
    });

    it('honours the narrower of two bounds on one side', async () => {
      await context.engine.commit(
        KEYS.map((key) => put(key, '')),
        DURABLE,
      );
      const both = { gte: bytes('aa'), gt: bytes('a'), lte: bytes('c'), lt: bytes('d') };
      expect(keysOf(context.engine, both)).toEqual(['aa', 'ab', 'b', 'ba', 'c']);
      const other = { gte: bytes('a'), gt: bytes('aa'), lte: bytes('d'), lt: bytes('c') };
      expect(keysOf(context.engine, other)).toEqual(['ab', 'b', 'ba']);
      expect(keysOf(context.engine, { ...other, reverse: true })).toEqual(['ba', 'b', 'ab']);
    });

    it('walks many entries both ways, and from the middle', async () => {
      const all = Array.from({ length: 3_000 }, (_, index) => `key-${String(index).padStart(5, '0')}`);
      for (let at = 0; at < all.length; at += 500) {
        await context.engine.commit(
          all.slice(at, at + 500).map((key) => put(key, `value of ${key}`)),
          LAZY,
        );
      }
      expect(keysOf(context.engine)).toEqual(all);
      expect(keysOf(context.engine, { reverse: true })).toEqual([...all].reverse());
      const middle = { gt: bytes('key-01000'), lte: bytes('key-02000'), limit: 700 };
      expect(keysOf(context.engine, middle)).toEqual(all.slice(1_001, 1_701));
      const back = { lt: bytes('key-02000'), reverse: true, limit: 1_500 };
      expect(keysOf(context.engine, back)).toEqual(all.slice(500, 2_000).reverse());
    });

    it('is lazy and can be left early, repeatedly', async () => {
      await context.engine.commit(
        Array.from({ length: 1_000 }, (_, index) => put(`k${index}`, 'v')),
        LAZY,
      );
      for (let round = 0; round < 200; round += 1) {
        for (const { key } of context.engine.range()) {
          expect(textOf(key)).toBe('k0');
          break;
        }
      }
      await context.engine.commit([put('k', 'still writable')], DURABLE);
      expect(keysOf(context.engine, { limit: 1 })).toEqual(['k']);
    });

    it('shows the state at the beginning of the iteration', async () => {
      const before = Array.from({ length: 2_000 }, (_, index) => `k${String(index).padStart(4, '0')}`);
      await context.engine.commit(
        before.map((key) => put(key, 'old')),
        DURABLE,
      );
      const walk = context.engine.range();
      const first = walk.next().value as Entry;
      await context.engine.commit([...before.map((key) => put(key, 'new')), put('k0000a', 'added')], DURABLE);
      await context.engine.commit([del('k1999')], DURABLE);
      const seen = pairs([first, ...walk]);
      expect(seen.map(([key]) => key)).toEqual(before);
      expect(new Set(seen.map(([, value]) => value))).toEqual(new Set(['old']));
    });

    it('refuses an invalid limit', () => {
      expect(() => [...context.engine.range({ limit: -1 })]).toThrow(RangeError);
      expect(() => [...context.engine.range({ limit: 1.5 })]).toThrow(RangeError);
    });
  });
}

function expectedKeys(sorted: readonly string[], options: RangeOptions): string[] {
  const { gte, gt, lte, lt, reverse, limit } = options;
  const order = (key: string, bound: Uint8Array) => Buffer.compare(bytes(key), bound);
  const inside = sorted.filter(
    (key) =>
      (gte === undefined || order(key, gte) >= 0) &&
      (gt === undefined || order(key, gt) > 0) &&
      (lte === undefined || order(key, lte) <= 0) &&
      (lt === undefined || order(key, lt) < 0),
  );
  return (reverse === true ? inside.reverse() : inside).slice(0, limit);
}

function describeRange(options: RangeOptions): string {
  return JSON.stringify(options, (_, value: unknown) => (value instanceof Uint8Array ? textOf(value) : value));
}
