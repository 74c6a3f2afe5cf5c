/** Opening, closing, reopening, backup, verification, compaction and statistics. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KeyValueEngine } from '../../../src/storage/engine.ts';
import { bytes, type Context, DURABLE, del, keysOf, LAZY, pairs, put, textOf } from './helpers.ts';

export type OpenEngine = (directory: string) => Promise<KeyValueEngine>;

export interface Reopening {
  readonly open: OpenEngine;
  readonly reopen: () => Promise<void>;
}

export function lifecycle(context: Context): void {
  describe('lifecycle', () => {
    it('closes once and refuses all calls afterwards', async () => {
      const { engine } = context;
      await engine.commit([put('a', '1')], DURABLE);
      await Promise.all([engine.close(), engine.close()]);
      await engine.close();
      const closed = expect.objectContaining({ code: 'STORAGE_CLOSED' });
      expect(() => engine.get(bytes('a'))).toThrow(closed);
      expect(() => [...engine.range()]).toThrow(closed);
      expect(() => engine.snapshot()).toThrow(closed);
      await expect(engine.commit([put('b', '1')], DURABLE)).rejects.toThrow(closed);
      await expect(engine.getMany([bytes('a')])).rejects.toThrow(closed);
    });

    it('refuses all work while it closes', async () => {
      const { engine } = context;
      await engine.commit([put('a', '1'.repeat(100_000))], LAZY);
      const closing = engine.close();
      const closed = expect.objectContaining({ code: 'STORAGE_CLOSED' });
      for (let turn = 0; turn < 5; turn += 1) {
        expect(() => engine.get(bytes('a'))).toThrow(closed);
        await expect(engine.verify()).rejects.toThrow(closed);
        await expect(engine.compact()).rejects.toThrow(closed);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await closing;
    });

    it('ends the ranges that are open with an error at their next step', async () => {
      const { engine } = context;
      await engine.commit(
        Array.from({ length: 100 }, (_, index) => put(`k${index}`, '1')),
        DURABLE,
      );
      const snapshot = engine.snapshot();
      const ranges = [engine, snapshot].flatMap((reader) => [
        reader.range(),
        reader.range({ limit: 5 }),
        reader.range(),
      ]);
      for (const [at, range] of ranges.entries()) if (at % 3 !== 2) range.next();
      await engine.close();
      for (const range of ranges) {
        expect(() => range.next()).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
      }
      expect(() => snapshot.get(bytes('k1'))).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
    });

    it('finishes the commits that were called before close', async () => {
      const done = context.engine.commit([put('a', '1')], DURABLE);
      await context.engine.close();
      await expect(done).resolves.toBeUndefined();
    });

    it('reports each sync with its commits', async () => {
      const syncs: number[] = [];
      context.engine.on('synced', ({ commits }) => syncs.push(commits));
      await Promise.all([
        context.engine.commit([put('a', '1')], DURABLE),
        context.engine.commit([put('b', '1')], DURABLE),
      ]);
      expect(syncs.reduce((sum, commits) => sum + commits, 0)).toBe(2);
    });
  });
}

export function maintenance(context: Context): void {
  describe('maintenance', () => {
    const fill = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        const batch = Array.from({ length: 200 }, (_, index) => put(`k${index}`, `${round}:${'x'.repeat(index)}`));
        await context.engine.commit(batch, { durable: round % 2 === 0 });
      }
    };

    it('verifies clean, empty and filled', async () => {
      expect(await context.engine.verify()).toEqual([]);
      await fill();
      expect(await context.engine.verify()).toEqual([]);
    });

    it('compacts without changing an answer, also under a snapshot', async () => {
      await fill();
      await context.engine.commit(
        Array.from({ length: 150 }, (_, index) => del(`k${index}`)),
        DURABLE,
      );
      const before = pairs(context.engine.range());
      const snapshot = context.engine.snapshot();
      await context.engine.compact();
      expect(pairs(context.engine.range())).toEqual(before);
      expect(pairs(snapshot.range())).toEqual(before);
      snapshot.release();
      expect(await context.engine.verify()).toEqual([]);
      await context.engine.commit([put('after', '1')], DURABLE);
      expect(textOf(context.engine.get(bytes('after')))).toBe('1');
    });

    it('returns plausible statistics', async () => {
      await fill();
      const stats = context.engine.stats();
      expect(stats.backend).toBe(context.engine.backend);
      expect(stats.keys === null || stats.keys === 200).toBe(true);
      const figures = [stats.diskBytes, stats.cacheBytes, stats.cacheHits, stats.cacheMisses, stats.walBytes];
      for (const figure of figures) expect(figure).toBeGreaterThanOrEqual(0);
      expect(context.engine.failure).toBeNull();
    });
  });
}

export function persistence(context: Context, { open, reopen }: Reopening): void {
  describe('persistence', () => {
    it('counts hits and misses of its cache, which never become fewer', async () => {
      const batch = Array.from({ length: 1_000 }, (_, index) => put(`k${index}`, 'x'.repeat(index)));
      await context.engine.commit(batch, DURABLE);
      await reopen();
      const readings = [context.engine.stats()];
      for (const use of [
        () => context.engine.getMany(Array.from({ length: 50 }, () => bytes('k7'))),
        () => pairs(context.engine.range()),
        () => context.engine.compact(),
        () => pairs(context.engine.range()),
        () => context.engine.get(bytes('k7')),
      ]) {
        await use();
        readings.push(context.engine.stats());
      }
      for (const count of ['cacheHits', 'cacheMisses'] as const) {
        const counts = readings.map((each) => each[count]);
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      }
    });

    it('finds everything again after a reopen, durable or not', async () => {
      await context.engine.commit([put('a', '1'), put('gone', '1')], DURABLE);
      await context.engine.commit([put('b', '2'), del('gone')], LAZY);
      await reopen();
      expect(pairs(context.engine.range())).toEqual([
        ['a', '1'],
        ['b', '2'],
      ]);
      await reopen();
      await context.engine.commit([put('c', '3')], DURABLE);
      await reopen();
      expect(keysOf(context.engine)).toEqual(['a', 'b', 'c']);
      expect(await context.engine.verify()).toEqual([]);
    });

    it('answers getMany from the state at the call, although it reads from the disk for several turns', async () => {
      const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
      const all = (value: string) => keys.map((key) => put(key, value.padEnd(4_000)));
      await context.engine.commit(all('old'), DURABLE);
      await reopen();
      const { engine } = context;
      const { snapshots } = engine.stats();
      const reading = engine.getMany(keys.map(bytes));
      await engine.commit(all('new'), DURABLE);
      const values = await reading;
      expect(new Set(values.map((value) => textOf(value)?.trim()))).toEqual(new Set(['old']));
      expect(engine.stats().snapshots).toBe(snapshots);
    });

    it('backs up one state while writes continue, and the copy opens as a store', async () => {
      const filler = Array.from({ length: 2_000 }, (_, index) => put(`f${index}`, 'x'.repeat(300)));
      await context.engine.commit([...filler, put('n', '0'), put('m', '0')], DURABLE);
      const target = join(context.root, 'backup');
      const copied = context.engine.backup(target);
      for (let round = 1; round <= 20; round += 1) {
        await context.engine.commit([put('n', `${round}`), put('m', `${round}`), put(`extra${round}`, 'y')], DURABLE);
      }
      const { files, bytes: size } = await copied;
      expect(files).toBeGreaterThan(0);
      expect(size).toBeGreaterThan(0);
      cpSync(target, join(context.root, 'restored'), { recursive: true });
      const restored = await open(join(context.root, 'restored'));
      try {
        expect(await restored.verify()).toEqual([]);
        expect(keysOf(restored, { gte: bytes('f'), lt: bytes('g') })).toHaveLength(2_000);
        const state = Number(textOf(restored.get(bytes('n'))));
        expect(textOf(restored.get(bytes('m')))).toBe(`${state}`);
        expect(keysOf(restored, { gte: bytes('extra'), lt: bytes('f') })).toHaveLength(state);
      } finally {
        await restored.close();
      }
      expect(textOf(context.engine.get(bytes('n')))).toBe('20');
    });

    it('ends a backup that is under way when it closes, or completes it', async () => {
      const filler = Array.from({ length: 20_000 }, (_, index) => put(`f${index}`, 'x'.repeat(300)));
      await context.engine.commit(filler, DURABLE);
      await reopen();
      const target = join(context.root, 'backup');
      const copied = context.engine.backup(target).catch((error: unknown) => error);
      await new Promise((resolve) => setImmediate(resolve));
      await context.engine.close();
      const outcome = await copied;
      context.engine = await open(outcome instanceof Error ? context.directory : target);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'STORAGE_CLOSED' });
      else expect(keysOf(context.engine)).toHaveLength(20_000);
    });

    it('refuses a backup target that is not empty', async () => {
      await context.engine.commit([put('a', '1')], DURABLE);
      await expect(context.engine.backup(context.root)).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
      expect(existsSync(context.directory)).toBe(true);
    });
  });
}
