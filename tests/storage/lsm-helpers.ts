/**
 * Helpers of the `lsm` tests: settings so small that a few commits reach every level, a scripted workload that records
 * which states are permitted after a crash, and the check of the state found.
 */
import { expect } from 'vitest';
import type { Change, KeyValueEngine } from '../../src/storage/engine.ts';
import type { LsmConfig } from '../../src/storage/lsm/config.ts';
import { type LsmEngine, openLsm } from '../../src/storage/lsm/engine.ts';
import type { FaultDisk } from './fault-disk.ts';

export const DIRECTORY = '/store';

export const TINY: Partial<LsmConfig> = {
  block_cache_mb: 1,
  memtable_bytes: 4_096,
  wal_segment_bytes: 8_192,
  table_bytes: 4_096,
  level_zero_tables: 2,
  level_one_bytes: 8_192,
  level_growth: 2,
};

/** Contents by key, both as latin-1 text. */
export type State = ReadonlyMap<string, string>;

export function openOn(disk: FaultDisk, config: Partial<LsmConfig> = TINY): Promise<LsmEngine> {
  return openLsm({ directory: DIRECTORY, disk, config });
}

export function change(key: string, value: string | undefined): Change {
  return { key: Buffer.from(key, 'latin1'), value: value === undefined ? undefined : Buffer.from(value, 'latin1') };
}

export function applied(state: State, batch: readonly Change[]): State {
  const next = new Map(state);
  for (const { key, value } of batch) {
    if (value === undefined) next.delete(text(key));
    else next.set(text(key), text(value));
  }
  return next;
}

export function contents(reader: Pick<KeyValueEngine, 'range'>): State {
  return new Map([...reader.range()].map(({ key, value }) => [text(key), text(value)]));
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Records the permitted states of a store: from the last durable commit on, each commit adds one. */
export class Ledger {
  /** The initial state, then one for each commit that was begun. */
  readonly states: State[] = [new Map()];
  /** Index of the last state that must survive. */
  safe = 0;

  /** Commits and records what the answer guarantees; throws the engine's error. */
  async commit(engine: KeyValueEngine, batch: readonly Change[], durable: boolean): Promise<void> {
    this.states.push(applied(this.states.at(-1)!, batch));
    const index = this.states.length - 1;
    await engine.commit(batch, { durable });
    if (durable) this.safe = index;
  }

  /** Everything so far is durable (after `close`, `compact`, `backup`). */
  settle(): void {
    this.safe = this.states.length - 1;
  }

  /** Index of the state among the permitted ones; fails the test when it is none of them. */
  expectLegal(found: State, story: string): void {
    const legal = this.states.slice(this.safe);
    if (!legal.some((state) => isSame(state, found))) {
      // Comparing with the nearest permitted state makes the message readable.
      expect(found, `${story}; none of ${legal.length} legal states fits`).toEqual(legal[0]);
    }
  }
}

export function isSame(a: State, b: State): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}

/** A value that differs for each step and fills memtables quickly. */
export function filler(step: number, length: number): string {
  return `${step}:`.padEnd(length, String.fromCharCode(97 + (step % 26)));
}

/** Every kind of write of the engine, on few keys: commits, overwrites, deletes, flushes, a full compaction. */
export async function smallWorkload(engine: LsmEngine, ledger: Ledger): Promise<void> {
  for (let step = 0; step < 12; step += 1) {
    const batch = [change(`k${step % 5}`, filler(step, 900)), change(`n${step}`, `${step}`)];
    if (step % 3 === 2) batch.push(change(`n${step - 1}`, undefined));
    await ledger.commit(engine, batch, step % 4 !== 1);
  }
  await engine.compact();
  ledger.settle();
  await ledger.commit(engine, [change('k1', undefined), change('after', 'x')], false);
  await ledger.commit(engine, [change('last', 'y')], true);
  await engine.close();
  ledger.settle();
}
