/** Helpers of the `cow` tests: a store on a fault disk, a workload, and its expected states. */
import { openCow } from '../../src/storage/cow/engine.ts';
import type { Change, KeyValueEngine } from '../../src/storage/engine.ts';
import { StorageError } from '../../src/storage/errors.ts';
import type { FaultDisk } from './fault-disk.ts';

/** The smallest nodes and segments, so that small stores have every kind of page. */
export const SMALL = { max_keys_per_node: 32, wal_buffer_size: 65_536, cache_bytes: 1_048_576 };

export const DURABLE = { durable: true };
export const LAZY = { durable: false };

export function openOn(disk: FaultDisk): Promise<KeyValueEngine> {
  return openCow({ directory: '/store', disk, config: SMALL });
}

/** A state as text, key by key: easy to compare, easy to print. */
export type State = ReadonlyMap<string, string>;

export function change(key: string, value: string | undefined): Change {
  return { key: Buffer.from(key), value: value === undefined ? undefined : Buffer.from(value) };
}

export function after(state: State, batch: readonly Change[]): State {
  const next = new Map(state);
  for (const { key, value } of batch) {
    if (value === undefined) next.delete(Buffer.from(key).toString());
    else next.set(Buffer.from(key).toString(), Buffer.from(value).toString());
  }
  return new Map([...next].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
}

export function stateOf(reader: Pick<KeyValueEngine, 'range'>): State {
  const state = new Map<string, string>();
  for (const { key, value } of reader.range()) state.set(Buffer.from(key).toString(), Buffer.from(value).toString());
  return state;
}

export function isSame(a: State, b: State): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [key, value] of a) {
    const [otherKey, otherValue] = others.next().value!;
    if (key !== otherKey || value !== otherValue) return false;
  }
  return true;
}

/** The record of a workload: every state that it requested, in order, and the last one acknowledged as durable. */
export interface Ledger {
  readonly states: State[];
  durable: number;
}

/**
 * Opens a store twice and runs commits of both kinds, deletes, a value with its own page, checkpoints and a compaction.
 * Ends early, with its record so far, when the engine refuses.
 */
export async function twoLives(disk: FaultDisk): Promise<Ledger> {
  const ledger: Ledger = { states: [new Map()], durable: 0 };
  let engine: KeyValueEngine | null = null;
  const commit = async (batch: readonly Change[], options: { durable: boolean }): Promise<void> => {
    ledger.states.push(after(ledger.states.at(-1)!, batch));
    await engine!.commit(batch, options);
    if (options.durable) ledger.durable = ledger.states.length - 1;
  };
  const settle = async (work: Promise<void>): Promise<void> => {
    await work;
    ledger.durable = ledger.states.length - 1;
  };
  try {
    engine = await openOn(disk);
    await commit([change('a', 'first')], DURABLE);
    await commit(manyPuts('k', 40, 'one'), LAZY);
    await commit([change('big', 'B'.repeat(13_000)), change('k07', undefined)], DURABLE);
    await settle(engine.close());
    engine = await openOn(disk);
    await commit([change('a', 'second'), change('big', 'C'.repeat(13_000))], DURABLE);
    await Promise.all([commit(manyPuts('m', 30, 'two'), DURABLE), commit([change('z', 'last')], DURABLE)]);
    await commit([change('k08', undefined), change('k09', 'changed')], LAZY);
    await settle(engine.compact());
    await commit([change('after', 'compaction')], DURABLE);
    await settle(engine.close());
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    await engine?.close().catch(() => {});
  }
  return ledger;
}

export function manyPuts(prefix: string, count: number, value: string): Change[] {
  return Array.from({ length: count }, (_, index) =>
    change(`${prefix}${String(index).padStart(2, '0')}`, `${value} ${index}`),
  );
}

/** Index of the store's state among the permitted states (from the last durable one on), or -1. */
export function matchingState(ledger: Ledger, found: State): number {
  for (let index = ledger.states.length - 1; index >= ledger.durable; index -= 1) {
    if (isSame(ledger.states[index]!, found)) return index;
  }
  return -1;
}
