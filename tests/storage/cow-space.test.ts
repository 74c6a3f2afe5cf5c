/** The space of old versions: reused, kept for readers, and freed by compaction. */
import { describe, expect, test } from 'vitest';
import { openCow } from '../../src/storage/cow/engine.ts';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { openOn, SMALL } from './cow-helpers.ts';
import { FaultDisk } from './fault-disk.ts';
import { change, DURABLE, LAZY, manyPuts, stateOf } from './states.ts';

/** Overwrites everything until a checkpoint has run. */
async function overwriteUntilCheckpoint(engine: KeyValueEngine, round: number): Promise<void> {
  let checkpoints = 0;
  engine.on('checkpointed', () => {
    checkpoints += 1;
  });
  for (let batch = 0; checkpoints === 0; batch += 1) {
    await engine.commit(manyPuts('k', 90, `${'v'.repeat(900)} round ${round}`), LAZY);
    if (batch % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function pageFileBytes(disk: FaultDisk): number {
  return disk.image().files.get('/store/tree.db')!.length;
}

/** The files with the text, whether the power is cut now or not. */
function contains(disk: FaultDisk, text: string): string[] {
  return [disk.image(), ...disk.crashImages()].flatMap(({ files, story }) =>
    [...files].filter(([, bytes]) => Buffer.from(bytes.buffer).includes(text)).map(([path]) => `${path}: ${story}`),
  );
}

describe('old versions', () => {
  test('their pages are reused: repeated overwriting does not grow the file', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    for (let round = 0; round < 3; round += 1) await overwriteUntilCheckpoint(engine, round);
    const settled = pageFileBytes(disk);
    for (let round = 3; round < 8; round += 1) await overwriteUntilCheckpoint(engine, round);
    expect(pageFileBytes(disk)).toBeLessThanOrEqual(settled * 1.2);
    expect(disk.list('/store').length).toBeLessThan(32);
    await engine.close();
  });

  test('a snapshot reads its state from disk after many checkpoints; its pages are freed after its release', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    // Together more than the cache holds.
    await engine.commit(manyPuts('k', 90, 'before '.repeat(2_000)), DURABLE);
    await engine.close();
    const again = await openOn(disk);
    const snapshot = again.snapshot();
    const before = stateOf(again);
    for (let round = 0; round < 4; round += 1) {
      await overwriteUntilCheckpoint(again, round);
      expect(stateOf(snapshot)).toEqual(before);
      expect(await again.verify()).toEqual([]);
    }
    snapshot.release();
    await overwriteUntilCheckpoint(again, 9);
    expect(await again.verify()).toEqual([]);
    expect(again.stats().snapshots).toBe(0);
    await again.close();
  });
});

describe('a store larger than its cache', () => {
  test('gives the same answers as a map while nodes are evicted and checkpoints run', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    const model = new Map<string, string>();
    let checkpoints = 0;
    engine.on('checkpointed', () => {
      checkpoints += 1;
    });
    let seed = 1;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 4_294_967_296) * below);
    };
    const name = (): string => `key-${String(next(9000)).padStart(6, '0')}`;
    for (let round = 0; round < 500 || checkpoints < 2; round += 1) {
      const batch = Array.from({ length: 40 }, () =>
        change(name(), next(5) === 0 ? undefined : `${round} `.repeat(next(90))),
      );
      for (const { key, value } of batch) {
        if (value === undefined) model.delete(Buffer.from(key).toString());
        else model.set(Buffer.from(key).toString(), Buffer.from(value).toString());
      }
      await engine.commit(batch, LAZY);
      const key = name();
      const found = engine.get(Buffer.from(key));
      expect(found === undefined ? undefined : Buffer.from(found).toString()).toBe(model.get(key));
      if (round % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const whole = new Map([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(stateOf(engine)).toEqual(whole);
    // The nodes that the last commits changed may all be in memory.
    await engine.compact();
    expect(stateOf(engine)).toEqual(whole);
    const { liveBytes, cacheBytes, cacheMisses } = engine.stats();
    expect(liveBytes).toBeGreaterThan(SMALL.cache_bytes);
    expect(cacheMisses).toBeGreaterThan(0);
    expect(cacheBytes).toBeLessThan(4 * SMALL.cache_bytes);
    expect(await engine.verify()).toEqual([]);
    await engine.close();
  });
});

describe('compaction', () => {
  test('deleted and overwritten bytes are in no file afterwards, long values and log included', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    const secret = 'SECRET-THAT-MUST-GO';
    await engine.commit(
      [change('a', secret), change('big', secret.repeat(900)), change(`key-${secret}`, 'x')],
      DURABLE,
    );
    await overwriteUntilCheckpoint(engine, 0);
    await engine.commit([change('b', `second ${secret}`)], DURABLE);
    expect(contains(disk, secret)).not.toEqual([]);
    await engine.commit(
      [change('a', 'harmless'), change('big', undefined), change(`key-${secret}`, undefined)],
      DURABLE,
    );
    await engine.commit([change('b', undefined)], LAZY);
    const snapshot = engine.snapshot();
    await engine.compact();
    expect(contains(disk, secret)).toEqual([]);
    expect(Buffer.from(engine.get(Buffer.from('a'))!).toString()).toBe('harmless');
    expect(engine.stats().keys).toBe(91);
    snapshot.release();
    await engine.close();
    expect(contains(disk, secret)).toEqual([]);
  });

  test('commits made meanwhile are all there afterwards and survive a power cut', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    for (let part = 0; part < 30; part += 1) await engine.commit(manyPuts(`part${part}-`, 99, 'x'.repeat(300)), LAZY);
    let isCompacting = true;
    const compacting = engine.compact().finally(() => {
      isCompacting = false;
    });
    let during = 0;
    while (isCompacting) {
      // Several a turn: some come before, some after each step of the compaction.
      for (let more = 0; more < 10; more += 1) {
        await engine.commit(
          [change(`during-${during}`, `${during}`), change(`part${during % 30}-07`, undefined)],
          LAZY,
        );
        during += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await compacting;
    await engine.commit([change('after', 'all')], DURABLE);
    expect(during).toBeGreaterThan(0);
    const found = stateOf(engine);
    expect([...found.keys()].filter((key) => key.startsWith('during-'))).toHaveLength(during);
    expect(await engine.verify()).toEqual([]);
    for (const image of [disk.image(), ...disk.crashImages(6)]) {
      const left = await openOn(new FaultDisk(image));
      expect(stateOf(left)).toEqual(found);
      await left.close();
    }
    await engine.close();
  });

  test.each([
    ['small values', 64, 3000],
    ['values of a kibibyte', 1024, 600],
    ['values just too long for a leaf', 12_300, 60],
  ])('leaves at most 1.5 times the live bytes: %s', async (_, size, count) => {
    const disk = new FaultDisk();
    const engine = await openCow({ directory: '/store', disk, config: { ...SMALL, max_keys_per_node: 128 } });
    const scattered = (index: number) => Buffer.from(String((index * 7919) % count).padStart(16, '0'));
    for (let index = 0; index < count; index += 1) {
      await engine.commit([{ key: scattered(index), value: Buffer.alloc(size, index) }], LAZY);
    }
    await engine.compact();
    const { liveBytes } = engine.stats();
    expect(pageFileBytes(disk)).toBeLessThanOrEqual(liveBytes! * 1.5);
    await engine.close();
  });

  test('an empty store compacts to an empty store', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit(manyPuts('k', 90, 'x'), DURABLE);
    await engine.commit(
      manyPuts('k', 90, 'x').map(({ key }) => ({ key, value: undefined })),
      DURABLE,
    );
    await engine.compact();
    expect(stateOf(engine).size).toBe(0);
    expect(engine.stats()).toMatchObject({ keys: 0, liveBytes: 0 });
    expect(await engine.verify()).toEqual([]);
    await engine.close();
  });
});

test('compaction closes the replaced file off the event loop, and ends when its blocks are free', async () => {
  const disk = new FaultDisk();
  const opened: string[] = [];
  const closed: string[] = [];
  let freed: () => void = () => undefined;
  const open = disk.openFile.bind(disk);
  disk.openFile = (path, mode) => {
    const file = open(path, mode);
    const handle = `${opened.push(path)} ${path}`;
    file.close = () => void closed.push(`at once: ${handle}`);
    file.closeSoon = () => {
      closed.push(`soon: ${handle}`);
      return new Promise((resolve) => {
        freed = resolve;
      });
    };
    return file;
  };
  const engine = await openOn(disk);
  await engine.commit(manyPuts('k', 90, 'v'.repeat(900)), DURABLE);
  const replaced = `${opened.lastIndexOf('/store/tree.db') + 1} /store/tree.db`;
  let isOver = false;
  const compacting = engine.compact().then(() => {
    isOver = true;
  });
  while (!closed.some((line) => line.endsWith(replaced))) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect([isOver, closed.at(-1)]).toEqual([false, `soon: ${replaced}`]);
  freed();
  await compacting;
  await engine.close();
});
