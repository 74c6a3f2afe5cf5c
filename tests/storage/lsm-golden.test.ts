/**
 * A store written by the first release of format version 1, kept as files: today's code reads it, and writes the same
 * bytes for the same commits. A difference is a new format version (docs/formats/lsm.md) with its own golden store.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DiskImage, FaultDisk } from './fault-disk.ts';
import { DIRECTORY, filler, openOn, TINY } from './lsm-helpers.ts';
import { change, type State, stateOf } from './states.ts';

const GOLDEN = join(import.meta.dirname, 'lsm-golden', 'v1');
const CONFIG = { ...TINY, memtable_bytes: 65_536 };

/** Two tables with overwrites, tombstones and a value of several blocks, and a commit that is only in the log. */
async function goldenStore(): Promise<{ image: DiskImage; state: State }> {
  const disk = new FaultDisk();
  const store = await openOn(disk, CONFIG);
  for (let step = 0; step < 60; step += 1) {
    await store.commit([change(`key-${step % 40}`, filler(step, 20))], { durable: false });
  }
  await store.commit([change('large', filler(0, 9_000)), change('empty', '')], { durable: false });
  await store.compact();
  const bytes = { key: Buffer.from('new'), value: Uint8Array.of(0xff, 0) };
  await store.commit([change('key-7', undefined), change('key-8', 'changed'), bytes], { durable: true });
  await store.backup('/backup');
  await store.commit([change('key-9', 'only in the log')], { durable: true });
  const state = stateOf(store);
  await store.close();
  return { image: disk.image(), state };
}

test('the golden store of version 1 opens, verifies and holds what was written', async () => {
  const names = readdirSync(GOLDEN);
  const files = new Map(
    names.map((name) => [`${DIRECTORY}/${name}`, new Uint8Array(readFileSync(join(GOLDEN, name)))]),
  );
  const store = await openOn(new FaultDisk({ directories: ['/', DIRECTORY], files, story: 'golden' }), CONFIG);
  expect(stateOf(store)).toEqual((await goldenStore()).state);
  expect(await store.verify()).toEqual([]);
  await store.close();
});

test('the same commits give the same tables and manifest today', async () => {
  const { image } = await goldenStore();
  const names = readdirSync(GOLDEN).filter((name) => !name.startsWith('wal-'));
  expect(names.length).toBe(3);
  for (const name of names) {
    const today = Buffer.from(image.files.get(`${DIRECTORY}/${name}`) ?? []);
    expect(today.equals(readFileSync(join(GOLDEN, name))), name).toBe(true);
  }
});
