/**
 * Random lives of a store against a sorted map: commits of both kinds, snapshots that outlive them, ranges, checkpoints
 * under way, reopens, kills, power cuts, compactions, backups.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openCow } from '../../src/storage/cow/engine.ts';
import type { Change, KeyValueEngine, RangeOptions, Snapshot } from '../../src/storage/engine.ts';
import { after, change, isLong, isSame, openOn, SMALL, type State, stateOf } from './cow-helpers.ts';
import { FaultDisk } from './fault-disk.ts';

const RUNS = isLong ? 1500 : 30;

const zKey = fc
  .nat({ max: 400 })
  .map((number) => `${number % 7 === 0 ? 'other/prefix/' : 'k'}${String(number).padStart(4, '0')}`);
const zValue = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 12_200, max: 14_000 }).map((size) => 'V'.repeat(size)) },
);
const zChange = fc.record({ key: zKey, value: fc.option(zValue, { nil: undefined, freq: 4 }) });
const zBatch = fc.oneof(
  { weight: 5, arbitrary: fc.array(zChange, { maxLength: 6 }) },
  { weight: 2, arbitrary: fc.array(zChange, { minLength: 60, maxLength: 120 }) },
);
const zRange = fc.record(
  { gte: zKey, gt: zKey, lte: zKey, lt: zKey, reverse: fc.boolean(), limit: fc.nat({ max: 60 }) },
  { requiredKeys: [] },
);

const zStep = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('commit' as const), batch: zBatch, durable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flood' as const), seed: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('range' as const), options: zRange }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('reopen' as const, 'kill' as const, 'compact' as const, 'backup' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), image: fc.nat() }) },
);
type Step = typeof zStep extends fc.Arbitrary<infer Value> ? Value : never;

/** The states the store may show after a power cut: from the last durable one to the newest. */
class Life {
  disk = new FaultDisk();
  engine!: KeyValueEngine;
  possible: State[] = [new Map()];
  snapshots: { readonly snapshot: Snapshot; readonly state: State }[] = [];
  backups = 0;

  get state(): State {
    return this.possible.at(-1)!;
  }

  async commit(batch: readonly Change[], durable: boolean): Promise<void> {
    this.possible.push(after(this.state, batch));
    await this.engine.commit(batch, { durable });
    if (durable) this.settled();
  }

  settled(): void {
    this.possible = [this.state];
  }

  async restart(disk: FaultDisk): Promise<void> {
    this.snapshots = [];
    this.disk = disk;
    this.engine = await openOn(disk);
    const found = stateOf(this.engine);
    const index = this.possible.findLastIndex((state) => isSame(state, found));
    expect(index).toBeGreaterThanOrEqual(0);
    // What was found may still be lost unless recovery made it durable: it did.
    this.possible = [this.possible[index]!];
  }
}

async function take(life: Life, step: Step): Promise<void> {
  const { engine } = life;
  switch (step.kind) {
    case 'commit':
      return life.commit(
        step.batch.map(({ key, value }) => change(key, value)),
        step.durable,
      );
    case 'flood':
      return flood(life, step.seed);
    case 'range':
      return expectRange(engine, life.state, step.options);
    case 'snapshot':
      life.snapshots.push({ snapshot: engine.snapshot(), state: life.state });
      return;
    case 'release':
      life.snapshots.shift()?.snapshot.release();
      return;
    case 'reopen':
      await engine.close();
      life.settled();
      return life.restart(life.disk);
    case 'kill':
      return life.restart(life.disk.afterKill());
    case 'cut': {
      const images = life.disk.crashImages(16);
      return life.restart(new FaultDisk(images[step.image % images.length]));
    }
    case 'compact':
      await engine.compact();
      return life.settled();
    case 'backup':
      return expectBackup(life);
  }
}

/** More than the log may grow without a checkpoint, so that one runs while commits go on. */
async function flood(life: Life, seed: number): Promise<void> {
  const commits: Promise<void>[] = [];
  for (let index = 0; index < 12; index += 1) {
    const key = `flood${(seed + index * 37) % 29}`;
    const batch = [
      change(key, 'F'.repeat(100_000 + index)),
      change(`k${String((seed + index) % 400).padStart(4, '0')}`, undefined),
    ];
    commits.push(life.commit(batch, index % 4 === 3));
  }
  await Promise.all(commits);
  life.settled();
  const rest = Array.from({ length: 29 }, (_, index) => change(`flood${index}`, undefined));
  await life.commit(rest, true);
}

function expectRange(engine: KeyValueEngine, state: State, options: object): void {
  const bounds = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === 'string' ? Buffer.from(value) : value,
  ]);
  const found = [...engine.range(Object.fromEntries(bounds) as RangeOptions)].map(({ key }) =>
    Buffer.from(key).toString(),
  );
  const { gte, gt, lte, lt, reverse, limit } = options as Record<string, string> & {
    reverse?: boolean;
    limit?: number;
  };
  const isInside = (key: string): boolean =>
    (gte === undefined || key >= gte) &&
    (gt === undefined || key > gt) &&
    (lte === undefined || key <= lte) &&
    (lt === undefined || key < lt);
  const expected = [...state.keys()].filter(isInside);
  if (reverse) expected.reverse();
  expect(found).toEqual(expected.slice(0, limit));
}

async function expectBackup(life: Life): Promise<void> {
  life.backups += 1;
  const directory = `/backup${life.backups}`;
  await life.engine.backup(directory);
  const copy = await openCow({ directory, disk: new FaultDisk(life.disk.image()), config: SMALL });
  expect(stateOf(copy)).toEqual(life.state);
  expect(await copy.verify()).toEqual([]);
  await copy.close();
}

async function expectConsistent(life: Life): Promise<void> {
  const { engine } = life;
  expect(stateOf(engine)).toEqual(life.state);
  for (const { snapshot, state } of life.snapshots) expect(stateOf(snapshot)).toEqual(state);
  for (const [key, value] of life.state) expect(Buffer.from(engine.get(Buffer.from(key))!).toString()).toBe(value);
  expect(engine.get(Buffer.from('never'))).toBeUndefined();
  expect(await engine.verify()).toEqual([]);
  expect(engine.stats()).toMatchObject({ keys: life.state.size, snapshots: life.snapshots.length });
  const live = [...life.state].reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  expect(engine.stats().liveBytes).toBe(live);
}

async function live(steps: readonly Step[]): Promise<void> {
  const life = new Life();
  life.engine = await openOn(life.disk);
  for (const step of steps) await take(life, step);
  await expectConsistent(life);
  await life.engine.close();
  const again = await openOn(new FaultDisk(life.disk.image()));
  expect(stateOf(again)).toEqual(life.state);
  await again.close();
}

describe('a random life', () => {
  test('answers as a sorted map would', async () => {
    await fc.assert(fc.asyncProperty(fc.array(zStep, { minLength: 5, maxLength: 40 }), live), {
      numRuns: RUNS,
      interruptAfterTimeLimit: isLong ? 1_200_000 : 8_000,
    });
  }, 1_300_000);
});
