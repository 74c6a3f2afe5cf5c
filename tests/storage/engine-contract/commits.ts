/** Commits and reads of single keys: order, atomicity, overwriting, empty values, shared buffers. */
import { describe, expect, it } from 'vitest';
import { bytes, type Context, DURABLE, del, keysOf, LAZY, pairs, put, textOf } from './helpers.ts';

export function readsAndWrites(context: Context): void {
  describe('reads and writes', () => {
    it('returns undefined for an absent key and for every key of an empty store', () => {
      expect(context.engine.get(bytes('a'))).toBeUndefined();
      expect(pairs(context.engine.range())).toEqual([]);
    });

    it('returns what was put, durable or not', async () => {
      await context.engine.commit([put('a', '1')], DURABLE);
      await context.engine.commit([put('b', '2')], LAZY);
      expect(textOf(context.engine.get(bytes('a')))).toBe('1');
      expect(textOf(context.engine.get(bytes('b')))).toBe('2');
    });

    it('overwrites, deletes, and deletes what is absent', async () => {
      await context.engine.commit([put('a', '1'), put('b', '2')], DURABLE);
      await context.engine.commit([put('a', 'other'), del('b'), del('never')], DURABLE);
      expect(pairs(context.engine.range())).toEqual([['a', 'other']]);
    });

    it('lets the last change of a key in a batch win', async () => {
      await context.engine.commit([put('a', '1'), del('a'), put('a', '2'), put('b', '1'), del('b')], DURABLE);
      expect(pairs(context.engine.range())).toEqual([['a', '2']]);
    });

    it('takes an empty batch, durable or not', async () => {
      await context.engine.commit([put('a', '1')], LAZY);
      await context.engine.commit([], DURABLE);
      await context.engine.commit([], LAZY);
      expect(pairs(context.engine.range())).toEqual([['a', '1']]);
    });

    it('distinguishes an empty value from an absent one', async () => {
      await context.engine.commit([put('empty', '')], DURABLE);
      expect(context.engine.get(bytes('empty'))?.length).toBe(0);
      expect(pairs(context.engine.range())).toEqual([['empty', '']]);
    });

    it('keeps every byte value in keys and values', async () => {
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      const batch = [...all].map((byte) => ({ key: Uint8Array.of(byte), value: all.slice(byte) }));
      await context.engine.commit(batch.reverse(), DURABLE);
      const entries = [...context.engine.range()];
      expect(entries.map(({ key }) => key[0])).toEqual([...all]);
      for (const { key, value } of entries) expect(Buffer.compare(value, all.slice(key[0]))).toBe(0);
    });

    it('returns the values of getMany in the order of the keys, with absent and repeated keys', async () => {
      await context.engine.commit([put('a', '1'), put('b', '2')], DURABLE);
      const found = await context.engine.getMany(['b', 'none', 'a', 'b'].map(bytes));
      expect(found.map(textOf)).toEqual(['2', undefined, '1', '2']);
      expect(await context.engine.getMany([])).toEqual([]);
    });

    it('applies commits in the order of the calls, whether awaited or not', async () => {
      const commits = Array.from({ length: 100 }, (_, index) =>
        context.engine.commit([put('last', `${index}`), put(`k${index}`, 'x')], { durable: index % 3 === 0 }),
      );
      await Promise.all(commits);
      expect(textOf(context.engine.get(bytes('last')))).toBe('99');
      expect(keysOf(context.engine)).toHaveLength(101);
    });

    it('never shows a part of a batch', async () => {
      const seen = new Set<string>();
      const look = () => {
        const [a, b] = [textOf(context.engine.get(bytes('a'))), textOf(context.engine.get(bytes('b')))];
        seen.add(`${a}=${b}`);
      };
      for (let round = 0; round < 20; round += 1) {
        const done = context.engine.commit([put('a', `${round}`), put('b', `${round}`)], { durable: round % 2 === 0 });
        look();
        await new Promise((resolve) => setImmediate(resolve));
        look();
        await done;
        look();
        expect(textOf(context.engine.get(bytes('b')))).toBe(`${round}`);
      }
      for (const state of seen) expect(state).toMatch(/^(\w+)=\1$/);
    });

    it('does not change the buffers that it returned', async () => {
      await context.engine.commit([put('a', 'first value')], DURABLE);
      const held = context.engine.get(bytes('a'));
      const [entry] = [...context.engine.range()];
      for (let round = 0; round < 50; round += 1) {
        await context.engine.commit([put('a', `later ${round}`), put(`fill${round}`, 'x'.repeat(500))], LAZY);
      }
      expect(textOf(held)).toBe('first value');
      expect(textOf(entry?.value)).toBe('first value');
    });
  });
}
