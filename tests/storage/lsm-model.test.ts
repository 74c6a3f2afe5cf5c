/**
 * Random operations compared with a sorted map: commits, ranges, snapshots, reopens, compactions and power cuts in any
 * order. A shrunk failing run becomes a test below, named after its cause.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry, RangeOptions, Snapshot } from '../../src/storage/engine.ts';
import type { LsmEngine } from '../../src/storage/lsm/engine.ts';
import { byDepth } from '../support/depth.ts';
import { FaultDisk } from './fault-disk.ts';
import { change, contents, filler, Ledger, openOn, type State, text } from './lsm-helpers.ts';

type Step =
  | { readonly kind: 'commit'; readonly keys: readonly number[]; readonly size: number; readonly durable: boolean }
  | { readonly kind: 'delete'; readonly keys: readonly number[]; readonly durable: boolean }
  | { readonly kind: 'burst'; readonly count: number }
  | { readonly kind: 'get'; readonly key: number }
  | {
      readonly kind: 'range';
      readonly from: number;
      readonly to: number;
      readonly reverse: boolean;
      readonly limit: number;
      readonly open: boolean;
    }
  | { readonly kind: 'hold' | 'release' | 'reopen' | 'compact' | 'verify' | 'backup' }
  | { readonly kind: 'walk'; readonly reverse: boolean }
  | { readonly kind: 'advance'; readonly count: number }
  | { readonly kind: 'crash'; readonly image: number };

const KEYS = 40;
const key = fc.nat(KEYS - 1);
const keys = fc.array(key, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('commit' as const), keys, size: fc.nat(1_200), durable: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delete' as const), keys, durable: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('burst' as const), count: fc.nat(12) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('get' as const), key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('range' as const),
      from: key,
      to: key,
      reverse: fc.boolean(),
      limit: fc.integer({ min: 0, max: KEYS }),
      open: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'release' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('reopen' as const, 'compact' as const, 'verify' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('backup' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('walk' as const), reverse: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('advance' as const), count: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), image: fc.nat(1_000) }) },
);

const nameOf = (number: number): string => `key-${String(number % KEYS).padStart(3, '0')}`;

class Run {
  #disk = new FaultDisk();
  #engine!: LsmEngine;
  #ledger = new Ledger();
  #held: { readonly snapshot: Snapshot; readonly state: State } | undefined;
  /** An iterator that is left open while the store changes, and the entries that it must still return. */
  #walk: { readonly iterator: IterableIterator<Entry>; readonly left: [string, string][] } | undefined;
  #steps = 0;
  #backups = 0;

  async start(): Promise<void> {
    this.#engine = await openOn(this.#disk);
  }

  get state(): State {
    return this.#ledger.states.at(-1)!;
  }

  async take(step: Step): Promise<void> {
    this.#steps += 1;
    switch (step.kind) {
      case 'commit': {
        const batch = step.keys.map((number, at) => change(nameOf(number), filler(this.#steps + at, step.size)));
        return this.#ledger.commit(this.#engine, batch, step.durable);
      }
      case 'delete':
        return this.#ledger.commit(
          this.#engine,
          step.keys.map((number) => change(nameOf(number), undefined)),
          step.durable,
        );
      case 'burst':
        return this.#burst(step.count);
      case 'get':
        return this.#get(step.key);
      case 'range':
        return this.#range(step);
      case 'hold':
        this.#held?.snapshot.release();
        this.#held = { snapshot: this.#engine.snapshot(), state: this.state };
        return;
      case 'release':
        this.#checkHeld();
        this.#held?.snapshot.release();
        this.#held = undefined;
        return;
      case 'reopen':
        await this.#engine.close();
        return this.#opened(this.#disk);
      case 'compact':
        await this.#engine.compact();
        this.#ledger.settle();
        return this.#checkHeld();
      case 'verify':
        expect(await this.#engine.verify()).toEqual([]);
        return;
      case 'backup':
        return this.#backup();
      case 'walk':
        return this.#walkFrom(step.reverse);
      case 'advance':
        return this.#advance(step.count);
      case 'crash':
        return this.#crash(step.image);
    }
  }

  async finish(): Promise<void> {
    this.#advance(KEYS + 1);
    this.#checkHeld();
    expect(contents(this.#engine)).toEqual(this.state);
    expect(await this.#engine.verify()).toEqual([]);
    await this.#engine.close();
  }

  /** Concurrent commits. */
  async #burst(count: number): Promise<void> {
    const commits = Array.from({ length: count }, (_, at) =>
      this.#ledger.commit(this.#engine, [change(nameOf(at * 7), `burst ${this.#steps}.${at}`)], at % 2 === 0),
    );
    await Promise.all(commits);
  }

  #get(number: number): void {
    const found = this.#engine.get(Buffer.from(nameOf(number), 'latin1'));
    expect(found === undefined ? undefined : text(found)).toBe(this.state.get(nameOf(number)));
  }

  #range(step: Extract<Step, { kind: 'range' }>): void {
    const low = Buffer.from(nameOf(step.from), 'latin1');
    const high = Buffer.from(nameOf(step.to), 'latin1');
    const { reverse, limit } = step;
    const bounds: RangeOptions = step.open ? { gt: low, lt: high } : { gte: low, lte: high };
    const found = [...this.#engine.range({ ...bounds, reverse, limit })].map((entry) => [
      text(entry.key),
      text(entry.value),
    ]);
    const inside = [...this.state]
      .filter(([name]) =>
        step.open
          ? name > nameOf(step.from) && name < nameOf(step.to)
          : name >= nameOf(step.from) && name <= nameOf(step.to),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1));
    expect(found).toEqual((reverse ? inside.reverse() : inside).slice(0, limit));
  }

  #walkFrom(reverse: boolean): void {
    this.#walk?.iterator.return?.();
    const all = [...this.state].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#walk = { iterator: this.#engine.range({ reverse }), left: reverse ? all.reverse() : all };
    this.#advance(1);
  }

  #advance(count: number): void {
    if (this.#walk === undefined) return;
    const { iterator, left } = this.#walk;
    for (let step = 0; step < count; step += 1) {
      const { value } = iterator.next() as { value: Entry | undefined };
      expect(value && [text(value.key), text(value.value)]).toEqual(left.shift());
    }
  }

  #checkHeld(): void {
    if (this.#held === undefined) return;
    expect(contents(this.#held.snapshot)).toEqual(this.#held.state);
    const name = nameOf(this.#steps);
    const value = this.#held.snapshot.get(Buffer.from(name, 'latin1'));
    expect(value === undefined ? undefined : text(value)).toBe(this.#held.state.get(name));
  }

  async #backup(): Promise<void> {
    this.#backups += 1;
    const target = `/backup-${this.#backups}`;
    const { state } = this;
    await this.#engine.backup(target);
    const files = new Map(
      [...this.#disk.image().files]
        .filter(([path]) => path.startsWith(`${target}/`))
        .map(([path, bytes]) => [path.replace(target, '/store'), bytes]),
    );
    const copy = await openOn(new FaultDisk({ directories: ['/', '/store'], files, story: 'backup' }));
    expect(contents(copy)).toEqual(state);
    expect(await copy.verify()).toEqual([]);
    await copy.close();
  }

  /** Cuts the power while background work may run, and reopens one of the possible disks. */
  async #crash(pick: number): Promise<void> {
    this.#disk.fault = () => 'cut';
    await this.#engine.close().catch(() => undefined);
    const images = this.#disk.crashImages(64);
    const image = images[pick % images.length]!;
    this.#disk = new FaultDisk(image);
    await this.#opened(this.#disk);
    const found = contents(this.#engine);
    this.#ledger.expectLegal(found, image.story);
    this.#ledger = new Ledger();
    this.#ledger.states[0] = found;
  }

  async #opened(disk: FaultDisk): Promise<void> {
    this.#held = undefined;
    this.#walk = undefined;
    this.#engine = await openOn(disk);
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 60, size: 'max' });

async function play(all: readonly Step[]): Promise<void> {
  const run = new Run();
  await run.start();
  for (const each of all) await run.take(each);
  await run.finish();
}

const LIMIT_MS = byDepth({ sample: 8_000, dense: 8_000, long: 1_800_000 });

test(
  'random work agrees with a sorted map',
  async () => {
    const runs = { numRuns: byDepth({ sample: 30, dense: 150, long: 20_000 }), interruptAfterTimeLimit: LIMIT_MS };
    await fc.assert(fc.asyncProperty(steps, play), runs);
  },
  LIMIT_MS * 2 + 20_000,
);

test('two compactions of an empty store, each with its empty record, leave a log that opens', async () => {
  await play([{ kind: 'compact' }, { kind: 'compact' }, { kind: 'reopen' }, { kind: 'get', key: 0 }]);
});

test('commits that were flushed but never synced leave no gap in the log after a power cut', async () => {
  const commit: Step = { kind: 'commit', keys: [0], size: 0, durable: false };
  const start: Step[] = [commit, { kind: 'backup' }, { kind: 'crash', image: 0 }, commit, commit];
  for (let image = 0; image < 12; image += 1) await play([...start, { kind: 'crash', image }, commit]);
});
