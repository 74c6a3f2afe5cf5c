/**
 * Random commands on every engine, each step compared with the model: concurrent commits, deletes of whole ranges,
 * reads, long-lived snapshots and iterators, compactions, backups that are opened, reopens; for `cow` and `lsm` on a disk
 * in memory also kills, power cuts, and power cuts in the middle of commits.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBackend } from '../../src/storage/backends.ts';
import type { Backend, Entry, KeyValueEngine, Snapshot } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { DISK_BACKENDS } from '../../src/storage/marker.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { byDepth } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import { SMALL } from './cow-helpers.ts';
import {
  bytesOf,
  changesOf,
  type HexBatch,
  type HexChange,
  type HexRange,
  Model,
  rangeOf,
  type Step,
  shown,
  steps,
  toHex,
} from './differential-model.ts';
import { FaultDisk } from './fault-disk.ts';
import { TINY } from './lsm-helpers.ts';

const RUNS = byDepth({ sample: 8, dense: 40, long: 2_000 });
const LIMIT_MS = byDepth({ sample: 8_000, dense: 20_000, long: 1_200_000 });
const BACKENDS: readonly Backend[] = ['memory', ...DISK_BACKENDS];
/** Of a value of a flood. The log of `cow` begins a checkpoint after a mebibyte, that of `lsm` a flush after 4 096 bytes. */
const FLOOD_BYTES: Partial<Record<Backend, number>> = { cow: 90_000, lsm: 900 };

/** Shrunk command lists of bugs that random commands have found, by name. */
const KEPT: readonly { readonly name: string; readonly list: readonly Step[] }[] = [
  {
    // lsm: the part of the memtable that a range had read was read again from its first key once a later commit
    // added to it.
    name: 'a range over a memtable that grows meanwhile',
    list: [
      commit({ key: '00', value: '00' }, { key: '01', value: undefined }),
      { kind: 'hold', reverse: false },
      commit({ key: '02', value: undefined }),
    ],
  },
  {
    name: 'two compactions of an empty store, each with its empty record, before it is opened again',
    list: [{ kind: 'compact' }, { kind: 'compact' }, { kind: 'reopen' }, { kind: 'get', keys: ['00'] }],
  },
  ...Array.from({ length: 12 }, (_, image) => twoCuts(image)),
];

function commit(...changes: readonly HexChange[]): Step {
  return { kind: 'commit', batches: [{ changes, durable: false }] };
}

function twoCuts(image: number): (typeof KEPT)[number] {
  const put = commit({ key: '00', value: '' });
  const cuts: readonly Step[] = [{ kind: 'cut', image: 0 }, put, put, { kind: 'cut', image }];
  return {
    name: `power cuts after commits that were flushed and never synced, image ${image}`,
    list: [put, { kind: 'backup' }, ...cuts, put],
  };
}

describe.each(BACKENDS)('%s behaves like a sorted map', { timeout: LIMIT_MS * 2 + 20_000 }, (backend) => {
  const property = fc.asyncProperty(steps, (list) => inFolder((root) => run(backend, { root, list })));

  it('for random commands', () => fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS }));

  it.each(KEPT)('for a bug found earlier: $name', ({ list }) => inFolder((root) => run(backend, { root, list })));
});

/** A snapshot, an iterator on the store, and the model of the same moment. */
interface Held {
  readonly snapshot: Snapshot;
  readonly begun: Iterator<Entry>;
  readonly rest: string;
  readonly model: Model;
}

class Subject {
  readonly #backend: Backend;
  readonly #root: string;
  /** What a power cut now may leave: the newest state that is certain to be durable, and those after it. */
  #states = [new Model()];
  #held: Held[] = [];
  #disk = new FaultDisk();
  #engine!: KeyValueEngine;
  #backups = 0;

  constructor(backend: Backend, root: string) {
    this.#backend = backend;
    this.#root = root;
  }

