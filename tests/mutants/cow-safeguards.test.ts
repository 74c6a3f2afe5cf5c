/**
 * Safeguards of `cow` that other tests did not cover: work during a checkpoint or a compaction, pages that are valid
 * but wrong, and faults that `verify` must find.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Branch, NodeRef } from '../../src/storage/cow/branch.ts';
import { openCow } from '../../src/storage/cow/engine.ts';
import { decodeMeta, UNIT_BYTES, unitsOf } from '../../src/storage/cow/format.ts';
import { openFiles } from '../../src/storage/cow/open.ts';
import { verifyTree } from '../../src/storage/cow/verify.ts';
import { crc32c } from '../../src/storage/crc32c.ts';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { nodeDisk } from '../../src/storage/node-disk.ts';
import { openWal } from '../../src/storage/wal.ts';
import {
  after,
  change,
  DURABLE,
  isSame,
  LAZY,
  type Ledger,
  manyPuts,
  matchingState,
  openOn,
  SMALL,
  type State,
  stateOf,
} from '../storage/cow-helpers.ts';
import { type DiskImage, FaultDisk } from '../storage/fault-disk.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';
import { cuts } from './cuts.ts';

const PAGE_FILE = '/store/tree.db';

/** A store that outgrows its cache, on the real disk. */
async function withLarge(work: (engine: KeyValueEngine, directory: string) => Promise<void>): Promise<void> {
  const directory = temporaryFolder('cow-large');
  const engine = await openCow({ directory, disk: nodeDisk, config: SMALL });
  await work(engine, directory);
  await engine.close();
}

const KEYS = 1_000;
const VALUE = 'v'.repeat(1_200);

