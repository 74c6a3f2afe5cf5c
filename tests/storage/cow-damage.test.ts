/**
 * After a flipped bit every read gives the right answer or a typed error with file and offset, never a wrong answer.
 */
import { describe, expect, test } from 'vitest';
import { crc32c } from '../../src/storage/crc32c.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth } from '../support/depth.ts';
import { openOn } from './cow-helpers.ts';
import { type DiskImage, FaultDisk } from './fault-disk.ts';
import { change, DURABLE, isSame, manyPuts, type State, stateOf } from './states.ts';

/** Of the bytes of meta pages and headers one in this many is flipped, and of the rest. */
const HEADER_STEP = byDepth({ sample: 5, dense: 1 });
const STEP = byDepth({ sample: 149 * 5, dense: 149, long: 1 });
const UNIT_BYTES = 4096;

/** A store with leaves, a branch, a value page, and commits in the log after the checkpoint. */
async function smallStore(
  last: 'alone' | 'together' = 'alone',
): Promise<{ readonly image: DiskImage; readonly whole: State }> {
  const disk = new FaultDisk();
  const first = await openOn(disk);
  await first.commit([...manyPuts('k', 60, 'value'), change('big', 'B'.repeat(12_500))], DURABLE);
  await first.close();
  const engine = await openOn(disk);
  await engine.commit([change('k01', 'newer'), change('k59', undefined)], DURABLE);
  await engine.commit([change('l', 'newer still')], DURABLE);
  if (last === 'alone') await engine.commit([change('m', 'last')], DURABLE);
  else await Promise.all(['m', 'n', 'o'].map((key) => engine.commit([change(key, 'last')], DURABLE)));
  // The attestation of a shared group is written in the next turn of the event loop.
  if (last === 'together') await new Promise((resolve) => setImmediate(resolve));
  return { image: disk.image(), whole: stateOf(engine) };
}

interface Reading {
  readonly state: State | null;
  readonly faults: number;
}

/** Reads everything; an error must be typed and name its place. */
async function readAll(disk: FaultDisk): Promise<Reading> {
  try {
    const engine = await openOn(disk);
    const faults = await engine.verify();
    for (const { file } of faults) expect(file).toMatch(/^(tree\.db|wal-\d+\.log)$/);
    return { state: stateOf(engine), faults: faults.length };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    expect(error.code).toBe('STORAGE_CORRUPT');
    expect(error.file).toMatch(/^(tree\.db|wal-\d+\.log)$/);
    expect(typeof error.offset).toBe('number');
    return { state: null, faults: 1 };
  }
}

describe('one flipped bit', () => {
  test.each(['alone', 'together'] as const)(
    'in any byte of any file, the last commit %s',
    async (last) => {
      const { image, whole } = await smallStore(last);
      const outcomes = { same: 0, noticed: 0 };
      for (const [path, bytes] of image.files) {
        for (let offset = 0; offset < bytes.length; offset += 1) {
          const inFrame = offset % UNIT_BYTES < 90 && bytes[offset] !== 0;
          if (offset % (inFrame ? HEADER_STEP : STEP) !== 0) continue;
          const disk = new FaultDisk(image);
          disk.flip(path, offset, offset % 8);
          const { state, faults } = await readAll(disk);
          const story = `${path} byte ${offset}`;
          expect(state === null || isSame(state, whole), story).toBe(true);
          outcomes[state === null || faults > 0 ? 'noticed' : 'same'] += 1;
        }
      }
      expect(outcomes.noticed).toBeGreaterThan(byDepth({ sample: 40, dense: 200 }));
    },
    900_000,
  );

  test('in a page that is in use is always found by verify', async () => {
    const { image } = await smallStore();
    const bytes = image.files.get('/store/tree.db')!;
    const pristine = await openOn(new FaultDisk(image));
    const { diskBytes } = pristine.stats();
    expect(diskBytes).toBeGreaterThan(bytes.length);
    let pages = 0;
    for (let unit = 2; unit * UNIT_BYTES < bytes.length; unit += 1) {
      if (bytes[unit * UNIT_BYTES + 8] !== unit) continue;
      pages += 1;
      const disk = new FaultDisk(image);
      disk.flip('/store/tree.db', unit * UNIT_BYTES + 30, 0);
      const { faults } = await readAll(disk);
      const isOldFreeMap = bytes[unit * UNIT_BYTES + 4] === 4 && faults === 0;
      const isReplaced = faults === 0 && bytes[unit * UNIT_BYTES + 16] === 1;
      expect(faults > 0 || isOldFreeMap || isReplaced, `page at unit ${unit}`).toBe(true);
    }
    expect(pages).toBeGreaterThan(4);
    await pristine.close();
  });
});

async function faultsWith(image: DiskImage, pages: Uint8Array): Promise<number> {
  const disk = new FaultDisk({ ...image, files: new Map(image.files).set('/store/tree.db', pages) });
  return (await readAll(disk)).faults;
}

describe('files', () => {
  test('a missing, foreign, truncated or future page file is reported by name', async () => {
    const { image } = await smallStore();
    const opened = async (files: Map<string, Uint8Array>): Promise<unknown> =>
      openOn(new FaultDisk({ ...image, files })).then(
        () => 'opened',
        (error: unknown) => error,
      );
    const without = new Map(image.files);
    without.delete('/store/tree.db');
    expect(await opened(without)).toMatchObject({ code: 'STORAGE_CORRUPT', file: 'tree.db' });
    const pages = image.files.get('/store/tree.db')!;
    const foreign = new Map(image.files).set('/store/tree.db', new Uint8Array(8192).fill(7));
    expect(await opened(foreign)).toMatchObject({ code: 'STORAGE_CORRUPT', file: 'tree.db', offset: 0 });
    const cut = new Map(image.files).set('/store/tree.db', pages.slice(0, pages.length - 1));
    expect(await opened(cut)).toMatchObject({ code: 'STORAGE_CORRUPT', file: 'tree.db' });
  });

  test('a page written to the place of another, and a page of an older checkpoint, are detected', async () => {
    const { image } = await smallStore();
    const pages = image.files.get('/store/tree.db')!;
    const isLeaf = (unit: number) => pages[unit * UNIT_BYTES + 4] === 1 && pages[unit * UNIT_BYTES + 8] === unit;
    const units = Array.from({ length: pages.length / UNIT_BYTES }, (_, unit) => unit);
    const leaves = units.filter((unit) => unit > 1 && isLeaf(unit));
    expect(leaves.length).toBeGreaterThan(1);
    const [one, other] = [leaves.at(-1)! * UNIT_BYTES, leaves.at(-2)! * UNIT_BYTES];
    const misplaced = pages.slice();
    misplaced.set(pages.subarray(other, other + UNIT_BYTES), one);
    expect(await faultsWith(image, misplaced)).toBeGreaterThan(0);
    const older = pages.slice();
    const leaf = older.subarray(one, one + UNIT_BYTES);
    const view = new DataView(leaf.buffer, leaf.byteOffset, UNIT_BYTES);
    view.setUint32(16, 0, true);
    view.setUint32(0, crc32c(leaf, 0, 4, view.getUint32(24, true)), true);
    expect(await faultsWith(image, older)).toBeGreaterThan(0);
  });
});
