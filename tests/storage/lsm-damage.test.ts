/**
 * Damage: every byte of a small store, closed or killed, is changed in turn; files are truncated, removed or
 * exchanged. Every read gives the right answer, or a typed error with file and offset.
 */
import { expect, test, vi } from 'vitest';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth, IS_LONG } from '../support/depth.ts';
import { type DiskImage, FaultDisk } from './fault-disk.ts';
import { DIRECTORY, filler, openOn, TINY } from './lsm-helpers.ts';
import { change, isSame, type State, stateOf, text } from './states.ts';

vi.setConfig({ testTimeout: IS_LONG ? 1_800_000 : 60_000 });

/** Two levels, tombstones, and commits that are only in the log. */
async function smallStore(end: 'closed' | 'killed' = 'closed'): Promise<{ image: DiskImage; state: State }> {
  const disk = new FaultDisk();
  const config = { ...TINY, memtable_bytes: 65_536 };
  const first = await openOn(disk, config);
  for (let step = 0; step < 20; step += 1)
    await first.commit([change(`key-${step}`, filler(step, 40))], { durable: false });
  await first.compact();
  await first.commit([change('key-3', undefined), change('key-4', 'changed')], { durable: true });
  await first.backup('/other');
  await first.commit([change('key-5', 'only in the log'), change('key-6', undefined)], { durable: true });
  const state = stateOf(first);
  if (end === 'closed') await first.close();
  // A closed store is checked without attestation, as after a power cut: its synced records prove themselves durable.
  const image = end === 'closed' ? disk.crashImages(1)[0]! : disk.image();
  if (end === 'killed') await first.close();
  const files = new Map([...image.files].filter(([path]) => path.startsWith(DIRECTORY)));
  return { image: { ...image, files }, state };
}

/** Reads everything, by range and key by key; accepts the right answer or a typed error that names its place. */
async function expectSameOrTyped(disk: FaultDisk, state: State, story: string): Promise<'same' | 'refused'> {
  try {
    const engine = await openOn(disk);
    try {
      const found = stateOf(engine);
      for (const [key, value] of state) {
        const single = engine.get(Buffer.from(key));
        if (single !== undefined) expect(text(single), story).toBe(value);
        else expect.fail(`${story}: ${key} is gone`);
      }
      if (!isSame(found, state)) expect(found, story).toEqual(state);
    } finally {
      await engine.close();
    }
    return 'same';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    expect(error.code, `${story}: ${error.message}`).toBe('STORAGE_CORRUPT');
    expect(error.file, story).toBeTypeOf('string');
    expect(error.offset, story).toBeTypeOf('number');
    return 'refused';
  }
}

/** One byte in this many is changed. A prime: no field of fixed length is always passed over. */
const STEP = byDepth({ sample: 7, dense: 1 });

test.each(['closed', 'killed'] as const)('every byte of a %s store changed', async (end) => {
  const { image, state } = await smallStore(end);
  for (const [path, bytes] of image.files) {
    let tried = 0;
    let refused = 0;
    for (let offset = 0; offset < bytes.length; offset += STEP) {
      // Long runs of zeros (the preallocated log) are changed here and there.
      if (!IS_LONG && bytes[offset] === 0 && bytes[offset + 1] === 0 && offset % 61 !== 0) continue;
      const disk = new FaultDisk(image);
      disk.flip(path, offset, offset % 8);
      tried += 1;
      if ((await expectSameOrTyped(disk, state, `${path} byte ${offset}`)) === 'refused') refused += 1;
    }
    // Every byte of tables and manifest is checked.
    if (!path.includes('wal-')) expect(refused, path).toBe(tried);
  }
});

test('verify names file and offset of a damaged block', async () => {
  const { image } = await smallStore();
  const path = [...image.files.keys()].find((name) => name.endsWith('.table'))!;
  const disk = new FaultDisk(image);
  const engine = await openOn(disk);
  expect(await engine.verify()).toEqual([]);
  disk.flip(path, 10, 3);
  const faults = await engine.verify();
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ file: path.slice(DIRECTORY.length + 1), offset: 0 });
  await engine.close();
});

test('a missing, truncated or exchanged file fails the open or the read', async () => {
  const { image, state } = await smallStore();
  const tables = [...image.files].filter(([path]) => path.endsWith('.table'));
  expect(tables.length).toBeGreaterThan(1);
  for (const path of image.files.keys()) {
    const without = new Map(image.files);
    without.delete(path);
    const cut = new Map(image.files).set(path, image.files.get(path)!.slice(0, -1));
    for (const files of [without, cut]) {
      const outcome = await expectSameOrTyped(new FaultDisk({ ...image, files }), state, `${path} lost or cut`);
      // Only a spare segment may be missing.
      if (!path.includes('wal-spare')) expect(outcome, path).toBe('refused');
    }
  }
  const [[path], [, other]] = tables as [[string, Uint8Array], [string, Uint8Array]];
  const exchanged = new Map(image.files).set(path, other);
  const foreign = await expectSameOrTyped(new FaultDisk({ ...image, files: exchanged }), state, 'exchanged');
  expect(foreign).toBe('refused');
});

test('a lost manifest is damage while there is a table or a commit in the log', async () => {
  const disk = new FaultDisk();
  const store = await openOn(disk);
  await store.commit([change('key', 'value')], { durable: true });
  await store.close();
  const onlyLog = new Map(disk.image().files);
  onlyLog.delete(`${DIRECTORY}/MANIFEST`);
  const { image } = await smallStore();
  const onlyTables = new Map([...image.files].filter(([path]) => path.endsWith('.table')));
  for (const files of [onlyLog, onlyTables]) {
    await expect(openOn(new FaultDisk({ ...image, files }))).rejects.toMatchObject({
      code: 'STORAGE_CORRUPT',
      file: 'MANIFEST',
    });
  }
});
