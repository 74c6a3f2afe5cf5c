/** Helpers of the `cow` tests: a store on a fault disk, and a workload. */
import { openCow } from '../../src/storage/cow/engine.ts';
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import type { FaultDisk } from './fault-disk.ts';
import { change, DURABLE, LAZY, type Ledger, livedOn, manyPuts } from './states.ts';

/** The smallest nodes and segments, so that small stores have every kind of page. */
export const SMALL = { max_keys_per_node: 32, wal_buffer_size: 65_536, cache_bytes: 1_048_576 };

export function openOn(disk: FaultDisk): Promise<KeyValueEngine> {
  return openCow({ directory: '/store', disk, config: SMALL });
}

/** Opens a store twice and runs commits of both kinds, deletes, a value with its own page, checkpoints and a compaction. */
export function twoLives(disk: FaultDisk): Promise<Ledger> {
  return livedOn(
    () => openOn(disk),
    async (ledger, open) => {
      let engine = await open();
      await ledger.commit(engine, [change('a', 'first')], DURABLE);
      await ledger.commit(engine, manyPuts('k', 40, 'one'), LAZY);
      await ledger.commit(engine, [change('big', 'B'.repeat(13_000)), change('k07', undefined)], DURABLE);
      await engine.close();
      ledger.settle();
      engine = await open();
      await ledger.commit(engine, [change('a', 'second'), change('big', 'C'.repeat(13_000))], DURABLE);
      await Promise.all([
        ledger.commit(engine, manyPuts('m', 30, 'two'), DURABLE),
        ledger.commit(engine, [change('z', 'last')], DURABLE),
      ]);
      await ledger.commit(engine, [change('k08', undefined), change('k09', 'changed')], LAZY);
      await engine.compact();
      ledger.settle();
      await ledger.commit(engine, [change('after', 'compaction')], DURABLE);
      await engine.close();
      ledger.settle();
    },
  );
}
