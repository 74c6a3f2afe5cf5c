/**
 * Random lives of a store on a disk whose calls fail now and then while the next ones succeed: commits that overlap,
 * compactions, verifications, and a close, a kill or a power cut at the end. The next life finds every commit that was
 * acknowledged as durable, none that was refused, no gap before the last one, and what an earlier life found.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { byDepth } from '../support/depth.ts';
import { turns } from '../support/turns.ts';
import { FaultDisk, type Operation } from './fault-disk.ts';
import { FAULT_DISK_ENGINES } from './fault-disk-engines.ts';

const RUNS = byDepth({ sample: 12, dense: 100, long: 5_000 });

/** The calls that a fault can hit. */
const CALLS: readonly ((operation: Operation) => boolean)[] = [
  () => true,
  ({ kind }) => kind === 'write',
  ({ kind, path }) => (kind === 'sync' || kind === 'syncNow') && path.includes('/wal-'),
  ({ kind, path }) => (kind === 'sync' || kind === 'syncNow') && !path.includes('/wal-'),
  ({ kind }) => ['openFile', 'truncate', 'rename', 'remove', 'syncDirectory'].includes(kind),
];

const zFault = fc.record({
  kind: fc.constantFrom('EIO' as const, 'ENOSPC' as const, 'short' as const),
  calls: fc.nat({ max: CALLS.length - 1 }),
  skip: fc.nat({ max: 60 }),
});
const zStep = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      size: fc.constantFrom(10, 900, 9_000, 70_000),
      durable: fc.boolean(),
      offThread: fc.boolean(),
      turns: fc.nat({ max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('compact' as const, 'verify' as const) }) },
);
const zLife = fc.record({
  steps: fc.array(zStep, { minLength: 5, maxLength: 40 }),
  faults: fc.array(zFault, { maxLength: 2 }),
  end: fc.constantFrom('close' as const, 'kill' as const, 'cut' as const),
  image: fc.nat(),
});
type Life = typeof zLife extends fc.Arbitrary<infer Value> ? Value : never;

/** A commit of two keys, and what its writer was told. */
interface Commit {
  readonly number: number;
  readonly durable: boolean;
  outcome: 'unknown' | 'done' | 'failed' | 'refused';
}

/** Injects each fault once, at the call that it names. */
function inject(disk: FaultDisk, faults: Life['faults']): void {
  const left = faults.map((fault) => ({ ...fault }));
  disk.fault = (operation) => {
    const at = left.findIndex((fault) => CALLS[fault.calls]!(operation) && fault.skip-- === 0);
    if (at < 0) return undefined;
    const [{ kind }] = left.splice(at, 1) as [Life['faults'][number]];
    return kind === 'short' && operation.kind !== 'write' ? 'ENOSPC' : kind;
  };
}

/** The commits that are there. Fails for a half one. */
function numbersIn(engine: KeyValueEngine): Set<number> {
  const keys = [...engine.range()].map(({ key }) => Buffer.from(key).toString());
  const numbers = new Set(keys.map((key) => Number.parseInt(key, 10)));
  expect(keys.toSorted()).toEqual([...numbers].flatMap((number) => [`${number}a`, `${number}b`]).toSorted());
  return numbers;
}

/** A store over several lives. */
class Lives {
  #disk = new FaultDisk();
  /** Commits found by an earlier life. */
  #kept = new Set<number>();
  /** Commits of the last life. */
  #commits: Commit[] = [];
  #count = 0;
  readonly #open: (disk: FaultDisk) => Promise<KeyValueEngine>;

  constructor(open: (disk: FaultDisk) => Promise<KeyValueEngine>) {
    this.#open = open;
  }

  async live({ steps, faults, end, image }: Life): Promise<void> {
    const engine = await this.check();
    inject(this.#disk, faults);
    const work: Promise<unknown>[] = [];
    for (const step of steps) {
      if (step.kind !== 'commit') work.push(engine[step.kind]().catch(expectTyped));
      else work.push(this.#commit(engine, step));
      if (step.kind === 'commit') await turns(step.turns);
    }
    if (end === 'close') {
      await engine.close().catch(expectTyped);
      await Promise.all(work);
      expect(this.#disk.open.size).toBe(0);
    }
    for (const commit of this.#commits) if (commit.outcome === 'unknown') commit.outcome = 'failed';
    this.#disk = end === 'kill' ? this.#disk.afterKill() : new FaultDisk(this.#disk.crashImage(image));
  }

  /** Opens the store and compares it with what the writers of the last life were told. */
  async check(): Promise<KeyValueEngine> {
    const engine = await this.#open(this.#disk);
    const found = numbersIn(engine);
    const told = this.#commits;
    const last = told.findLastIndex(({ number, ...commit }) => isDurable(commit) || found.has(number));
    const lost = told.slice(0, last + 1).filter(({ number, outcome }) => outcome === 'done' && !found.has(number));
    const back = told.filter(({ number, outcome }) => outcome === 'refused' && found.has(number));
    const first = told[0]?.number ?? this.#count;
    expect([lost, back]).toEqual([[], []]);
    expect(new Set([...found].filter((number) => number < first))).toEqual(this.#kept);
    expect(await engine.verify()).toEqual([]);
    this.#kept = found;
    this.#commits = [];
    return engine;
  }

  async #commit(
    engine: KeyValueEngine,
    { size, durable, offThread }: { readonly size: number; readonly durable: boolean; readonly offThread: boolean },
  ): Promise<void> {
    const commit: Commit = { number: this.#count, durable, outcome: 'unknown' };
    this.#count += 1;
    this.#commits.push(commit);
    const value = Buffer.alloc(size, commit.number);
    const batch = ['a', 'b'].map((part) => ({ key: Buffer.from(`${commit.number}${part}`), value }));
    const tell = (outcome: Commit['outcome']): void => {
      if (commit.outcome === 'unknown') commit.outcome = outcome;
    };
    await engine.commit(batch, { durable, offThread }).then(
      () => tell('done'),
      (error: unknown) => tell(expectTyped(error).code === 'STORAGE_READ_ONLY' ? 'refused' : 'failed'),
    );
  }
}

function isDurable({ durable, outcome }: Omit<Commit, 'number'>): boolean {
  return durable && outcome === 'done';
}

function expectTyped(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  throw error;
}

describe.each(FAULT_DISK_ENGINES)('$name', ({ open }) => {
  test('keeps what it has acknowledged, whatever fails once', async () => {
    const several = fc.array(zLife, { minLength: 2, maxLength: 4 });
    const property = fc.asyncProperty(several, async (lives) => {
      const store = new Lives(open);
      for (const life of lives) await store.live(life);
      await (await store.check()).close();
    });
    const interruptAfterTimeLimit = byDepth({ sample: 10_000, dense: 30_000, long: 1_200_000 });
    await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit });
  }, 1_300_000);
});
