/**
 * Random operations on a store, compared with a sorted map: commits of both kinds, long-lived snapshots, ranges,
 * commits during checkpoints, reopens, kills, power cuts, compactions, backups.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCow } from '../../src/storage/cow/engine.ts';
import type { Change, KeyValueEngine, RangeOptions, Snapshot } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth } from '../support/depth.ts';
import { after, change, isSame, openOn, SMALL, type State, stateOf } from './cow-helpers.ts';
import { FaultDisk } from './fault-disk.ts';

const RUNS = byDepth({ sample: 8, dense: 30, long: 1_500 });

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
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cut while busy' as const),
      call: fc.nat({ max: 90 }),
      image: fc.nat(),
      seed: fc.nat(),
    }),
  },
);
type Step = typeof zStep extends fc.Arbitrary<infer Value> ? Value : never;

/** A store, and every state requested since the last one that is certain to survive. */
class Life {
  disk = new FaultDisk();
  engine!: KeyValueEngine;
  states: State[] = [new Map()];
  /** The newest state that was acknowledged as durable: a power cut leaves this one or a later one. */
  durable = 0;
  snapshots: { readonly snapshot: Snapshot; readonly state: State }[] = [];
  backups = 0;

  get state(): State {
    return this.states.at(-1)!;
  }

  async commit(batch: readonly Change[], durable: boolean): Promise<void> {
    const index = this.states.push(after(this.state, batch)) - 1;
    await this.engine.commit(batch, { durable });
    if (durable) this.durable = Math.max(this.durable, index);
  }

  settled(): void {
    this.states = [this.state];
    this.durable = 0;
  }

  async restart(disk: FaultDisk): Promise<void> {
    this.snapshots = [];
    this.disk = disk;
    this.engine = await openOn(disk);
    const found = stateOf(this.engine);
    const index = this.states.findLastIndex((state) => isSame(state, found));
    expect(index).toBeGreaterThanOrEqual(this.durable);
    // Recovery makes the visible state durable.
    this.states = [this.states[index]!];
    this.durable = 0;
  }

  async restartAfterCut(choice: number): Promise<void> {
    await this.restart(new FaultDisk(this.disk.crashImage(choice)));
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
    case 'cut':
      return life.restartAfterCut(step.image);
    case 'cut while busy':
      return cutWhileBusy(life, step);
    case 'compact':
      await engine.compact();
      return life.settled();
    case 'backup':
      return expectBackup(life);
  }
}

/** Enough commits to start a checkpoint, and further ones while it runs. */
async function flood(life: Life, seed: number): Promise<void> {
  const name = (index: number): string => `k${String((seed + index * 37) % 400).padStart(4, '0')}`;
  const large = Array.from({ length: 12 }, (_, index) => {
    const batch = [change(`flood${index}`, 'F'.repeat(90_000 + index)), change(name(index), undefined)];
    return life.commit(batch, index % 4 === 3);
  });
  await Promise.all(large);
  for (let index = 0; index < 24; index += 1) {
    await life.commit(
      [change(name(index), `during ${seed}`), change(`flood${index % 12}`, undefined)],
      index % 5 === 0,
    );
  }
}

/** Cuts the power at a call during many commits: at one of the commits or of the concurrent checkpoint. */
async function cutWhileBusy(
  life: Life,
  cut: { readonly call: number; readonly image: number; readonly seed: number },
): Promise<void> {
  life.disk.failAt(life.disk.operations + 1 + cut.call, 'cut');
  try {
    await flood(life, cut.seed);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
  life.disk.fault = undefined;
  await life.restartAfterCut(cut.image);
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

test('random operations give the same answers as a sorted map', async () => {
  await fc.assert(fc.asyncProperty(fc.array(zStep, { minLength: 5, maxLength: 40 }), live), {
    numRuns: RUNS,
    interruptAfterTimeLimit: byDepth({ sample: 8_000, dense: 8_000, long: 1_200_000 }),
  });
}, 1_300_000);
