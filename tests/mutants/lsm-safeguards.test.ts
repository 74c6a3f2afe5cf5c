/**
 * Safeguards of `lsm` that other tests did not cover: the order of flush and log, backups, removals, tables that are
 * not the named ones.
 */
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/storage/crc32c.ts';
import { openLsm } from '../../src/storage/lsm/engine.ts';
import { decodeManifest, encodeManifest } from '../../src/storage/lsm/manifest.ts';
import { type DiskImage, FaultDisk } from '../storage/fault-disk.ts';
import { DIRECTORY, filler, openOn, TINY } from '../storage/lsm-helpers.ts';
import { change, DURABLE, LAZY, type Ledger, livedOn, stateOf } from '../storage/states.ts';
import { byDepth } from '../support/depth.ts';
import { cuts } from './cuts.ts';

/** Memtables of several segments each, so that a flush gives segments back. */
const ROLLING = { ...TINY, wal_segment_bytes: 8_192, memtable_bytes: 12_288 };
const COMMITS = 18;

/** Commits until the power cut; answers the expected content. */
function life(disk: FaultDisk): Promise<Ledger> {
  return livedOn(
    () => openOn(disk, ROLLING),
    async (ledger, open) => {
      const engine = await open();
      for (let step = 0; step < COMMITS; step += 1) {
        await ledger.commit(engine, [change(`k${step % 7}`, filler(step, 1_500))], step % 3 === 1 ? LAZY : DURABLE);
      }
      await engine.close();
    },
  );
}

describe('a flush', () => {
  test('gives the log back only once the manifest names the table, whatever call the power goes off at', async () => {
    for await (const { ledger, disk, story } of cuts(life, 6, byDepth({ sample: 8, dense: 1 }))) {
      const engine = await openOn(disk, ROLLING);
      ledger.expectLegal(stateOf(engine), story);
      await engine.close();
    }
  }, 120_000);
});

describe('a manifest', () => {
  test('names a table only after the folder was synced with its name: no order of names is relied on', async () => {
    const disk = new FaultDisk();
    await life(disk);
    let unsynced = new Set<string>();
    let manifests = 0;
    for (const { kind, path } of disk.history) {
      if (kind === 'write' && path.endsWith('.table')) unsynced.add(path);
      if (kind === 'syncDirectory') unsynced = new Set();
      if (kind !== 'rename' || !path.endsWith('MANIFEST.new')) continue;
      expect([...unsynced]).toEqual([]);
      manifests += 1;
    }
    expect(manifests).toBeGreaterThan(2);
  });

  test('covers what an emptied log held, also when nothing was to be flushed', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('k', 'kept')], { durable: true });
    for (let times = 0; times < 3; times += 1) await engine.compact();
    const killed = await openOn(new FaultDisk(disk.image()));
    expect(stateOf(killed)).toEqual(new Map([['k', 'kept']]));
    await killed.close();
    await engine.close();
  });
});

async function flushed(values: (key: number) => string): Promise<FaultDisk> {
  const disk = new FaultDisk();
  const engine = await openOn(disk);
  await engine.commit(
    Array.from({ length: 20 }, (_, key) => change(`k${key}`, values(key))),
    { durable: true },
  );
  await engine.compact();
  await engine.close();
  return disk;
}

describe('what is done when it answers', () => {
  test('a backup: every table of it is on the disk', async () => {
    const disk = await flushed((key) => `value ${key}`);
    const engine = await openOn(disk);
    const expected = stateOf(engine);
    await engine.backup('/copy');
    for (const image of disk.crashImages()) {
      const copy = await openLsm({ directory: '/copy', disk: new FaultDisk(image), config: TINY });
      expect(stateOf(copy), image.story).toEqual(expected);
      await copy.close();
    }
    await engine.close();
  });

  test('a close: tables that a range still read are gone, too', async () => {
    const disk = await flushed((key) => `SECRET ${key}`);
    const engine = await openOn(disk);
    const range = engine.range();
    range.next();
    await engine.commit(
      Array.from({ length: 20 }, (_, key) => change(`k${key}`, undefined)),
      { durable: true },
    );
    await engine.compact();
    range.return!();
    await engine.close();
    for (const image of disk.crashImages()) {
      for (const [path, bytes] of image.files) {
        expect(Buffer.from(bytes).includes('SECRET'), `${path}, ${image.story}`).toBe(false);
      }
    }
  });
});

describe('damage with good checksums', () => {
  const withFile = (image: DiskImage, path: string, bytes: Uint8Array): FaultDisk =>
    new FaultDisk({ ...image, files: new Map(image.files).set(path, bytes) });

  function onlyTable(image: DiskImage): string {
    const tables = [...image.files.keys()].filter((path) => path.endsWith('.table'));
    expect(tables).toHaveLength(1);
    return tables[0]!;
  }

  test('a table of another store under the right name and size is refused', async () => {
    const mine = (await flushed((key) => `mine ${key}`)).image();
    const other = (await flushed((key) => `gone ${key}`)).image();
    const path = onlyTable(mine);
    const foreign = other.files.get(onlyTable(other))!;
    expect(onlyTable(other)).toBe(path);
    expect(foreign.length).toBe(mine.files.get(path)!.length);
    await expect(openOn(withFile(mine, path, foreign))).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
  });

  test('a table that has grown is refused', async () => {
    const image = (await flushed((key) => `mine ${key}`)).image();
    const path = onlyTable(image);
    const grown = new Uint8Array([...image.files.get(path)!, 0]);
    await expect(openOn(withFile(image, path, grown))).rejects.toMatchObject({ code: 'STORAGE_CORRUPT' });
  });

  test('a manifest of another version is refused by its number', () => {
    const bytes = encodeManifest({ edit: 1, lastSequence: 0, nextTableId: 1, levels: [] }).slice();
    const view = new DataView(bytes.buffer);
    view.setUint32(8, 99, true);
    view.setUint32(bytes.length - 4, crc32c(bytes.subarray(0, bytes.length - 4)), true);
    expect(() => decodeManifest(bytes)).toThrow(expect.objectContaining({ code: 'STORAGE_FOREIGN', file: 'MANIFEST' }));
  });

  test('verify names the manifest when it is gone or damaged since the open', async () => {
    const disk = await flushed((key) => `value ${key}`);
    const engine = await openOn(disk);
    disk.flip(`${DIRECTORY}/MANIFEST`, 20, 1);
    expect(await engine.verify()).toMatchObject([{ file: 'MANIFEST' }]);
    disk.remove(`${DIRECTORY}/MANIFEST`);
    expect(await engine.verify()).toMatchObject([{ file: 'MANIFEST' }]);
    await engine.close();
  });
});
