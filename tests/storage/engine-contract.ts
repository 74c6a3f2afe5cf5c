/**
 * The contract of `KeyValueEngine`, run by every engine: `engineContract('cow', …)` from its own test file.
 *
 * `open(directory)` opens the engine in a folder of its own; opening the same folder again after `close` is a reopen.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Change,
  type Entry,
  KEY_BYTES_MAX,
  type KeyValueEngine,
  type RangeOptions,
  type Reader,
  VALUE_BYTES_MAX,
} from '../../src/storage/engine.ts';

export type OpenEngine = (directory: string) => Promise<KeyValueEngine>;

export interface ContractOptions {
  /** false: nothing survives `close` and there is nothing to back up (`memory`). */
  readonly isPersistent?: boolean;
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

export function put(key: string, value: string): Change {
  return { key: bytes(key), value: bytes(value) };
}

export function del(key: string): Change {
  return { key: bytes(key), value: undefined };
}

export function pairs(entries: Iterable<Entry>): [string, string][] {
  return [...entries].map(({ key, value }) => [textOf(key)!, textOf(value)!]);
}

export function keysOf(reader: Reader, options?: RangeOptions): string[] {
  return pairs(reader.range(options)).map(([key]) => key);
}

interface Context {
  engine: KeyValueEngine;
  directory: string;
  root: string;
}

const DURABLE = { durable: true };
const LAZY = { durable: false };

export function engineContract(name: string, open: OpenEngine, { isPersistent = true }: ContractOptions = {}): void {
  describe(`engine contract: ${name}`, () => {
    const context = {} as Context;
    const reopen = async (): Promise<void> => {
      await context.engine.close();
      context.engine = await open(context.directory);
    };

    beforeEach(async () => {
      context.root = mkdtempSync(join(tmpdir(), 'daybook-engine-'));
      context.directory = join(context.root, 'store');
      context.engine = await open(context.directory);
    });
    afterEach(async () => {
      await context.engine.close();
      rmSync(context.root, { recursive: true, force: true });
    });

    readsAndWrites(context);
    ranges(context);
    snapshots(context);
    limits(context);
    lifecycle(context);
    maintenance(context);
    if (isPersistent) persistence(context, { open, reopen });
  });
}

function readsAndWrites(context: Context): void {
  describe('reads and writes', () => {
    it('answers undefined for an absent key and for every key of an empty store', () => {
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

    it('keeps an empty value apart from an absent one', async () => {
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

    it('answers getMany in the order asked, with holes and repeats', async () => {
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

    it('never shows half a batch', async () => {
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

    it('keeps the buffers it handed out as they were', async () => {
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

const KEYS = ['a', 'aa', 'ab', 'b', 'ba', 'c', 'd'];

function ranges(context: Context): void {
  describe('ranges', () => {
    const bounds: RangeOptions[] = [{}];
    for (const low of ['', 'a', 'aa', 'az', 'b', 'd', 'e']) {
      if (low !== '') bounds.push({ gte: bytes(low) }, { gt: bytes(low) });
      for (const high of ['a', 'ab', 'b', 'bz', 'd', 'z']) {
        const from: RangeOptions[] = low === '' ? [{}] : [{ gte: bytes(low) }, { gt: bytes(low) }];
        for (const start of from) bounds.push({ ...start, lt: bytes(high) }, { ...start, lte: bytes(high) });
      }
    }

    it('answers every combination of bounds, direction and limit as a sorted list would', async () => {
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

    it('is lazy and can be left early, again and again', async () => {
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

    it('shows the state that stood when iteration began', async () => {
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

    it('refuses an impossible limit', () => {
      expect(() => [...context.engine.range({ limit: -1 })]).toThrow(RangeError);
      expect(() => [...context.engine.range({ limit: 1.5 })]).toThrow(RangeError);
    });
  });
}

function snapshots(context: Context): void {
  describe('snapshots', () => {
    it('see one state however much is written later', async () => {
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
  });
}

function limits(context: Context): void {
  describe('limits', () => {
    it.each([
      ['an empty key', { key: new Uint8Array(0), value: bytes('v') }, 'STORAGE_KEY_INVALID'],
      ['a key too long', { key: new Uint8Array(KEY_BYTES_MAX + 1), value: bytes('v') }, 'STORAGE_KEY_INVALID'],
      [
        'a delete of a key too long',
        { key: new Uint8Array(KEY_BYTES_MAX + 1), value: undefined },
        'STORAGE_KEY_INVALID',
      ],
      ['a value too long', { key: bytes('k'), value: new Uint8Array(VALUE_BYTES_MAX + 1) }, 'STORAGE_VALUE_INVALID'],
    ])('refuses %s and applies nothing of the batch', async (_, change, code) => {
      const batch = [put('good', '1'), change];
      await expect(context.engine.commit(batch, DURABLE)).rejects.toMatchObject({ code });
      expect(pairs(context.engine.range())).toEqual([]);
      await context.engine.commit([put('after', '1')], DURABLE);
      expect(keysOf(context.engine)).toEqual(['after']);
      expect(context.engine.failure).toBeNull();
    });

    it('refuses reads of impossible keys', () => {
      expect(() => context.engine.get(new Uint8Array(0))).toThrow(
        expect.objectContaining({ code: 'STORAGE_KEY_INVALID' }),
      );
    });

    it('keeps the longest key and values of many pages', async () => {
      const longKey = Buffer.alloc(KEY_BYTES_MAX, 'k');
      const sizes = [0, 1, 1_000, 4_095, 4_096, 4_097, 65_536, 1_000_000];
      const batch = sizes.map((size) => ({ key: bytes(`v${size}`), value: Buffer.alloc(size, `${size}`) }));
      await context.engine.commit([...batch, { key: longKey, value: bytes('long') }], DURABLE);
      expect(textOf(context.engine.get(longKey))).toBe('long');
      for (const { key, value } of batch) expect(Buffer.compare(context.engine.get(key)!, value)).toBe(0);
      expect([...context.engine.range()]).toHaveLength(sizes.length + 1);
    });
  });
}

function lifecycle(context: Context): void {
  describe('lifecycle', () => {
    it('closes once and refuses everything afterwards', async () => {
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

function maintenance(context: Context): void {
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

    it('gives sane figures', async () => {
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

interface Reopening {
  readonly open: OpenEngine;
  readonly reopen: () => Promise<void>;
}

function persistence(context: Context, { open, reopen }: Reopening): void {
  describe('persistence', () => {
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

    it('backs up one state while writes go on, and the copy opens as a store', async () => {
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

    it('refuses a backup target that holds something', async () => {
      await context.engine.commit([put('a', '1')], DURABLE);
      await expect(context.engine.backup(context.root)).rejects.toMatchObject({ code: 'STORAGE_TARGET' });
      expect(existsSync(context.directory)).toBe(true);
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
