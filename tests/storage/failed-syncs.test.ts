/**
 * A sync, or a change of the log's files, that fails once while everything after it succeeds. The bytes of a failed sync
 * are in the page cache and not on the disk, and no later sync writes them.
 */
import { describe, expect, test } from 'vitest';
import { openOn as openCow } from './cow-helpers.ts';
import { FaultDisk, MUTATING, type Operation } from './fault-disk.ts';
import { change, DURABLE, LAZY, manyPuts, stateOf } from './states.ts';
import { create, open, write } from './wal-helpers.ts';

const isSync = ({ kind }: Operation): boolean => kind === 'sync' || kind === 'syncNow';

/** Fails the next call that fits, and no other. */
function failOnce(disk: FaultDisk, fits: (operation: Operation) => boolean): void {
  disk.fault = (operation) => {
    if (!fits(operation)) return undefined;
    disk.fault = undefined;
    return 'EIO';
  };
}

describe('the log', () => {
  // Of two syncs at a time the kernel gives one of them the error. `lsm` syncs the log beside its commits.
  test('takes the other of two syncs for failed, and no more records', async () => {
    const { disk, wal } = create();
    write(wal, 'one');
    failOnce(disk, isSync);
    const first = wal.sync();
    write(wal, 'two');
    const second = wal.sync();
    await expect(first).rejects.toThrow('EIO');
    await expect(second).rejects.toThrow('EIO');
    expect(() => write(wal, 'three')).toThrow('EIO');
    expect(() => wal.syncNow()).toThrow('EIO');
    await expect(wal.scrub()).rejects.toThrow('EIO');
    expect(wal.durableSequence).toBe(0);
  });

  test('makes durable what it replays, also what a sync of the last process did not write', () => {
    const { disk, wal } = create();
    write(wal, 'kept');
    wal.syncNow();
    write(wal, 'in the page cache');
    failOnce(disk, isSync);
    expect(() => wal.syncNow()).toThrow('EIO');
    const next = disk.afterKill();
    const { wal: second, seen } = open(next);
    write(second, 'of the second life');
    second.syncNow();
    for (const image of next.crashImages()) {
      expect(open(new FaultDisk(image)).seen, image.story).toEqual([...seen, '3:of the second life']);
    }
  });

  test('releases nothing more after a release that failed part way', async () => {
    const { disk, wal } = create();
    for (let at = 0; at < 8; at += 1) {
      write(wal, 'x'.repeat(3_000));
      wal.syncNow();
    }
    failOnce(disk, ({ kind }) => kind === 'rename');
    expect(() => wal.release(4)).toThrow('EIO');
    expect(() => wal.release(7)).toThrow('EIO');
    await expect(wal.scrub()).rejects.toThrow('EIO');
    expect(open(new FaultDisk(disk.image()), { after: 7 }).seen).toHaveLength(1);
  });
});

describe('cow', () => {
  test('opens after a compaction during which a commit failed', async () => {
    const disk = new FaultDisk();
    const engine = await openCow(disk);
    for (let part = 0; part < 10; part += 1) await engine.commit(manyPuts(`part${part}-`, 99, 'x'.repeat(300)), LAZY);
    await engine.commit([change('a', 'durable')], DURABLE);
    const compacting = engine.compact().catch((error: unknown) => error);
    failOnce(disk, (operation) => isSync(operation) && operation.path.includes('/wal-'));
    await expect(engine.commit([change('b', 'lost')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_IO' });
    expect(await compacting).toMatchObject({ code: 'STORAGE_READ_ONLY' });
    await engine.close();
    const again = await openCow(new FaultDisk(disk.image()));
    expect(stateOf(again).get('a')).toBe('durable');
    expect(await again.verify()).toEqual([]);
    await again.close();
  });

  test('keeps a tree on the disk when the last process could not sync its newest meta page', async () => {
    const disk = new FaultDisk();
    for (const value of ['first', 'second']) {
      const life = await openCow(disk);
      await life.commit(manyPuts('k', 60, value), DURABLE);
      await life.close();
    }
    const engine = await openCow(disk);
    await engine.commit(manyPuts('k', 60, 'third'), DURABLE);
    let syncs = 0;
    failOnce(disk, (operation) => {
      if (isSync(operation) && operation.path.endsWith('/tree.db')) syncs += 1;
      return syncs === 2;
    });
    await expect(engine.close()).rejects.toMatchObject({ code: 'STORAGE_IO' });
    for (let call = 1, isCut = true; isCut; call += 1) {
      const next = disk.afterKill();
      next.fault = ({ index, kind }) => (index >= call && MUTATING.has(kind) ? 'cut' : undefined);
      isCut = await openCow(next)
        .then((life) => life.commit(manyPuts('k', 60, 'third'), DURABLE).then(() => life.close()))
        .then(
          () => false,
          () => true,
        );
      for (const image of next.crashImages(8)) {
        const left = await openCow(new FaultDisk(image));
        expect(stateOf(left).get('k07'), `${call}: ${image.story}`).toBe('third 7');
        expect(await left.verify()).toEqual([]);
        await left.close();
      }
    }
  });
});
