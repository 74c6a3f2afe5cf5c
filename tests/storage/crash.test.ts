/**
 * A power cut at every call of a small workload, and an error at every call of it: commits of both kinds, checkpoints and
 * flushes, compactions, a close.
 *
 * After each, every commit acknowledged as durable is there, batches are whole or absent, `verify` is clean, and the
 * store accepts commits.
 */
import { describe, expect, test, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth, IS_LONG, sampled } from '../support/depth.ts';
import { openOn as openCow } from './cow-helpers.ts';
import { type DiskImage, FaultDisk, type FaultKind, kindOfCall, MUTATING, type Operation } from './fault-disk.ts';
import { FAULT_DISK_ENGINES, type FaultDiskEngine } from './fault-disk-engines.ts';
import { DIRECTORY, filler, openOn as openLsm } from './lsm-helpers.ts';
import { change, DURABLE, Ledger, manyPuts, stateOf } from './states.ts';

const IMAGES_PER_CUT = byDepth({ sample: 6, dense: 12, long: 2_000 });
/** Of the calls of one kind, one in this many fails. */
const EVERY = byDepth({ sample: 8, dense: 1 });

vi.setConfig({ testTimeout: IS_LONG ? 1_800_000 : 120_000 });

const cuttable = (history: readonly Operation[]): Operation[] =>
  sampled(history, kindOfCall, EVERY).filter(({ kind }) => MUTATING.has(kind));

/** Opens the remaining files, compares the state with the acknowledged commits, and commits once more. */
async function checkLeft({ open }: Pick<FaultDiskEngine, 'open'>, image: DiskImage, { ledger, story }: Left) {
  const disk = new FaultDisk(image);
  const engine = await open(disk);
  const found = stateOf(engine);
  ledger.expectLegal(found, story);
  expect(await engine.verify(), story).toEqual([]);
  await engine.commit([change('next', 'life')], DURABLE);
  const [again] = disk.crashImages(1);
  const second = await open(new FaultDisk(again!));
  expect(stateOf(second), story).toEqual(new Map([...found, ['next', 'life']]));
  await second.close();
  await engine.close();
}

interface Left {
  readonly ledger: Ledger;
  readonly story: string;
}

