/** Safeguards of `cow` that other tests do not cover: the order of checkpoint and log, and pages that are valid but wrong. */
import { describe, expect, test } from 'vitest';
import { decodeMeta, UNIT_BYTES } from '../../src/storage/cow/format.ts';
import { crc32c } from '../../src/storage/crc32c.ts';
import { openWal } from '../../src/storage/wal.ts';
import { openOn, SMALL } from '../storage/cow-helpers.ts';
import { type DiskImage, FaultDisk } from '../storage/fault-disk.ts';
import { change, DURABLE, LAZY, type Ledger, livedOn, manyPuts, stateOf } from '../storage/states.ts';
import { byDepth } from '../support/depth.ts';
import { cuts } from './cuts.ts';

const PAGE_FILE = '/store/tree.db';

const LIVES = 3;
const COMMITS = 14;

/** Lives that each fill more than one segment, end with a checkpoint and give segments back. */
function longLives(disk: FaultDisk): Promise<Ledger> {
  return livedOn(
    () => openOn(disk),
    async (ledger, open) => {
      for (let life = 0; life < LIVES; life += 1) {
        const engine = await open();
        for (let commit = 0; commit < COMMITS; commit += 1) {
          const batch = [change(`k${commit}`, `${life} `.repeat(2_500)), change('last', `${life}.${commit}`)];
          await ledger.commit(engine, batch, DURABLE);
        }
        await engine.close();
      }
    },
  );
}

describe('a checkpoint', () => {
  test('is durable before the log is given back or a page is used again, whatever call the power goes off at', async () => {
    for await (const { ledger, disk, story } of cuts(longLives, 5, byDepth({ sample: 8, dense: 1 }))) {
      const engine = await openOn(disk);
      ledger.expectLegal(stateOf(engine), story);
      await engine.close();
    }
  }, 120_000);

  test('never reaches further than the log that is on the disk', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    const checkpointed = new Promise<void>((resolve) => engine.on('checkpointed', () => resolve()));
    // Enough for a checkpoint to begin by itself.
    await engine.commit(manyPuts('k', 90, 'lazy '.repeat(3_000)), LAZY);
    await checkpointed;
    const images = disk.crashImages(4);
    await engine.close();
    for (const image of images) {
      const { sequence } = newestMeta(image);
      const logged = openWal({
        directory: '/store',
        disk: new FaultDisk(image),
        segmentBytes: SMALL.wal_buffer_size,
        after: 0,
        create: false,
        visit: () => {},
      });
      expect(logged.lastSequence, image.story).toBeGreaterThanOrEqual(sequence);
    }
  });
});

/** The disk of a store that was closed twice: each meta page is that of a checkpoint. */
async function twoMetas(): Promise<FaultDisk> {
  const disk = new FaultDisk();
  for (const value of ['old', 'new']) {
    const engine = await openOn(disk);
    await engine.commit(manyPuts('k', 40, value), DURABLE);
    await engine.close();
  }
  return disk;
}

function metasOf(image: DiskImage) {
  const bytes = image.files.get(PAGE_FILE)!;
  return [0, 1].map((slot) => decodeMeta(bytes.subarray(slot * UNIT_BYTES, (slot + 1) * UNIT_BYTES), PAGE_FILE));
}

function newestMeta(image: DiskImage) {
  const good = metasOf(image).filter((meta) => typeof meta !== 'string');
  return good.reduce((newest, meta) => (meta.checkpoint > newest.checkpoint ? meta : newest));
}

describe('damage with good checksums', () => {
  test('a damaged meta page is mended by the open that goes by the other one', async () => {
    const disk = await twoMetas();
    const image = disk.image();
    const { checkpoint } = newestMeta(image);
    const older = new FaultDisk(image);
    older.flip(PAGE_FILE, ((checkpoint + 1) % 2) * UNIT_BYTES + 20, 3);
    expect(metasOf(older.image()).filter((meta) => typeof meta === 'string')).toHaveLength(1);
    const engine = await openOn(older);
    expect(metasOf(older.image()).filter((meta) => typeof meta === 'string')).toEqual([]);
    expect([...stateOf(engine).values()].every((value) => value.includes('new'))).toBe(true);
    await engine.close();
  });

  // A later version that writes its first checkpoint leaves the other meta page as it was.
  test('a meta page of a later version is no damage: the store is refused, and unchanged', async () => {
    const disk = await twoMetas();
    const { checkpoint } = newestMeta(disk.image());
    const at = (checkpoint % 2) * UNIT_BYTES;
    const image = disk.image();
    const page = image.files.get(PAGE_FILE)!.slice();
    const view = new DataView(page.buffer, at);
    view.setUint32(8, 99, true);
    view.setUint32(80, crc32c(page, 0, at, at + 80), true);
    const later = new FaultDisk({ ...image, files: new Map(image.files).set(PAGE_FILE, page) });
    await expect(openOn(later)).rejects.toMatchObject({ code: 'STORAGE_FOREIGN', file: 'tree.db' });
    expect(later.image().files.get(PAGE_FILE)).toEqual(page);
  });
});
