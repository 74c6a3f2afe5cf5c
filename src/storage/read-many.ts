/** `getMany` of the engines on disk. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Bytes, KeyValueEngine, Snapshot } from './engine.ts';

/** How often `readMany` yields to the event loop. */
export interface ReadPace {
  /** Uncached reads per turn. */
  readonly readsPerTurn: number;
  /** Counts the uncached reads of the newest state. When left out, every read counts as uncached. */
  readonly cache?: { readonly misses: number };
}

/**
 * Values in the order of `keys`, all of the state at the call. Yields to the event loop between groups of uncached
 * reads, on a snapshot that it takes before the first yield: one group needs none.
 */
export async function readMany(
  engine: Pick<KeyValueEngine, 'get' | 'snapshot'>,
  keys: readonly Bytes[],
  { readsPerTurn, cache }: ReadPace,
): Promise<(Bytes | undefined)[]> {
  const values: (Bytes | undefined)[] = [];
  const uncached = () => cache?.misses ?? values.length;
  let snapshot: Snapshot | undefined;
  let before = uncached();
  try {
    for (const key of keys) {
      if (uncached() - before >= readsPerTurn) {
        snapshot ??= engine.snapshot();
        await yieldToOthers();
        before = uncached();
      }
      values.push((snapshot ?? engine).get(key));
    }
    return values;
  } finally {
    snapshot?.release();
  }
}
