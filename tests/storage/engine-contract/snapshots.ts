/** Snapshots: each shows one state until it is released. */
import { describe, expect, it } from 'vitest';
import { bytes, type Context, DURABLE, del, KEYS, keysOf, LAZY, pairs, put, textOf } from './helpers.ts';

export function snapshots(context: Context): void {
  describe('snapshots', () => {
    it('see one state whatever is written later', async () => {
      const { engine } = context;
      await engine.commit([put('a', '1'), put('b', '1')], DURABLE);
      const first = engine.snapshot();
      await engine.commit([put('a', '2'), del('b'), put('c', '2')], DURABLE);
      const second = engine.snapshot();
      const filler = Array.from({ length: 500 }, (_, index) => put(`f${index}`, 'x'.repeat(200)));
      for (let round = 0; round < 5; round += 1) await engine.commit([...filler, put('a', `later ${round}`)], LAZY);
      expect(pairs(first.range())).toEqual([
        ['a', '1'],
        ['b', '1'],
      ]);
      expect(textOf(first.get(bytes('b')))).toBe('1');
      expect(first.get(bytes('c'))).toBeUndefined();
      expect(pairs(second.range({ reverse: true }))).toEqual([
        ['c', '2'],
        ['a', '2'],
      ]);
      first.release();
      expect(textOf(second.get(bytes('a')))).toBe('2');
      second.release();
      expect(textOf(engine.get(bytes('a')))).toBe('later 4');
    });

    it('can be read while ranges over them are open', async () => {
      await context.engine.commit(
        KEYS.map((key) => put(key, key)),
        DURABLE,
      );
      const snapshot = context.engine.snapshot();
      const seen: string[] = [];
      for (const { key } of snapshot.range()) {
        seen.push(`${textOf(key)}:${keysOf(snapshot, { lt: key }).length}:${textOf(snapshot.get(key))}`);
      }
      expect(seen).toEqual(KEYS.map((key, index) => `${key}:${index}:${key}`));
      snapshot.release();
    });

    it('are counted, released once, and refuse reads afterwards', async () => {
      const { engine } = context;
      const before = engine.stats().snapshots;
      const snapshot = engine.snapshot();
      expect(engine.stats().snapshots).toBe(before + 1);
      snapshot.release();
      snapshot.release();
      expect(engine.stats().snapshots).toBe(before);
      expect(() => snapshot.get(bytes('a'))).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
      expect(() => [...snapshot.range()]).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
    });

    it('end their ranges with an error at the next step, also while another snapshot is taken', async () => {
      const { engine } = context;
      const all = (value: string) => Array.from({ length: 100 }, (_, index) => put(`k${index}`, value));
      await engine.commit(all('old'), DURABLE);
      const snapshot = engine.snapshot();
      const [begun, waiting] = [snapshot.range(), snapshot.range()];
      expect(textOf(begun.next().value?.value)).toBe('old');
      snapshot.release();
      await engine.commit(all('new'), DURABLE);
      const next = engine.snapshot();
      for (const range of [begun, waiting]) {
        expect(() => range.next()).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
        expect(range.next()).toEqual({ done: true, value: undefined });
      }
      next.release();
    });
  });
}
