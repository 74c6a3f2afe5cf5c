/** The engines that can be opened on a disk in memory, each with a workload that makes every kind of call. */
import type { KeyValueEngine } from '../../src/storage/engine.ts';
import { openOn as openCow, twoLives } from './cow-helpers.ts';
import type { FaultDisk } from './fault-disk.ts';
import { openOn as openLsm, smallWorkload } from './lsm-helpers.ts';
import type { Ledger } from './states.ts';

export interface FaultDiskEngine {
  readonly name: string;
  readonly open: (disk: FaultDisk) => Promise<KeyValueEngine>;
  readonly workload: (disk: FaultDisk) => Promise<Ledger>;
}

export const FAULT_DISK_ENGINES: readonly FaultDiskEngine[] = [
  { name: 'cow', open: openCow, workload: twoLives },
  { name: 'lsm', open: openLsm, workload: smallWorkload },
];
