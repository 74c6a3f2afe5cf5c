/** Reads many keys of one state, yielding to the event loop between groups of uncached reads. */
import type { Bytes, Snapshot } from '../engine.ts';
import type { BlockCache } from './block-cache.ts';

/** Uncached blocks read per turn of the event loop. */
const COLD_READS_PER_TURN = 16;

/** Values in the order of `keys`; the snapshot is released at the end. */
export async function readMany(
  snapshot: Snapshot,
  keys: readonly Bytes[],
  cache: BlockCache,
): Promise<(Bytes | undefined)[]> {
  try {
    const values: (Bytes | undefined)[] = [];
    let before = cache.misses;
    for (const key of keys) {
      values.push(snapshot.get(key));
      if (cache.misses - before < COLD_READS_PER_TURN) continue;
      await new Promise((resolve) => setImmediate(resolve));
      before = cache.misses;
    }
    return values;
  } finally {
    snapshot.release();
  }
}