  get #model(): Model {
    return this.#states.at(-1)!;
  }

  /** `cow` and `lsm` are on a disk in memory that loses what is not synced. */
  get #canLose(): boolean {
    return this.#backend === 'cow' || this.#backend === 'lsm';
  }

  async open(): Promise<void> {
    this.#engine = await this.#openIn('store');
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case 'commit':
        await Promise.all(step.batches.map((batch) => this.#commit(batch)));
        return;
      case 'clear': {
        const gone = this.#model.keysIn(step.range).map((key) => ({ key, value: undefined }));
        return this.#commit({ changes: gone, durable: false });
      }
      case 'get':
        return this.#get(step.keys);
      case 'range':
        return expect(shown(this.#engine.range(rangeOf(step.range)))).toBe(this.#model.shown(step.range));
      case 'hold':
        return this.#hold(step);
      case 'readHeld': {
        const held = this.#held[step.which % this.#held.length];
        if (held !== undefined)
          expect(shown(held.snapshot.range(rangeOf(step.range)))).toBe(held.model.shown(step.range));
        return;
      }
      case 'letGo':
        return this.#letGo(this.#held.splice(step.which % Math.max(1, this.#held.length), 1));
      case 'compact':
        await this.#engine.compact();
        this.#states = [this.#model];
        return;
      case 'verify':
        return expect(await this.#engine.verify()).toEqual([]);
      case 'backup':
        return this.#backUp();
      case 'reopen':
        return this.#reopen();
      case 'kill':
        // Nothing that was visible is lost.
        this.#states = [this.#model];
        return this.#lose(() => this.#disk.afterKill());
      case 'cut':
        return this.#lose(() => new FaultDisk(this.#disk.crashImage(step.image)));
      case 'flood':
        return this.#flood(step);
    }
  }

  async close(): Promise<void> {
    expect(shown(this.#engine.range())).toBe(this.#model.shown());
    expect(shown(this.#engine.range({ reverse: true }))).toBe(this.#model.shown({ reverse: true }));
    expect(await this.#engine.verify()).toEqual([]);
    const { keys, liveBytes } = this.#engine.stats();
    if (keys !== null) expect(keys).toBe(this.#model.size);
    if (this.#backend === 'cow') expect(liveBytes).toBe(this.#model.bytes);
    this.#letGo(this.#held.splice(0));
    expect(this.#engine.stats().snapshots).toBe(0);
    await this.#engine.close();
  }

  async #commit({ changes, durable }: HexBatch): Promise<void> {
    const next = this.#model.after(changes);
    this.#states.push(next);
    await this.#engine.commit(changesOf(changes), { durable });
    if (durable) this.#states.splice(0, Math.max(0, this.#states.indexOf(next)));
  }

  async #get(keys: readonly string[]): Promise<void> {
    const hex = (value: Uint8Array | undefined): string | undefined => (value === undefined ? undefined : toHex(value));
    const expected = keys.map((key) => this.#model.get(key));
    expect(keys.map((key) => hex(this.#engine.get(bytesOf(key))))).toEqual(expected);
    expect((await this.#engine.getMany(keys.map(bytesOf))).map(hex)).toEqual(expected);
  }

  #hold(direction: HexRange): void {
    const snapshot = this.#engine.snapshot();
    const begun = this.#engine.range(rangeOf(direction));
    begun.next();
    const [, ...rest] = this.#model.shown(direction).split(' ');
    this.#held.push({ snapshot, begun, rest: rest.join(' '), model: this.#model });
  }

  /** The iterator continues in its state, whatever was committed since. */
  #letGo(held: readonly Held[]): void {
    for (const { snapshot, begun, rest, model } of held) {
      expect(shown(snapshot.range())).toBe(model.shown());
      for (const { key, value } of snapshot.range()) expect(toHex(snapshot.get(key)!)).toBe(toHex(value));
      expect(shown({ [Symbol.iterator]: () => begun })).toBe(rest);
      snapshot.release();
    }
  }

  async #backUp(): Promise<void> {
    if (this.#backend === 'memory') return;
    this.#backups += 1;
    const name = `backup-${this.#backups}`;
    await this.#engine.backup(this.#pathOf(name));
    const copy = await this.#openIn(name, new FaultDisk(this.#disk.image()));
    expect(shown(copy.range())).toBe(this.#model.shown());
    expect(await copy.verify()).toEqual([]);
    await copy.close();
  }

  async #reopen(): Promise<void> {
    if (this.#backend === 'memory') return;
    this.#letGo(this.#held.splice(0));
    await this.#engine.close();
    this.#states = [this.#model];
    await this.open();
  }

  /** Ends the process without a close. What the next one finds is one of the permitted states, and is durable from then on. */
  async #lose(disk: () => FaultDisk): Promise<void> {
    if (!this.#canLose) return;
    const next = disk();
    this.#disk.fault = () => 'cut';
    await this.#engine.close().catch(() => undefined);
    this.#held = [];
    this.#disk = next;
    await this.open();
    const found = shown(this.#engine.range());
    const state = this.#states.findLast((each) => each.shown() === found);
    if (state === undefined) expect(found).toBe(this.#model.shown());
    else this.#states = [state];
  }

  async #flood({ seed, cut }: Extract<Step, { kind: 'flood' }>): Promise<void> {
    if (!this.#canLose) return;
    if (cut === undefined) return this.#floodOf(seed);
    this.#disk.failAt(this.#disk.operations + 1 + cut.call, 'cut');
    await this.#floodOf(seed).catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error;
    });
    this.#disk.fault = undefined;
    await this.#lose(() => new FaultDisk(this.#disk.crashImage(cut.image)));
  }

  async #floodOf(seed: number): Promise<void> {
    const nameOf = (index: number): string => toHex(Uint8Array.of((seed + index) % 7, (seed + index * 5) % 7));
    const large = Array.from({ length: 12 }, (_, index) =>
      this.#commit({
        changes: [
          { key: `f${index.toString(16)}`, value: 'f0'.repeat(FLOOD_BYTES[this.#backend]! + index) },
          { key: nameOf(index), value: undefined },
        ],
        durable: index % 4 === 3,
      }),
    );
    await Promise.all(large);
    for (let index = 0; index < 24; index += 1) {
      const changes = [
        { key: nameOf(index), value: toHex(Buffer.from(`during ${seed}`)) },
        { key: `f${(index % 12).toString(16)}`, value: undefined },
      ];
      await this.#commit({ changes, durable: index % 5 === 0 });
    }
  }

  #pathOf(name: string): string {
    return this.#canLose ? `/${name}` : join(this.#root, name);
  }

  async #openIn(name: string, disk = this.#disk): Promise<KeyValueEngine> {
    if (this.#backend === 'memory') return openMemoryEngine();
    const directory = this.#pathOf(name);
    if (!this.#canLose) mkdirSync(directory, { recursive: true });
    const config = { cow: SMALL, lsm: TINY };
    return openBackend(this.#backend, { directory, config, disk: this.#canLose ? disk : undefined });
  }
}

async function run(backend: Backend, given: { readonly root: string; readonly list: readonly Step[] }): Promise<void> {
  const subject = new Subject(backend, given.root);
  await subject.open();
  for (const step of given.list) await subject.step(step);
  await subject.close();
}

async function inFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = memoryFolder('differential');
  try {
    await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