describe.each(FAULT_DISK_ENGINES)('$name', (engine) => {
  async function rehearse(): Promise<readonly Operation[]> {
    const disk = new FaultDisk();
    const ledger = await engine.workload(disk);
    expect(ledger.safe).toBe(ledger.states.length - 1);
    return disk.history;
  }

  test('power cuts at every call that changes the disk', async () => {
    let images = 0;
    for (const { index, kind, path } of cuttable(await rehearse())) {
      const disk = new FaultDisk();
      disk.failAt(index, 'cut');
      const ledger = await engine.workload(disk);
      expect(disk.operations, `the workload ended before call ${index}`).toBeGreaterThanOrEqual(index);
      for (const image of disk.crashImages(IMAGES_PER_CUT)) {
        images += 1;
        await checkLeft(engine, image, { ledger, story: `cut at call ${index} (${kind} ${path}); ${image.story}` });
      }
    }
    expect(images).toBeGreaterThan(byDepth({ sample: 60, dense: 250 }));
  });

  test.each<FaultKind>(['EIO', 'ENOSPC', 'short'])(
    '%s at every call: typed, nothing acknowledged is lost',
    async (fault) => {
      for (const { index, kind, path } of sampled(await rehearse(), kindOfCall, EVERY)) {
        if (fault === 'short' && kind !== 'write') continue;
        const disk = new FaultDisk();
        disk.failAt(index, fault);
        const ledger = await engine.workload(disk);
        const story = `${fault} at call ${index} (${kind} ${path})`;
        await checkLeft(engine, disk.image(), { ledger, story });
        if (!kind.startsWith('sync')) continue;
        for (const image of disk.crashImages(IMAGES_PER_CUT)) {
          await checkLeft(engine, image, { ledger, story: `${story}; ${image.story}` });
        }
      }
    },
  );

  test('a failed sync makes the engine read-only with the reason, and reads continue', async () => {
    const disk = new FaultDisk();
    const store = await engine.open(disk);
    await store.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind }) => (kind === 'sync' || kind === 'syncNow' ? 'EIO' : undefined);
    await expect(store.commit([change('a', 'lost')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_IO' });
    disk.fault = undefined;
    expect(store.failure).toMatchObject({ code: 'STORAGE_IO' });
    const refused = { code: 'STORAGE_READ_ONLY', cause: store.failure };
    await expect(store.commit([change('b', 'refused')], DURABLE)).rejects.toMatchObject(refused);
    await expect(store.compact()).rejects.toMatchObject(refused);
    expect(stateOf(store)).toEqual(new Map([['a', 'kept']]));
    await store.close();
  });

  test('a full disk refuses the commit and loses nothing, and commits work again after a reopen', async () => {
    const disk = new FaultDisk();
    const store = await engine.open(disk);
    await store.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind }) => (kind === 'write' ? 'ENOSPC' : undefined);
    await expect(store.commit([change('a', 'lost')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(store.failure).toMatchObject({ code: 'STORAGE_FULL' });
    await store.close();
    disk.fault = undefined;
    const again = await engine.open(disk);
    expect(stateOf(again)).toEqual(new Map([['a', 'kept']]));
    await again.commit([change('b', 'works')], DURABLE);
    expect(again.failure).toBeNull();
    await again.close();
  });
});

describe('cow', () => {
  test('a store closes although the disk is too full for the last checkpoint; the log still holds every commit', async () => {
    const disk = new FaultDisk();
    const engine = await openCow(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('tree.db') ? 'ENOSPC' : undefined);
    await engine.close();
    const again = await openCow(disk);
    expect(stateOf(again)).toEqual(new Map([['a', 'kept']]));
    await again.close();
    disk.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('tree.db') ? 'EIO' : undefined);
    const failing = await openCow(disk);
    await expect(failing.close()).rejects.toMatchObject({ code: 'STORAGE_IO' });
  });

  test('a checkpoint that fails at any call leaves a store without faults', async () => {
    let hasFailed = true;
    for (let at = 1; hasFailed; at += 1) {
      const disk = new FaultDisk();
      for (const value of ['first', 'second']) {
        const life = await openCow(disk);
        await life.commit(manyPuts('k', 300, value.padEnd(200)), DURABLE);
        await life.close();
      }
      const engine = await openCow(disk);
      let calls = 0;
      disk.fault = ({ kind, path }) => {
        if (!path.endsWith('tree.db') || (kind !== 'write' && kind !== 'sync')) return undefined;
        calls += 1;
        return calls === at ? 'EIO' : undefined;
      };
      const rows = Array.from({ length: 100 }, (_, index) => change(`k${index}`, 'L'.repeat(13_000)));
      await Promise.allSettled(rows.map((row) => engine.commit([row], DURABLE)));
      // A verification waits for the checkpoints before it.
      const faults = await engine.verify();
      hasFailed = engine.failure !== null;
      expect([at, faults]).toEqual([at, []]);
      disk.fault = undefined;
      await engine.close();
      if (!hasFailed) expect(at).toBeGreaterThan(5);
    }
  });

  test('a checkpoint is put off while the disk has no room for it, and begins with the first commit after that', async () => {
    const disk = new FaultDisk();
    const engine = await openCow(disk);
    disk.free = 0;
    const checkpoints: number[] = [];
    engine.on('checkpointed', ({ bytes }) => checkpoints.push(bytes));
    const rows = Array.from({ length: 80 }, (_, number) => change(`key-${number}`, 'x'.repeat(30_000)));
    for (const row of rows) await engine.commit([row], DURABLE);
    // A verification waits for the checkpoints before it.
    expect(await engine.verify()).toEqual([]);
    expect([checkpoints, engine.failure]).toEqual([[], null]);
    disk.free = Number.POSITIVE_INFINITY;
    await engine.commit([change('last', 'one')], DURABLE);
    await expect.poll(() => checkpoints.length, { interval: 1 }).toBe(1);
    expect(stateOf(engine).size).toBe(81);
    await engine.close();
  });

  test('a full disk during compaction leaves the store unchanged, and the space is freed', async () => {
    const disk = new FaultDisk();
    const engine = await openCow(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('.new') ? 'ENOSPC' : undefined);
    await expect(engine.compact()).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(disk.list('/store').filter((name) => name.endsWith('.new'))).toEqual([]);
    disk.fault = undefined;
    await engine.commit([change('b', 'works')], DURABLE);
    await engine.compact();
    expect([...stateOf(engine).keys()]).toEqual(['a', 'b']);
    await engine.close();
  });

  test('a full disk during a backup fails only the backup', async () => {
    const disk = new FaultDisk();
    const engine = await openCow(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind, path }) => (kind === 'write' && path.startsWith('/copy') ? 'ENOSPC' : undefined);
    await expect(engine.backup('/copy')).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(disk.list('/copy')).toEqual([]);
    await engine.commit([change('b', 'works')], DURABLE);
    expect(engine.failure).toBeNull();
    await engine.close();
  });
});

