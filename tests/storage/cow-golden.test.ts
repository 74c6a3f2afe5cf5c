/**
 * A store written by the first release of format version 1, kept as files: today's code reads it, and writes the same
 * page file for the same commits. A difference is a new format version (docs/formats/cow.md) with its own golden store.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openOn } from './cow-helpers.ts';
import { type DiskImage, FaultDisk } from './fault-disk.ts';
import { after, change, DURABLE, LAZY, manyPuts, type State, stateOf } from './states.ts';

const GOLDEN = join(import.meta.dirname, 'cow-golden', 'v1');

/** Several leaves, a branch, a value page, freed pages, two checkpoints, and two commits that are only in the log. */
async function goldenStore(): Promise<{ readonly image: DiskImage; readonly state: State }> {
  const disk = new FaultDisk();
  const first = await openOn(disk);
  await first.commit(
    [...manyPuts('k', 70, 'value'), change('large', 'L'.repeat(13_000)), change('empty', '')],
    DURABLE,
  );
  await first.close();
  const second = await openOn(disk);
  await second.commit([change('k05', 'changed'), change('k06', undefined), change('new', 'é')], LAZY);
  await second.close();
  const third = await openOn(disk);
  await third.commit([change('k07', 'only in the log')], LAZY);
  await third.commit([change('k08', undefined)], DURABLE);
  return { image: disk.image(), state: stateOf(third) };
}

function goldenImage(): DiskImage {
  const files = readdirSync(GOLDEN).map((name): [string, Uint8Array] => [
    `/store/${name}`,
    new Uint8Array(readFileSync(join(GOLDEN, name))),
  ]);
  return { directories: ['/', '/store'], files: new Map(files), story: 'golden' };
}

describe('the golden store of version 1', () => {
  test('opens, verifies and holds what was written', async () => {
    const engine = await openOn(new FaultDisk(goldenImage()));
    const { state } = await goldenStore();
    expect(stateOf(engine)).toEqual(state);
    expect(state.get('k07')).toBe('only in the log');
    expect(await engine.verify()).toEqual([]);
    await engine.close();
  });

  test('can be written on, and opened again', async () => {
    const disk = new FaultDisk(goldenImage());
    const engine = await openOn(disk);
    const before = stateOf(engine);
    const batch = [change('k09', 'today'), change('large', undefined)];
    await engine.commit(batch, DURABLE);
    await engine.close();
    const again = await openOn(disk);
    expect(stateOf(again)).toEqual(after(before, batch));
    expect(await again.verify()).toEqual([]);
    await again.close();
  });

  test('has the page file that the same commits give today', async () => {
    const { image } = await goldenStore();
    const today = Buffer.from(image.files.get('/store/tree.db')!);
    expect(today.equals(readFileSync(join(GOLDEN, 'tree.db')))).toBe(true);
  });
});
