/**
 * A power cut and a failing call at every operation of a workload that flushes, compacts, edits the manifest and
 * scrubs the log. After each, commits acknowledged as durable are there, other commits are whole or absent, and
 * `verify` finds nothing.
 */
import { describe, expect, test, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth, IS_LONG, sampled } from '../support/depth.ts';
import { type DiskImage, FaultDisk, type FaultKind, kindOfCall, MUTATING } from './fault-disk.ts';
import { change, contents, DIRECTORY, filler, Ledger, openOn, smallWorkload } from './lsm-helpers.ts';

const IMAGES_MAX = byDepth({ sample: 6, dense: 12, long: 4_096 });
/** Of the calls of one kind, one in this many fails. */
const EVERY = byDepth({ sample: 8, dense: 1 });

vi.setConfig({ testTimeout: IS_LONG ? 1_800_000 : 60_000 });

/** Runs the workload on `disk` until it ends or something fails; errors must be typed. */
async function run(disk: FaultDisk): Promise<{ ledger: Ledger; error: unknown }> {
  const ledger = new Ledger();
  try {
    const engine = await openOn(disk);
    try {
      await smallWorkload(engine, ledger);
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    return { ledger, error };
  }
  return { ledger, error: undefined };
}

async function operationsOfWorkload(): Promise<FaultDisk['history']> {
  const disk = new FaultDisk();
  const { error } = await run(disk);
  expect(error).toBeUndefined();
  return disk.history;
}

/** Opens the files after a crash, compares the state, verifies, and checks that the store accepts commits. */
async function expectRecovered(image: DiskImage, ledger: Ledger, story: string): Promise<void> {
  const disk = new FaultDisk(image);
  const engine = await openOn(disk);
  ledger.expectLegal(contents(engine), story);
  expect(await engine.verify(), story).toEqual([]);
  await engine.commit([change('again', story)], { durable: true });
  const again = await openOn(new FaultDisk(disk.image()));
  expect(Buffer.from(again.get(Buffer.from('again'))!).toString(), story).toBe(story);
  await again.close();
}

test('power cut at every write, sync and rename of the small workload', async () => {
  const history = await operationsOfWorkload();
  for (const { index, kind, path } of sampled(history, kindOfCall, EVERY)) {
    if (!MUTATING.has(kind) || kind === 'makeDirectory') continue;
    const disk = new FaultDisk();
    disk.failAt(index, 'cut');
    const { ledger } = await run(disk);
    expect(disk.operations, `the workload ended before call ${index}`).toBeGreaterThanOrEqual(index);
    for (const image of disk.crashImages(IMAGES_MAX)) {
      await expectRecovered(image, ledger, `cut at ${index} (${kind} ${path}): ${image.story}`);
    }
  }
});

/** A store that was not closed: tables in two levels, a log with commits, a table that no manifest names. */
async function unclosedStore(): Promise<{ image: DiskImage; ledger: Ledger }> {
  const disk = new FaultDisk();
  const ledger = new Ledger();
  const engine = await openOn(disk);
  for (let step = 0; step < 14; step += 1) {
    await ledger.commit(engine, [change(`k${step % 6}`, filler(step, 900))], true);
    if (step === 6) await engine.compact();
  }
  const image = disk.image();
  await engine.close();
  const files = new Map(image.files).set(`${DIRECTORY}/0000009999.table`, new Uint8Array(700));
  return { image: { ...image, files }, ledger };
}

/** Opens and closes the store; returns the calls of the disk. */
async function openAndClose(disk: FaultDisk): Promise<unknown> {
  try {
    const engine = await openOn(disk);
    await engine.close();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('recovery itself', () => {
  test('survives a power cut at each of its writes, syncs and removals', async () => {
    const { image, ledger } = await unclosedStore();
    const whole = new FaultDisk(image);
    expect(await openAndClose(whole)).toBeUndefined();
    for (const { index, kind, path } of sampled(whole.history, kindOfCall, EVERY)) {
      if (!MUTATING.has(kind) || kind === 'makeDirectory') continue;
      const disk = new FaultDisk(image);
      disk.failAt(index, 'cut');
      await openAndClose(disk);
      for (const left of disk.crashImages(IMAGES_MAX)) {
        await expectRecovered(left, ledger, `cut at ${index} of the open (${kind} ${path}): ${left.story}`);
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
      disk.fault = undefined;
      await expectRecovered(disk.image(), ledger, story);
    }
  });
});

describe('a failing call', () => {
  test.each<FaultKind>(['EIO', 'ENOSPC', 'short'])('%s at every operation', async (fault) => {
    const history = await operationsOfWorkload();
    for (const { index, kind, path } of sampled(history, kindOfCall, EVERY)) {
      if (fault === 'short' && kind !== 'write') continue;
      const disk = new FaultDisk();
      disk.failAt(index, fault);
      const { ledger, error } = await run(disk);
      const story = `${fault} at ${index} (${kind} ${path})`;
      if (error !== undefined) expect(error, story).toBeInstanceOf(StorageError);
      disk.fault = undefined;
      await expectRecovered(disk.image(), ledger, story);
    }
  });

  test('a failed sync makes the engine read-only with the reason, and reads continue', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('a', '1')], { durable: true });
    disk.fault = ({ kind }) => (kind === 'sync' || kind === 'syncNow' ? 'EIO' : undefined);
    await expect(engine.commit([change('b', '2')], { durable: true })).rejects.toMatchObject({ code: 'STORAGE_IO' });
    disk.fault = undefined;
    const refused = { code: 'STORAGE_READ_ONLY', cause: engine.failure };
    await expect(engine.commit([change('c', '3')], { durable: true })).rejects.toMatchObject(refused);
    await expect(engine.compact()).rejects.toMatchObject(refused);
    expect(engine.failure).toMatchObject({ code: 'STORAGE_IO' });
    expect(contents(engine)).toEqual(new Map([['a', '1']]));
    await engine.close();
  });

  test('a full disk refuses the commit and loses nothing, and commits work again after a reopen', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('a', '1')], { durable: true });
    disk.fault = ({ kind }) => (kind === 'write' ? 'ENOSPC' : undefined);
    await expect(engine.commit([change('b', '2')], { durable: true })).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(engine.failure).toMatchObject({ code: 'STORAGE_FULL' });
    disk.fault = undefined;
    await engine.close();
    const again = await openOn(disk);
    expect(contents(again)).toEqual(new Map([['a', '1']]));
    await again.commit([change('b', '2')], { durable: true });
    await again.close();
  });
});

describe('a disk that is too full for tables', () => {
  const DURABLE = { durable: true };
  const isTable = (path: string): boolean => path.endsWith('.table');

  /** A store with three memtables, none of which can be written. */
  async function full() {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
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
      expect([engine.failure, contents(engine).size]).toEqual([null, 3]);
      expect(disk.list(DIRECTORY).filter(isTable)).toEqual([]);
      const other = await openOn(new FaultDisk(disk.image()));
      expect(contents(other).size).toBe(3);
      await other.close();

      disk.fault = undefined;
      await vi.advanceTimersByTimeAsync(1_000);
      await vi.waitFor(() => expect(disk.list(DIRECTORY).filter(isTable).length).toBeGreaterThan(0));
      await engine.commit([change('last', 'one')], DURABLE);
      await engine.settle();
      expect([engine.failure, contents(engine).size]).toEqual([null, 4]);
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
      expect([engine.failure, [...contents(engine).keys()]]).toEqual([null, ['k0', 'k1', 'k2', 'last', ...accepted]]);
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
    const again = await openOn(disk);
    expect(contents(again).size).toBe(3);
    await again.close();
  });
});