/** A store that was not closed: tables in two levels, a log with commits, a table that no manifest names. */
async function unclosedStore(): Promise<{ image: DiskImage; ledger: Ledger }> {
  const disk = new FaultDisk();
  const ledger = new Ledger();
  const engine = await openLsm(disk);
  for (let step = 0; step < 14; step += 1) {
    await ledger.commit(engine, [change(`k${step % 6}`, filler(step, 900))], DURABLE);
    if (step === 6) await engine.compact();
  }
  const image = disk.image();
  await engine.close();
  const files = new Map(image.files).set(`${DIRECTORY}/0000009999.table`, new Uint8Array(700));
  return { image: { ...image, files }, ledger };
}

/** Opens and closes the store; answers the error. */
async function openAndClose(disk: FaultDisk): Promise<unknown> {
  try {
    const engine = await openLsm(disk);
    await engine.close();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the recovery of lsm', () => {
  const lsm = { open: (disk: FaultDisk) => openLsm(disk) };

  test('survives a power cut at each of its writes, syncs and removals', async () => {
    const { image, ledger } = await unclosedStore();
    const whole = new FaultDisk(image);
    expect(await openAndClose(whole)).toBeUndefined();
    for (const { index, kind, path } of cuttable(whole.history)) {
      const disk = new FaultDisk(image);
      disk.failAt(index, 'cut');
      await openAndClose(disk);
      for (const left of disk.crashImages(IMAGES_PER_CUT)) {
        const story = `cut at ${index} of the open (${kind} ${path}): ${left.story}`;
        await checkLeft(lsm, left, { ledger, story });
      }
    }
  });

  test.each<FaultKind>(['EIO', 'ENOSPC'])('survives %s at each of its calls', async (fault) => {
    const { image, ledger } = await unclosedStore();
    const whole = new FaultDisk(image);
    expect(await openAndClose(whole)).toBeUndefined();
    for (const { index, kind, path } of sampled(whole.history, kindOfCall, EVERY)) {
      const disk = new FaultDisk(image);
      disk.failAt(index, fault);
      const error = await openAndClose(disk);
      const story = `${fault} at ${index} of the open (${kind} ${path})`;
      if (error !== undefined) expect(error, story).toBeInstanceOf(StorageError);
      await checkLeft(lsm, disk.image(), { ledger, story });
    }
  });
});

describe('lsm on a disk that is too full for tables', () => {
  const isTable = (path: string): boolean => path.endsWith('.table');

  /** A store with three memtables, none of which can be written. */
  async function full() {
    const disk = new FaultDisk();
    const engine = await openLsm(disk);
    disk.fault = ({ kind, path }) => (kind === 'write' && isTable(path) ? 'ENOSPC' : undefined);
    for (let number = 0; number < 3; number += 1) {
      await engine.commit([change(`k${number}`, filler(number, 3_000))], DURABLE);
    }
    return { disk, engine };
  }

  test('is no failure: log and memory hold what they lack, and they are written when there is room', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { disk, engine } = await full();
      await expect(engine.settle()).rejects.toMatchObject({ code: 'STORAGE_FULL' });
      expect([engine.failure, stateOf(engine).size]).toEqual([null, 3]);
      expect(disk.list(DIRECTORY).filter(isTable)).toEqual([]);
      const other = await openLsm(new FaultDisk(disk.image()));
      expect(stateOf(other).size).toBe(3);
      await other.close();

      disk.fault = undefined;
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.waitFor(() => expect(disk.list(DIRECTORY).filter(isTable).length).toBeGreaterThan(0));
      await engine.commit([change('last', 'one')], DURABLE);
      await engine.settle();
      expect([engine.failure, stateOf(engine).size]).toEqual([null, 4]);
      await engine.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('refuses the commits that memory has no place for, until there is room', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { disk, engine } = await full();
      const accepted: string[] = [];
      const fillUp = async () => {
        for (let number = 0; number < 8; number += 1) {
          await engine.commit([change(`more${number}`, filler(number, 3_000))], DURABLE);
          accepted.push(`more${number}`);
        }
      };
      await expect(fillUp()).rejects.toMatchObject({ code: 'STORAGE_FULL' });
      const last = engine.commit([change('last', 'one')], DURABLE);
      await expect(last).rejects.toMatchObject({ code: 'STORAGE_FULL' });
      disk.fault = undefined;
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.waitFor(() => engine.commit([change('last', 'two')], DURABLE));
      expect([engine.failure, [...stateOf(engine).keys()]]).toEqual([null, ['k0', 'k1', 'k2', 'last', ...accepted]]);
      await engine.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('closes all the same; the next open finds every commit', async () => {
    const { disk, engine } = await full();
    await engine.close();
    // An open file without a name would hold its blocks.
    expect(disk.open.size).toBe(0);
    disk.fault = undefined;
    const again = await openLsm(disk);
    expect(stateOf(again).size).toBe(3);
    await again.close();
  });
});
