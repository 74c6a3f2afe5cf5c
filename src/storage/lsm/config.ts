/** The settings of the `lsm` engine with their ranges and defaults. */
import { checkedSettings, type Range } from '../settings.ts';

export interface LsmConfig {
  /** Budget of the block cache in MiB. */
  readonly block_cache_mb: number;
  /** A memtable of this size is frozen and flushed. */
  readonly memtable_bytes: number;
  /** Size of a file of the write-ahead log. */
  readonly wal_segment_bytes: number;
  /** Target size of a table. */
  readonly table_bytes: number;
  /** Number of tables in level 0 that starts a compaction. */
  readonly level_zero_tables: number;
  /** Target size of level 1. */
  readonly level_one_bytes: number;
  /** Ratio of the target sizes of a level and the level above it. */
  readonly level_growth: number;
}

const MIB = 1_048_576;

export const LSM_LIMITS: Readonly<Record<keyof LsmConfig, Range>> = {
  block_cache_mb: { min: 0, max: 65_536 },
  memtable_bytes: { min: 4_096, max: 256 * MIB },
  wal_segment_bytes: { min: 8_192, max: 256 * MIB },
  table_bytes: { min: 4_096, max: 1_024 * MIB },
  level_zero_tables: { min: 1, max: 64 },
  level_one_bytes: { min: 4_096, max: 65_536 * MIB },
  level_growth: { min: 2, max: 100 },
};

const DEFAULTS: LsmConfig = {
  block_cache_mb: 64,
  memtable_bytes: 8 * MIB,
  wal_segment_bytes: 8 * MIB,
  table_bytes: 8 * MIB,
  level_zero_tables: 6,
  level_one_bytes: 64 * MIB,
  level_growth: 10,
};

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` for an unknown setting or a number out of range. */
export function lsmConfig(given: Partial<LsmConfig> = {}): LsmConfig {
  return checkedSettings('lsm_config', LSM_LIMITS, { given, defaults: DEFAULTS });
}
