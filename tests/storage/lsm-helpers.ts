/** Helpers of the `lsm` tests: settings so small that a few commits reach every level, and a workload. */
import type { LsmConfig } from '../../src/storage/lsm/config.ts';
import { type LsmEngine, openLsm } from '../../src/storage/lsm/engine.ts';
import type { FaultDisk } from './fault-disk.ts';
import { change, DURABLE, LAZY, type Ledger, livedOn } from './states.ts';

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

export function openOn(disk: FaultDisk, config: Partial<LsmConfig> = TINY): Promise<LsmEngine> {
  return openLsm({ directory: DIRECTORY, disk, config });
}

/** A value that differs for each step and fills memtables quickly. */
export function filler(step: number, length: number): string {
  return `${step}:`.padEnd(length, String.fromCharCode(97 + (step % 26)));
}

/** Every kind of write of the engine, on few keys: commits, overwrites, deletes, flushes, a full compaction. */
export function smallWorkload(disk: FaultDisk): Promise<Ledger> {
  return livedOn(
    () => openOn(disk),
    async (ledger, open) => {
      const engine = await open();
      for (let step = 0; step < 12; step += 1) {
        const batch = [change(`k${step % 5}`, filler(step, 900)), change(`n${step}`, `${step}`)];
        if (step % 3 === 2) batch.push(change(`n${step - 1}`, undefined));
        await ledger.commit(engine, batch, step % 4 === 1 ? LAZY : DURABLE);
      }
      await engine.compact();
      ledger.settle();
      await ledger.commit(engine, [change('k1', undefined), change('after', 'x')], LAZY);
      await ledger.commit(engine, [change('last', 'y')], DURABLE);
      await engine.close();
      ledger.settle();
    },
  );
}
