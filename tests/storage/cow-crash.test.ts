/**
 * A power cut at every call of a small workload, and an error at every call of it.
 *
 * After each, every commit acknowledged as durable is there, batches are whole or absent, `verify` is clean, and the
 * store accepts commits.
 */
import { describe, expect, test } from 'vitest';
import { byDepth, sampled } from '../support/depth.ts';
import { change, DURABLE, type Ledger, manyPuts, matchingState, openOn, stateOf, twoLives } from './cow-helpers.ts';
import { type DiskImage, FaultDisk, type FaultKind, kindOfCall, MUTATING } from './fault-disk.ts';

const IMAGES_PER_CUT = byDepth({ sample: 6, dense: 8, long: 2_000 });
/** Of the calls of one kind, one in this many fails. */
const EVERY = byDepth({ sample: 8, dense: 2, long: 1 });

/** Opens the remaining files, compares the state with the acknowledged commits, and commits once more. */
async function checkLeft(image: DiskImage, ledger: Ledger, story: string): Promise<void> {
  const disk = new FaultDisk(image);
  const engine = await openOn(disk);
  const found = stateOf(engine);
  expect(matchingState(ledger, found), story).toBeGreaterThanOrEqual(ledger.durable);
  expect(await engine.verify(), story).toEqual([]);
  await engine.commit([change('next', 'life')], DURABLE);
  const [again] = disk.crashImages(1);
  const second = await openOn(new FaultDisk(again!));
  expect(stateOf(second), story).toEqual(new Map([...found, ['next', 'life']].sort() as [string, string][]));
  await second.close();
  await engine.close();
}

async function rehearse(): Promise<FaultDisk> {
  const disk = new FaultDisk();
  const ledger = await twoLives(disk);
  expect(ledger.durable).toBe(ledger.states.length - 1);
  return disk;
}

test('power cuts at every call that changes the disk', async () => {
  const { history } = await rehearse();
  const changes = history.filter((operation) => MUTATING.has(operation.kind));
  let images = 0;
  for (const { index, kind } of sampled(changes, kindOfCall, byDepth({ sample: 4, dense: 1 }))) {
    const disk = new FaultDisk();
    disk.failAt(index, 'cut');
    const ledger = await twoLives(disk);
    for (const image of disk.crashImages(IMAGES_PER_CUT)) {
      images += 1;
      await checkLeft(image, ledger, `cut at call ${index} (${kind}); ${image.story}`);
    }
  }
  expect(images).toBeGreaterThan(byDepth({ sample: 60, dense: 250 }));
}, 600_000);

describe('errors', () => {
  const kinds: FaultKind[] = ['EIO', 'ENOSPC', 'short'];

  test.each(kinds)(
    '%s at every call: typed, nothing acknowledged is lost',
    async (kind) => {
      const { history } = await rehearse();
      for (const operation of sampled(history, kindOfCall, EVERY)) {
        const { index } = operation;
        if (kind === 'short' && operation.kind !== 'write') continue;
        const disk = new FaultDisk();
        disk.failAt(index, kind);
        const ledger = await twoLives(disk);
        const story = `${kind} at call ${index} (${operation.kind} ${operation.path})`;
        await checkLeft(disk.image(), ledger, story);
        if (operation.kind.startsWith('sync')) {
          for (const image of disk.crashImages(IMAGES_PER_CUT))
            await checkLeft(image, ledger, `${story}; ${image.story}`);
        }
      }
    },
    600_000,
  );

  test('a failed sync makes the engine read-only with the reason, and reads continue', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind }) => (kind === 'sync' || kind === 'syncNow' ? 'EIO' : undefined);
    await expect(engine.commit([change('a', 'lost')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_IO' });
    disk.fault = undefined;
    await expect(engine.commit([change('b', 'refused')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    await expect(engine.compact()).rejects.toMatchObject({ code: 'STORAGE_READ_ONLY' });
    expect(engine.failure?.code).toBe('STORAGE_IO');
    expect(stateOf(engine)).toEqual(new Map([['a', 'kept']]));
    await engine.close();
  });

  test('a full disk refuses the write, loses nothing, and works again once there is space', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind }) => (kind === 'write' ? 'ENOSPC' : undefined);
    await expect(engine.commit([change('a', 'lost')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    await engine.close();
    disk.fault = undefined;
    const again = await openOn(disk);
    expect(stateOf(again)).toEqual(new Map([['a', 'kept']]));
    await again.commit([change('b', 'works')], DURABLE);
    expect(again.failure).toBeNull();
    await again.close();
  });

  test('a store closes although the disk is too full for the last checkpoint; the log still holds every commit', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('tree.db') ? 'ENOSPC' : undefined);
    await engine.close();
    const again = await openOn(disk);
    expect(stateOf(again)).toEqual(new Map([['a', 'kept']]));
    await again.close();
    disk.fault = ({ kind, path }) => (kind === 'write' && path.endsWith('tree.db') ? 'EIO' : undefined);
    const failing = await openOn(disk);
    await expect(failing.close()).rejects.toMatchObject({ code: 'STORAGE_IO' });
  });

  // `verify` counted the units that the checkpoint took and did not write as damage.
  test('a checkpoint that fails at any call leaves a store without faults', async () => {
    let hasFailed = true;
    for (let at = 1; hasFailed; at += 1) {
      const disk = new FaultDisk();
      for (const value of ['first', 'second']) {
        const life = await openOn(disk);
        await life.commit(manyPuts('k', 300, value.padEnd(200)), DURABLE);
        await life.close();
      }
      const engine = await openOn(disk);
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
    const engine = await openOn(disk);
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
    const engine = await openOn(disk);
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
    const engine = await openOn(disk);
    await engine.commit([change('a', 'kept')], DURABLE);
    disk.fault = ({ kind, path }) => (kind === 'write' && path.startsWith('/copy') ? 'ENOSPC' : undefined);
    await expect(engine.backup('/copy')).rejects.toMatchObject({ code: 'STORAGE_FULL' });
    expect(disk.list('/copy')).toEqual([]);
    await engine.commit([change('b', 'works')], DURABLE);
    expect(engine.failure).toBeNull();
    await engine.close();
  });
});
