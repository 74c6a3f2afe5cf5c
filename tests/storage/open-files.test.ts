/** Every call of the disk fails once while a store is opened, compacted, backed up and closed: no file stays open. */
import { describe, expect, it } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { type DiskImage, FaultDisk } from './fault-disk.ts';
import { FAULT_DISK_ENGINES, type FaultDiskEngine } from './fault-disk-engines.ts';
import { change } from './states.ts';

/** A store that was killed: with a compacted state, and later commits in its log. */
async function killed({ open }: FaultDiskEngine): Promise<DiskImage> {
  const disk = new FaultDisk();
  const engine = await open(disk);
  const put = (key: string) => engine.commit([change(key, 'v')], { durable: true });
  await put('a');
  await engine.compact();
  await put('b');
  const image = disk.image();
  await engine.close();
  return image;
}

/** The files that are open after `work` failed at a call of the disk, for each call. */
async function leftOpen(image: DiskImage | undefined, work: (disk: FaultDisk) => Promise<void>): Promise<string[]> {
  const left: string[] = [];
  for (let failing = 1; ; failing += 1) {
    const disk = new FaultDisk(image);
    disk.failAt(failing, 'EIO');
    await work(disk).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    const call = disk.history[failing - 1];
    if (call === undefined) return left;
    if (disk.open.size > 0) left.push(`${call.kind} ${call.path}: ${disk.open.size}`);
  }
}

describe.each(FAULT_DISK_ENGINES)('$name', (engine) => {
  const openAndClose = async (disk: FaultDisk): Promise<void> => (await engine.open(disk)).close();

  it('is created', async () => {
    expect(await leftOpen(undefined, openAndClose)).toEqual([]);
  });

  it('is opened', async () => {
    expect(await leftOpen(await killed(engine), openAndClose)).toEqual([]);
  });

  const whileOpen =
    (work: (store: KeyValueEngine, disk: FaultDisk) => Promise<unknown>) =>
    async (disk: FaultDisk): Promise<void> => {
      const store = await engine.open(disk);
      await work(store, disk).catch(() => undefined);
      await store.close();
    };

  it('is compacted and its log scrubbed', async () => {
    const work = whileOpen((store) => store.compact());
    expect(await leftOpen(await killed(engine), work)).toEqual([]);
  });

  it('is read and then compacted', async () => {
    const work = whileOpen(async (store) => {
      expect([...store.range()]).toHaveLength(2);
      return store.compact();
    });
    expect(await leftOpen(await killed(engine), work)).toEqual([]);
  });

  it('is backed up', async () => {
    const work = whileOpen(async (store, disk) => {
      disk.makeDirectory('/copy');
      return store.backup('/copy');
    });
    expect(await leftOpen(await killed(engine), work)).toEqual([]);
  });

  it('is compacted and closed while earlier states are being read', async () => {
    const disk = new FaultDisk(await killed(engine));
    const store = await engine.open(disk);
    const [snapshot, range] = [store.snapshot(), store.range()];
    range.next();
    await store.compact();
    await store.close();
    expect(disk.open.size).toBe(0);
    expect(() => snapshot.get(Buffer.from('a'))).toThrow(expect.objectContaining({ code: 'STORAGE_CLOSED' }));
    snapshot.release();
  });

  it('without one of its files is refused', async () => {
    const { files, ...image } = await killed(engine);
    for (const missing of files.keys()) {
      const rest = { ...image, files: new Map([...files].filter(([path]) => path !== missing)) };
      expect([missing, await leftOpen(rest, openAndClose)]).toEqual([missing, []]);
    }
  });

  it('with a damaged file is refused or repaired', async () => {
    const { files, ...image } = await killed(engine);
    for (const [path, bytes] of files) {
      const damaged = new Map(files).set(
        path,
        bytes.map((byte, at) => (at < 32 ? byte ^ 0xff : byte)),
      );
      expect([path, await leftOpen({ ...image, files: damaged }, openAndClose)]).toEqual([path, []]);
    }
  });
});
