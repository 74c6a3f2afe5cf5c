/**
 * Random commands on every engine, each step compared with the model: concurrent commits, deletes of whole ranges,
 * reads, long-lived snapshots and iterators, compactions, backups that are opened, reopens.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBackend } from '../../src/storage/backends.ts';
import type { Backend, Entry, KeyValueEngine, Snapshot } from '../../src/storage/engine.ts';
import { DISK_BACKENDS } from '../../src/storage/marker.ts';
import { openMemoryEngine } from '../../src/storage/memory-engine.ts';
import { byDepth } from '../support/depth.ts';
import { memoryFolder } from '../support/folders.ts';
import {
  bytesOf,
  changesOf,
  type HexChange,
  Model,
  rangeOf,
  type Step,
  shown,
  steps,
  toHex,
} from './differential-model.ts';
import { KILL_CONFIG } from './kill-config.ts';

const RUNS = byDepth({ sample: 4, dense: 15, long: 400 });
const BACKENDS: readonly Backend[] = ['memory', ...DISK_BACKENDS];

/** Shrunk command lists of bugs that random commands have found, by name. */
const KEPT: readonly { readonly name: string; readonly list: readonly Step[] }[] = [
  {
    // lsm: the part of the memtable that a range had read was read again from its first key once a later commit
    // added to it.
    name: 'a range over a memtable that grows meanwhile',
    list: [
      commit({ key: '00', value: '00' }, { key: '01', value: undefined }),
      { kind: 'hold' },
      commit({ key: '02', value: undefined }),
    ],
  },
];

function commit(...changes: readonly HexChange[]): Step {
  return { kind: 'commit', batches: [changes], durable: false };
}

describe.each(BACKENDS)('%s behaves like a sorted map', { timeout: RUNS * 10_000 }, (backend) => {
  const property = fc.asyncProperty(steps, (list) => inFolder((root) => run(backend, { root, list })));

  it('for random commands', () => fc.assert(property, { numRuns: RUNS }));

  it.each(KEPT)('for a bug found earlier: $name', ({ list }) => inFolder((root) => run(backend, { root, list })));
});

/** A snapshot, an iterator on it, and a copy of the model from the same moment. */
interface Held {
  readonly snapshot: Snapshot;
  readonly begun: Iterator<Entry>;
  readonly rest: string;
  readonly model: Model;
}

class Subject {
  readonly #backend: Backend;
  readonly #root: string;
  readonly #model = new Model();
  #held: Held[] = [];
  #engine!: KeyValueEngine;
  #backups = 0;

  constructor(backend: Backend, root: string) {
    this.#backend = backend;
    this.#root = root;
  }

  async open(): Promise<void> {
    this.#engine = await this.#openIn('store');
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case 'commit':
        await Promise.all(
          step.batches.map((batch) => this.#engine.commit(changesOf(batch), { durable: step.durable })),
        );
        for (const batch of step.batches) this.#model.commit(batch);
        return;
      case 'clear': {
        const gone = this.#model.keysIn(step.range).map((key) => ({ key, value: undefined }));
        await this.#engine.commit(changesOf(gone), { durable: false });
        return this.#model.commit(gone);
      }
      case 'get':
        return this.#get(step.keys);
      case 'range':
        return expect(shown(this.#engine.range(rangeOf(step.range)))).toBe(this.#model.shown(step.range));
      case 'hold':
        return this.#hold();
      case 'readHeld': {
        const held = this.#held[step.which % this.#held.length];
        if (held !== undefined)
          expect(shown(held.snapshot.range(rangeOf(step.range)))).toBe(held.model.shown(step.range));
        return;
      }
      case 'letGo':
        return this.#letGo(this.#held.splice(step.which % Math.max(1, this.#held.length), 1));
      case 'compact':
        return this.#engine.compact();
      case 'backup':
        return this.#backUp();
      case 'reopen':
        return this.#reopen();
    }
  }

  async close(): Promise<void> {
    expect(shown(this.#engine.range())).toBe(this.#model.shown({}));
    expect(shown(this.#engine.range({ reverse: true }))).toBe(this.#model.shown({ reverse: true }));
    expect(await this.#engine.verify()).toEqual([]);
    const { keys } = this.#engine.stats();
    if (keys !== null) expect(keys).toBe(this.#model.size);
    this.#letGo(this.#held.splice(0));
    expect(this.#engine.stats().snapshots).toBe(0);
    await this.#engine.close();
  }

  async #get(keys: readonly string[]): Promise<void> {
    const hex = (value: Uint8Array | undefined): string | undefined => (value === undefined ? undefined : toHex(value));
    const expected = keys.map((key) => this.#model.get(key));
    expect(keys.map((key) => hex(this.#engine.get(bytesOf(key))))).toEqual(expected);
    expect((await this.#engine.getMany(keys.map(bytesOf))).map(hex)).toEqual(expected);
  }

  #hold(): void {
    const snapshot = this.#engine.snapshot();
    const begun = this.#engine.range();
    begun.next();
    const [, ...rest] = this.#model.shown({}).split(' ');
    this.#held.push({ snapshot, begun, rest: rest.join(' '), model: this.#model.copy() });
  }

  /** The iterator continues in its state, whatever was committed since. */
  #letGo(held: readonly Held[]): void {
    for (const { snapshot, begun, rest, model } of held) {
      expect(shown(snapshot.range())).toBe(model.shown({}));
      for (const { key, value } of snapshot.range()) expect(toHex(snapshot.get(key)!)).toBe(toHex(value));
      expect(shown({ [Symbol.iterator]: () => begun })).toBe(rest);
      snapshot.release();
    }
  }

  async #backUp(): Promise<void> {
    if (this.#backend === 'memory') return;
    this.#backups += 1;
    const name = `backup-${this.#backups}`;
    await this.#engine.backup(join(this.#root, name));
    const copy = await this.#openIn(name);
    expect(shown(copy.range())).toBe(this.#model.shown({}));
    await copy.close();
  }

  async #reopen(): Promise<void> {
    if (this.#backend === 'memory') return;
    this.#letGo(this.#held.splice(0));
    await this.#engine.close();
    await this.open();
  }

  async #openIn(name: string): Promise<KeyValueEngine> {
    if (this.#backend === 'memory') return openMemoryEngine();
    const directory = join(this.#root, name);
    mkdirSync(directory, { recursive: true });
    return openBackend(this.#backend, { directory, config: KILL_CONFIG });
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
