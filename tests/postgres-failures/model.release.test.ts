/**
 * Three logs on one database compared with one sequential model: random commands, several at once, on any of the logs,
 * while connections are cut, copies are reopened and the database is killed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppendResult, RecordedEvent, StreamAppend } from '../../src/storage/event-log.ts';
import type { Storage } from '../../src/storage/open.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open.ts';
import { IS_LONG } from '../support/depth.ts';
import { memoryFolder, removeFolder } from '../support/folders.ts';
import { type Cluster, withPostgres } from '../support/postgres.ts';
import { MessageProxy } from './proxy.ts';
import { expectEqual, expectWhole, isAway, noted } from './support.ts';

const LOGS = 3;
const STREAMS = 3;
const RUNS = IS_LONG ? 150 : 4;
const SETTINGS = 'connect_timeout_ms=1000&poll_ms=50';
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 120_000;

const log = fc.nat({ max: LOGS - 1 });
const stream = fc.nat({ max: STREAMS - 1 }).map((n) => `stream-${n}`);
const append = fc.record({
  log,
  stream,
  /** `current`: the version that the model has; `stale`: one less. */
  expected: fc.constantFrom('any', 'current', 'stale'),
  count: fc.integer({ min: 1, max: 3 }),
});
const zCommand = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('appends'), appends: fc.array(append, { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('race'), stream }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat'), log, pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase'), log, pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen'), log }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut'), log, messages: fc.nat({ max: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('kill'), appends: fc.array(append, { minLength: 1, maxLength: 6 }) }),
  },
);
type Command = typeof zCommand extends fc.Arbitrary<infer Value> ? Value : never;
type Append = typeof append extends fc.Arbitrary<infer Value> ? Value : never;

/** What the log must hold: the accepted appends, one after the other. */
class Model {
  readonly events: { id: string; stream: string; version: number; isErased: boolean }[] = [];
  readonly accepted: { batch: StreamAppend[]; result: AppendResult }[] = [];

  versionOf(name: string): number {
    return this.events.filter(({ stream: of }) => of === name).length;
  }

  take(batch: StreamAppend[], result: AppendResult & { readonly kind: 'appended' }): void {
    this.accepted.push({ batch, result });
    for (const event of result.events) this.add(event);
  }

  add({ id, stream: name, version, position }: RecordedEvent): void {
    expect(position).toBe(this.events.length + 1);
    expect(version).toBe(this.versionOf(name) + 1);
    this.events.push({ id, stream: name, version, isErased: false });
  }
}

class Trial {
  readonly #cluster: Cluster;
  readonly #url: string;
  readonly #model = new Model();
  readonly #proxies: MessageProxy[] = [];
  readonly #folders = Array.from({ length: LOGS }, () => memoryFolder('copy'));
  readonly #storages: Storage[] = [];

  constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster;
    this.#url = url;
  }

  async run(commands: readonly Command[]): Promise<void> {
    try {
      for (let n = 0; n < LOGS; n += 1) {
        this.#proxies.push(await MessageProxy.start(this.#cluster.port));
        this.#storages.push(await this.#open(n));
      }
      for (const command of commands) await this.#do(command);
      await this.#compare();
    } finally {
      await Promise.all(this.#storages.map((storage) => storage.close()));
      for (const proxy of this.#proxies) proxy.close();
      for (const folder of this.#folders) removeFolder(folder);
    }
  }

  #open(n: number): Promise<Storage> {
    return openPostgresStorage({ url: this.#proxies[n]!.through(this.#url), directory: this.#folders[n]! });
  }

  async #do(command: Command): Promise<void> {
    switch (command.kind) {
      case 'appends':
        return this.#appends(command.appends);
      case 'race':
        return this.#race(command.stream);
      case 'repeat':
        return this.#repeat(command.log, command.pick);
      case 'erase':
        return this.#erase(command.log, command.pick);
      case 'reopen':
        await this.#storages[command.log]!.close();
        this.#storages[command.log] = await this.#open(command.log);
        return;
      case 'cut':
        return this.#proxies[command.log]!.cutAfter(command.messages);
      case 'kill': {
        const appending = this.#appends(command.appends);
        await this.#cluster.stop('SIGKILL');
        await this.#cluster.start();
        return appending;
      }
    }
  }

  /** All at once. What was accepted enters the model in the order of positions. */
  async #appends(appends: readonly Append[]): Promise<void> {
    const batches = appends.map(({ stream: name, expected, count }) => this.#batch(name, { expected, count }));
    const results = await Promise.all(batches.map((batch, index) => this.#append(appends[index]!.log, batch)));
    const accepted = results
      .flatMap((result, index) => (result.kind === 'appended' ? [{ result, batch: batches[index]! }] : []))
      .sort((a, b) => a.result.events[0]!.position - b.result.events[0]!.position);
    for (const [index, { expected }] of appends.entries()) {
      if (expected === 'any') expect(results[index]!.kind).toBe('appended');
    }
    for (const { batch, result } of accepted) {
      const { stream: name, expectedVersion } = batch[0]!;
      if (expectedVersion !== 'any')
        expect(this.#model.versionOf(name)).toBe(Number(expectedVersion === 'none' ? 0 : expectedVersion));
      this.#model.take(batch, result);
    }
  }

  #batch(name: string, { expected, count }: Pick<Append, 'expected' | 'count'>): StreamAppend[] {
    const version = this.#model.versionOf(name) - (expected === 'stale' ? 1 : 0);
    const expectedVersion = expected === 'any' ? 'any' : version <= 0 ? 'none' : version;
    return [{ stream: name, expectedVersion, events: Array.from({ length: count }, (_, n) => noted(n)) }];
  }

  /** As a client does it: again with the same ids until the database is there. */
  async #append(n: number, batch: StreamAppend[]): Promise<AppendResult> {
    for (;;) {
      try {
        const result = await this.#storages[n]!.log.append(batch);
        // An attempt that was refused for the outage may have been recorded: then this is its first answer.
        if (result.kind !== 'duplicate') return result;
        return { kind: 'appended', events: result.events };
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
  }

  /** Every log expects the same version: one of them is right. */
  async #race(name: string): Promise<void> {
    const batches = Array.from({ length: LOGS }, () => this.#batch(name, { expected: 'current', count: 1 }));
    const results = await Promise.all(batches.map((batch, n) => this.#append(n, batch)));
    const kinds = results.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['appended', 'conflict', 'conflict']);
    for (const [index, result] of results.entries()) {
      if (result.kind === 'appended') this.#model.take(batches[index]!, result);
    }
  }

  /** An append that was accepted before, once more on any log: it gets the first answer. */
  async #repeat(n: number, pick: number): Promise<void> {
    const first = this.#model.accepted[pick % this.#model.accepted.length];
    if (first === undefined) return;
    const again = await this.#storages[n]!.log.append(first.batch);
    // A log that lacked just this append finds its own records in the database: for it they are what it appended.
    expect(again.kind).not.toBe('conflict');
    const places = (result: AppendResult) =>
      result.kind === 'conflict' ? [] : result.events.map(({ id, position, version }) => ({ id, position, version }));
    expect(places(again)).toEqual(places(first.result));
  }

  async #erase(n: number, pick: number): Promise<void> {
    if (this.#model.events.length === 0) return;
    const position = 1 + (pick % this.#model.events.length);
    const erased = this.#model.events[position - 1]!;
    if (erased.stream === 'log-erasures') return;
    const { log: to } = this.#storages[n]!;
    // The log erases what it has: so it has to have it.
    await expectEqual(this.#storages);
    await to.erase([position]);
    if (erased.isErased) return;
    erased.isErased = true;
    this.#model.add(to.at(to.head().position)!);
  }

  async #compare(): Promise<void> {
    await expectEqual(this.#storages);
    const { events } = this.#model;
    const fresh = await expectWhole(this.#url, new Map());
    const told = (all: readonly RecordedEvent[]) =>
      all.map(({ id, stream: name, version, data }) => ({ id, stream: name, version, isErased: data === null }));
    expect(told(fresh)).toEqual(events);
    for (const { log: copy } of this.#storages) expect(told([...copy.readAll()])).toEqual(events);
  }
}

withPostgres('three logs on one database', (cluster) => {
  test(
    'agree with a sequential model after random commands, cuts and kills of the database',
    async () => {
      const property = fc.asyncProperty(fc.array(zCommand, { minLength: 4, maxLength: 25 }), async (commands) => {
        await new Trial(cluster(), await cluster().newLog(SETTINGS)).run(commands);
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    },
    TIMEOUT_MS,
  );
});
