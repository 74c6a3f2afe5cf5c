/** Every mutant of the storage. */
import type { Mutant } from '../mutant.ts';
import { COW_MUTANTS } from './cow.ts';
import { DIRECTORY_MUTANTS } from './directory.ts';
import { EMBEDDED_MUTANTS } from './embedded-kv.ts';
import { LOG_MUTANTS } from './log.ts';
import { LSM_MUTANTS } from './lsm.ts';
import { WAL_MUTANTS } from './wal.ts';

export const MUTANTS: readonly Mutant[] = [
  ...WAL_MUTANTS,
  ...COW_MUTANTS,
  ...LSM_MUTANTS,
  ...EMBEDDED_MUTANTS,
  ...LOG_MUTANTS,
  ...DIRECTORY_MUTANTS,
];
