/** What a close makes durable, and how it says that it could not: `cow` and `lsm` on a disk that fails. */
import { describe, expect, it } from 'vitest';
import type { DiskFile, OpenMode } from '../../src/storage/disk.ts';
import { FaultDisk, type Operation } from './fault-disk.ts';
import { FAULT_DISK_ENGINES, type FaultDiskEngine } from './fault-disk-engines.ts';
import { change, DURABLE, LAZY, stateOf } from './states.ts';

const isLog = ({ path }: Operation): boolean => path.includes('/wal-');
const isSync = ({ kind }: Operation): boolean => kind === 'sync' || kind === 'syncNow';

/** Turns of the event loop that the first sync of a `WatchedDisk` takes longer than others. */
const SLOW_TURNS = 50;

/** Names the files that are closed while a sync of them is under way. */
class WatchedDisk extends FaultDisk {
  readonly closedInSync: string[] = [];
  #turns = SLOW_TURNS;

  override openFile(path: string, mode: OpenMode): DiskFile {
    const file = super.openFile(path, mode);
    let syncing = 0;
    const close = (): void => {
      if (syncing > 0) this.closedInSync.push(path);
      file.close();
    };
    return {
      read: (offset, length) => file.read(offset, length),
      write: (offset, bytes) => file.write(offset, bytes),
      sync: async () => {
        syncing += 1;
        const turns = this.#turns;
        this.#turns = 0;
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await file.sync().finally(() => {
          syncing -= 1;
        });
      },
      syncNow: () => file.syncNow(),
      truncate: (size) => file.truncate(size),
      size: () => file.size(),
      close,
      closeSoon: () => file.closeSoon(),
      [Symbol.dispose]: close,
    };
  }
}

/** The keys that are left when the power is cut now and everything that was not synced is lost. */
async function keysAfterCut(disk: FaultDisk, open: FaultDiskEngine['open']): Promise<string[]> {
  const [leastLeft] = disk.crashImages(1);
  const engine = await open(new FaultDisk(leastLeft!));
  const keys = [...stateOf(engine).keys()];
  await engine.close();
  return keys;
}

describe.each(FAULT_DISK_ENGINES)('the close of $name', ({ open }) => {
  it('makes commits durable also after another file could not be written', async () => {
    const disk = new WatchedDisk();
    const engine = await open(disk);
    await engine.commit([change('first', 'x')], DURABLE);
    disk.fault = (operation) => (operation.kind === 'write' && !isLog(operation) ? 'EIO' : undefined);
    const acknowledged = ['first'];
    for (let number = 0; engine.failure === null; number += 1) {
      const key = `k${String(number).padStart(4, '0')}`;
      const isTaken = await engine.commit([change(key, 'L'.repeat(3_000))], LAZY).then(
        () => true,
        () => false,
      );
      if (isTaken) acknowledged.push(key);
    }
    await engine.close();
    // A flush of lsm left its sync under way when its table could not be written.
    expect(disk.closedInSync).toEqual([]);
    disk.fault = undefined;
    expect(await keysAfterCut(disk, open)).toEqual(expect.arrayContaining(acknowledged));
  });

  it('rejects when it cannot make the last commits durable', async () => {
    const disk = new FaultDisk();
    const engine = await open(disk);
    await engine.commit([change('a', 'x')], LAZY);
    disk.fault = (operation) => (isSync(operation) && isLog(operation) ? 'EIO' : undefined);
    await expect(engine.close()).rejects.toMatchObject({ code: 'STORAGE_IO' });
    expect(disk.open.size).toBe(0);
  });

  it('says nothing again of a sync whose failure is known', async () => {
    const disk = new FaultDisk();
    const engine = await open(disk);
    disk.fault = (operation) => (isSync(operation) && isLog(operation) ? 'EIO' : undefined);
    await expect(engine.commit([change('a', 'x')], DURABLE)).rejects.toMatchObject({ code: 'STORAGE_IO' });
    const before = disk.operations;
    await engine.close();
    expect(disk.history.slice(before).filter(isSync)).toEqual([]);
  });
});