/** Every key with a value of this round; each round fills the log enough for a checkpoint, which may last for some rounds. */
async function round(engine: KeyValueEngine, number: number): Promise<void> {
  for (let from = 0; from < KEYS; from += 100) {
    const batch = Array.from({ length: 100 }, (_, at) => change(`key-${from + at}`, `${number} ${VALUE}`));
    await engine.commit(batch, LAZY);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function roundsIn(state: State): Set<string> {
  return new Set([...state.values()].map((value) => value.slice(0, value.indexOf(' '))));
}

describe('while checkpoints are written', () => {
  test('a snapshot keeps its pages, however many follow', async () => {
    await withLarge(async (engine) => {
      let checkpoints = 0;
      engine.on('checkpointed', () => {
        checkpoints += 1;
      });
      await round(engine, 1);
      const snapshot = engine.snapshot();
      let last = 1;
      while (last < 5 || checkpoints < 3) {
        last += 1;
        await round(engine, last);
      }
      expect(stateOf(snapshot).size).toBe(KEYS);
      expect(roundsIn(stateOf(snapshot))).toEqual(new Set(['1']));
      expect(roundsIn(stateOf(engine))).toEqual(new Set([String(last)]));
      snapshot.release();
      expect(await engine.verify()).toEqual([]);
    });
  });

  test('commits go on, and what is on the disk in the end is what was committed', async () => {
    await withLarge(async (engine, directory) => {
      let checkpoints = 0;
      engine.on('checkpointed', () => {
        checkpoints += 1;
      });
      for (let number = 1; number <= 4 || checkpoints < 2; number += 1) await round(engine, number);
      await engine.commit([change('last', 'durable')], DURABLE);
      const expected = stateOf(engine);
      // What a killed process leaves: the files as they are, with the log behind the newest checkpoint.
      const again = await openCow({ directory: copyOf(directory), disk: nodeDisk, config: SMALL });
      expect(isSame(stateOf(again), expected)).toBe(true);
      expect(await again.verify()).toEqual([]);
      await again.close();
    });
  });
});

function copyOf(directory: string): string {
  const copy = join(directory, 'killed');
  nodeDisk.makeDirectory(copy);
  for (const name of nodeDisk.list(directory)) {
    if (name === 'killed') continue;
    const from = nodeDisk.openFile(join(directory, name), 'read');
    const to = nodeDisk.openFile(join(copy, name), 'create');
    to.write(0, from.read(0, from.size()));
    from.close();
    to.close();
  }
  return copy;
}

const LIVES = 3;
const COMMITS = 14;

/** Lives that each fill more than one segment, end with a checkpoint and give segments back. */
async function longLives(disk: FaultDisk): Promise<Ledger> {
  const ledger: Ledger = { states: [new Map()], durable: 0 };
  try {
    for (let life = 0; life < LIVES; life += 1) {
      const engine = await openOn(disk);
      for (let commit = 0; commit < COMMITS; commit += 1) {
        const batch = [change(`k${commit}`, `${life} `.repeat(2_500)), change('last', `${life}.${commit}`)];
        ledger.states.push(after(ledger.states.at(-1)!, batch));
        await engine.commit(batch, DURABLE);
        ledger.durable = ledger.states.length - 1;
      }
      await engine.close();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return ledger;
}

describe('a checkpoint', () => {
  test('is durable before the log is given back or a page is used again, whatever call the power goes off at', async () => {
    for await (const { ledger, disk, story } of cuts(longLives, 5, byDepth({ sample: 8, dense: 1 }))) {
      const engine = await openOn(disk);
      expect(matchingState(ledger, stateOf(engine)), story).toBeGreaterThanOrEqual(ledger.durable);
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

describe('a compaction', () => {
  test('keeps what is committed while it runs, also when the process is killed right after', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit(manyPuts('k', 80, 'before'), DURABLE);
    let isDone = false;
    const compacting = engine.compact().then(() => {
      isDone = true;
    });
    let commits = 0;
    while (!isDone) {
      // Several a turn: some before, some after each step of the compaction.
      for (let more = 0; more < 10; more += 1) {
        await engine.commit([change(`m${commits}`, 'meanwhile'), change('k07', `meanwhile ${commits}`)], LAZY);
        commits += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await compacting;
    const expected = stateOf(engine);
    expect(expected.size).toBe(80 + commits);
    expect(expected.get('k07')).toBe(`meanwhile ${commits - 1}`);
    const killed = await openOn(new FaultDisk(disk.image()));
    expect(stateOf(killed)).toEqual(expected);
    expect(await killed.verify()).toEqual([]);
  });

  test('leaves no deleted byte on the disk', async () => {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit([change('gone', 'SECRET '.repeat(20)), change('long', 'SECRET '.repeat(2_000))], DURABLE);
    await engine.commit([change('gone', undefined), change('long', undefined), change('kept', 'plain')], DURABLE);
    await engine.compact();
    for (const image of [disk.image(), ...disk.crashImages()]) {
      for (const [path, bytes] of image.files) {
        expect(Buffer.from(bytes).includes('SECRET'), `${path}, ${image.story}`).toBe(false);
      }
    }
    await engine.close();
  });
});

/** A closed store and one that goes on from it, so that every page of the first one has an older self. */
async function twoAges(): Promise<{ readonly young: DiskImage; readonly old: DiskImage; readonly state: State }> {
  const disk = new FaultDisk();
  for (let age = 0; age < 6; age += 1) {
    const engine = await openOn(disk);
    await engine.commit(manyPuts('k', 60, `age ${age}`), DURABLE);
    await engine.close();
  }
  const old = disk.image();
  const engine = await openOn(disk);
  await engine.commit(manyPuts('k', 60, 'age 9'), DURABLE);
  await engine.close();
  const again = await openOn(disk);
  await again.commit(manyPuts('k', 60, 'age 7'), DURABLE);
  const state = stateOf(again);
  await again.close();
  return { young: disk.image(), old, state };
}

/** What is read from an image; null when it is refused or `verify` finds something. */
async function answerOf(image: DiskImage): Promise<State | null> {
  try {
    const engine = await openOn(new FaultDisk(image));
    const state = stateOf(engine);
    return (await engine.verify()).length === 0 ? state : null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORAGE_CORRUPT', file: expect.stringMatching(/^(tree\.db|wal-)/) });
    return null;
  }
}

describe('damage with good checksums', () => {
  test('a page whose last write was lost is noticed', async () => {
    const { young, old, state } = await twoAges();
    const whole = young.files.get(PAGE_FILE)!;
    const before = old.files.get(PAGE_FILE)!;
    let noticed = 0;
    for (let unit = 2; (unit + 1) * UNIT_BYTES <= Math.min(whole.length, before.length); unit += 1) {
      const [from, to] = [unit * UNIT_BYTES, (unit + 1) * UNIT_BYTES];
      if (Buffer.compare(whole.subarray(from, to), before.subarray(from, to)) === 0) continue;
      const bytes = whole.slice();
      bytes.set(before.subarray(from, to), from);
      const answer = await answerOf({ ...young, files: new Map(young.files).set(PAGE_FILE, bytes) });
      if (answer === null) noticed += 1;
      else expect(isSame(answer, state), `unit ${unit}`).toBe(true);
    }
    expect(noticed).toBeGreaterThan(0);
  });

  test('a page file that was cut short by a byte that nothing uses is refused at open', async () => {
    const { young } = await twoAges();
    const bytes = young.files.get(PAGE_FILE)!;
    const cut = { ...young, files: new Map(young.files).set(PAGE_FILE, bytes.slice(0, bytes.length - 1)) };
    await expect(openOn(new FaultDisk(cut))).rejects.toMatchObject({ code: 'STORAGE_CORRUPT', file: 'tree.db' });
  });

  test('a flipped bit of a meta page never loses what the log holds', async () => {
    const disk = new FaultDisk();
    const first = await openOn(disk);
    await first.commit(manyPuts('k', 40, 'old'), DURABLE);
    await first.close();
    const engine = await openOn(disk);
    for (let commit = 0; commit < 6; commit += 1) await engine.commit([change(`new ${commit}`, 'durable')], DURABLE);
    const expected = stateOf(engine);
    const image = disk.image();
    for (const slot of [0, 1]) {
      for (let bit = 0; bit < 84 * 8; bit += 3) {
        const broken = new FaultDisk(image);
        broken.flip(PAGE_FILE, slot * UNIT_BYTES + (bit >> 3), bit & 7);
        const found = await answerOf(broken.image());
        if (found !== null) expect(isSame(found, expected), `meta ${slot}, bit ${bit}`).toBe(true);
      }
    }
  });

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

describe('verify', () => {
  /** A store with a branch and leaves, opened below the engine, where it can be bent. */
  async function openBelow() {
    const disk = new FaultDisk();
    const engine = await openOn(disk);
    await engine.commit(manyPuts('k', 90, 'value'), DURABLE);
    await engine.close();
    const { store } = await openFiles({ directory: '/store', disk, config: SMALL });
    const { root, keys, bytes } = store.tree;
    const progress = (): void => {};
    const others = store.pagesOutsideTree();
    const given = { file: store.file, units: store.units, state: { root, keys, bytes }, others, progress };
    expect(await verifyTree(given)).toEqual([]);
    const branch = root.node;
    if (!(branch instanceof Branch)) throw new Error('The root is no branch.');
    expect(branch.children.length).toBeGreaterThan(1);
    return { store, given, branch };
  }

  async function whatIsWrong(given: Parameters<typeof verifyTree>[0]): Promise<string> {
    return (await verifyTree(given)).map(({ what }) => what).join('; ');
  }

  test('counts keys and bytes', async () => {
    const { given } = await openBelow();
    const { state } = given;
    expect(await whatIsWrong({ ...given, state: { ...state, keys: state.keys + 1 } })).toContain('keys');
    expect(await whatIsWrong({ ...given, state: { ...state, bytes: state.bytes + 1 } })).toContain('bytes');
  });

  test('sees who owns a page', async () => {
    const { given, store, branch } = await openBelow();
    const [leaf] = branch.children;
    expect(await whatIsWrong({ ...given, others: [...given.others, leaf!] })).toContain('belongs to 2 pages');
    store.units.take(unitsOf(UNIT_BYTES));
    expect(await whatIsWrong({ ...given, units: store.units })).toContain('belong to no page');
    store.units.free(leaf!);
    expect(await whatIsWrong({ ...given, units: store.units })).toContain('marked free');
  });

  test('sees keys out of order, inside a leaf and between leaves', async () => {
    const { given, store, branch } = await openBelow();
    const [first, second] = branch.children;
    const leaf = store.file.readNode(first!) as Extract<ReturnType<typeof store.file.readNode>, { level: 0 }>;
    const mixed = leaf.copy();
    mixed.appendFrom(leaf, 0, 1);
    const place = { unit: store.units.take(unitsOf(mixed.pageBytes)), checkpoint: 1 };
    const ref = new NodeRef(0, mixed, 0);
    store.file.writeNode(ref, mixed, place);
    const state = { ...given.state, root: NodeRef.onDisk(ref, 0) };
    expect(await whatIsWrong({ ...given, state })).toContain('out of order');
    branch.children.splice(0, 2, second!, first!);
    const root = new NodeRef(1, given.state.root.node, 0);
    expect(await whatIsWrong({ ...given, state: { ...given.state, root } })).toContain('outside its parent');
  });
});
