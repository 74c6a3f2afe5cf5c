/**
 * The `lsm` engine on the real disk with the worker thread: what leaves the disk, what iterators and snapshots keep,
 * what is reported, and the cache budget. Also the order of steps that crash tests cannot distinguish.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { type LsmEngine, openLsm } from '../../src/storage/lsm/engine.ts';
import { memoryFolder } from '../support/folders.ts';
import { turns } from '../support/turns.ts';
import { FaultDisk } from './fault-disk.ts';
import { filler, openOn, TINY } from './lsm-helpers.ts';
import { change, stateOf, text } from './states.ts';

let directory: string;
let engine: LsmEngine;

beforeEach(async () => {
  directory = memoryFolder('lsm');
  engine = await openLsm({ directory, config: TINY });
});
afterEach(() => engine.close());

const DURABLE = { durable: true };
const LAZY = { durable: false };

/** Names of the files that hold `needle`. */
function filesWith(needle: string): string[] {
  return readdirSync(directory).filter((name) => read(name).includes(needle));
}

/** The bytes of a file; empty if a compaction removed it meanwhile. */
function read(name: string): Buffer {
  try {
    return readFileSync(join(directory, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function tables(): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.table'));
}

async function fill(count: number, from = 0): Promise<void> {
  for (let step = from; step < from + count; step += 1) {
    await engine.commit([change(`key-${String(step % 50).padStart(3, '0')}`, filler(step, 300))], LAZY);
  }
}

describe('compact', () => {
  test('deleted and overwritten bytes are in no file afterwards', async () => {
    await engine.commit([change('secret-key', 'SECRET-ONE'), change('other', 'SECRET-TWO')], DURABLE);
    await fill(100);
    expect(filesWith('SECRET').length).toBeGreaterThan(0);
    await engine.commit([change('secret-key', undefined), change('other', 'kept')], DURABLE);
    await engine.compact();
    expect(filesWith('SECRET')).toEqual([]);
    expect(filesWith('secret-key')).toEqual([]);
    expect(text(engine.get(Buffer.from('other'))!)).toBe('kept');
    expect(await engine.verify()).toEqual([]);
  });

  test('leaves one run, and no more than the log beside the live bytes', async () => {
    await fill(200);
    await engine.compact();
    const levels = engine.stats().levels.filter((level) => level.tables > 0);
    expect(levels).toHaveLength(1);
    expect(levels[0]!.bytes).toBeLessThan(1.5 * 50 * (7 + 300));
  });

  test('bytes that a snapshot sees stay until it is released', async () => {
    await engine.commit([change('a', 'SECRET')], DURABLE);
    const snapshot = engine.snapshot();
    await engine.commit([change('a', 'new')], DURABLE);
    await engine.compact();
    expect(text(snapshot.get(Buffer.from('a'))!)).toBe('SECRET');
    snapshot.release();
    await engine.compact();
    expect(filesWith('SECRET')).toEqual([]);
  });

  test('an iterator continues in the tables it began with; they are removed when it ends', async () => {
    await fill(50);
    await engine.compact();
    const before = stateOf(engine);
    const walk = engine.range();
    const first = walk.next().value!;
    const old = tables();
    await fill(200, 50);
    await engine.compact();
    expect(tables()).toEqual(expect.arrayContaining(old));
    const rest = [...walk].map((entry) => [text(entry.key), text(entry.value)]);
    expect(new Map([[text(first.key), text(first.value)], ...(rest as [string, string][])])).toEqual(before);
    await engine.compact();
    for (const name of old) expect(tables()).not.toContain(name);
  });

  test('an iterator over commits in memory reads on while they are flushed and the memory reused', async () => {
    await engine.close();
    engine = await openLsm({ directory, config: { ...TINY, memtable_bytes: 1_048_576 } });
    const batch = (value: string) =>
      Array.from({ length: 600 }, (_, at) => change(`key-${1_000 + at}`, `${value}-${at}`));
    await engine.commit(batch('old'), LAZY);
    const walk = engine.range();
    walk.next();
    await engine.compact();
    await engine.commit(batch('new'), LAZY);
    await engine.compact();
    await engine.commit(batch('newer'), LAZY);
    expect([...walk].map(({ value }) => text(value))).toEqual(Array.from({ length: 599 }, (_, at) => `old-${at + 1}`));
  });

  test('reports progress up to its end', async () => {
    await fill(200);
    const seen: [number, number][] = [];
    await engine.compact((done, total) => seen.push([done, total]));
    const [done, total] = seen.at(-1)!;
    expect(total).toBeGreaterThan(0);
    expect(done).toBe(total);
  });
});

describe('close', () => {
  test('ends a compaction early and loses nothing', async () => {
    await fill(150);
    const before = stateOf(engine);
    const compaction = engine.compact().then(
      () => 'done',
      (error: StorageError) => error.code,
    );
    await engine.close();
    expect(['done', 'STORAGE_CLOSED']).toContain(await compaction);
    engine = await openLsm({ directory, config: TINY });
    expect(stateOf(engine)).toEqual(before);
    expect(await engine.verify()).toEqual([]);
  });

  test.each(['compact', 'backup', 'verify'] as const)('leaves no %s running', async (kind) => {
    const disk = new FaultDisk();
    const store = await openOn(disk);
    for (let step = 0; step < 30; step += 1) await store.commit([change(`k${step}`, filler(step, 900))], LAZY);
    const work = kind === 'backup' ? store.backup('/target') : store[kind]();
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    await store.close();
    const { operations } = disk;
    await ended;
    await turns(50);
    expect(disk.operations).toBe(operations);
  });

  test('waits for a backup that is under way', async () => {
    await fill(100);
    const before = stateOf(engine);
    const target = `${directory}-backup`;
    onTestFinished(() => rmSync(target, { recursive: true, force: true }));
    const backup = engine.backup(target);
    await engine.close();
    const { files, bytes } = await backup;
    expect(files).toBe(readdirSync(target).length);
    expect(bytes).toBeGreaterThan(100);
    const copy = await openLsm({ directory: target, config: TINY });
    expect(stateOf(copy)).toEqual(before);
    await copy.close();
  });
});

describe('reports', () => {
  test('syncs, flushes, compactions and stalls are reported', async () => {
    const reported = new Set<string>();
    for (const name of ['synced', 'checkpointed', 'compacted', 'stalled'] as const) {
      engine.on(name, ({ seconds }: { readonly seconds: number }) => {
        expect(seconds).toBeGreaterThanOrEqual(0);
        reported.add(name);
      });
    }
    for (let step = 0; step < 2_000 && reported.size < 4; step += 1) {
      await engine.commit([change(`key-${step % 90}`, filler(step, 2_000))], step % 50 === 0 ? DURABLE : LAZY);
    }
    expect([...reported].sort()).toEqual(['checkpointed', 'compacted', 'stalled', 'synced']);
  });

  test('a smaller cache budget applies immediately and changes no answer', async () => {
    await fill(200);
    await engine.compact();
    const before = stateOf(engine);
    expect(engine.stats().cacheBytes).toBeGreaterThan(5_000);
    engine.resizeCache(5_000);
    expect(engine.stats().cacheBytes).toBeLessThanOrEqual(5_000);
    engine.resizeCache(0);
    expect(engine.stats().cacheBytes).toBe(0);
    expect(stateOf(engine)).toEqual(before);
    expect(() => engine.resizeCache(-1)).toThrow(StorageError);
  });
});

describe('values', () => {
  test('a key read again and again follows its overwrites and deletes', async () => {
    for (let round = 0; round < 4; round += 1) {
      await engine.commit([change('hot', `value ${round}`)], LAZY);
      await fill(30, round * 30);
      await engine.compact();
      for (let read = 0; read < 4; read += 1) expect(text(engine.get(Buffer.from('hot'))!)).toBe(`value ${round}`);
    }
    await engine.commit([change('hot', undefined)], LAZY);
    expect(engine.get(Buffer.from('hot'))).toBeUndefined();
    await engine.compact();
    expect(engine.get(Buffer.from('hot'))).toBeUndefined();
  });

  test('large values pass through log, table and compaction', async () => {
    const large = Buffer.alloc(3_000_000, 'large ');
    await engine.commit([{ key: Buffer.from('large'), value: large }, change('small', 'x')], DURABLE);
    await engine.compact();
    expect(Buffer.compare(Buffer.from(engine.get(Buffer.from('large'))!), large)).toBe(0);
    expect([...engine.range({ reverse: true })].map(({ key }) => text(key))).toEqual(['small', 'large']);
  });
});

describe('order of steps', () => {
  test('a log segment is released only after a manifest that covers it is synced', async () => {
    const disk = new FaultDisk();
    const store = await openOn(disk);
    for (let step = 0; step < 12; step += 1) await store.commit([change(`k${step}`, filler(step, 900))], DURABLE);
    await store.close();
    const isEdit = (path: string): boolean => path.endsWith('MANIFEST.new');
    const steps = disk.history.map(({ kind, path }) => {
      if (kind === 'write' && path.endsWith('.table')) return 'table';
      if (kind === 'rename' && isEdit(path)) return 'edit';
      if (kind === 'syncDirectory') return 'names';
      return (kind === 'rename' || kind === 'remove') && /wal-\d+\.log$/.test(path) ? 'segment goes' : '';
    });
    const table = steps.indexOf('table');
    const gone = steps.indexOf('segment goes');
    expect(gone).toBeGreaterThan(table);
    const edit = steps.indexOf('edit', table);
    expect(steps.slice(table, gone)).toContain('edit');
    expect(steps.slice(edit, gone)).toContain('names');
  });

  test('the record that seals the last commits at close is synced after them, and itself', async () => {
    const disk = new FaultDisk();
    const store = await openOn(disk);
    await store.commit([change('key', 'value')], LAZY);
    const before = disk.operations;
    await store.close();
    // Later calls belong to the next segment of the log.
    const log = disk.history.slice(before).filter(({ path }) => path.includes('wal-'));
    expect(log.slice(0, 3).map(({ kind }) => kind)).toEqual(['sync', 'write', 'sync']);
  });
});
