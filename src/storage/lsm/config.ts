/** The settings of the `lsm` engine with their ranges and defaults. */
import { StorageError } from '../errors.ts';

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

interface Limits {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

const MIB = 1_048_576;

export const LSM_LIMITS: Readonly<Record<keyof LsmConfig, Limits>> = {
  block_cache_mb: { min: 0, max: 65_536, default: 64 },
  memtable_bytes: { min: 4_096, max: 256 * MIB, default: 8 * MIB },
  wal_segment_bytes: { min: 8_192, max: 256 * MIB, default: 8 * MIB },
  table_bytes: { min: 4_096, max: 1_024 * MIB, default: 8 * MIB },
  level_zero_tables: { min: 1, max: 64, default: 6 },
  level_one_bytes: { min: 4_096, max: 65_536 * MIB, default: 64 * MIB },
  level_growth: { min: 2, max: 100, default: 10 },
};

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` for an unknown setting or a number out of range. */
export function lsmConfig(settings: Partial<LsmConfig> = {}): LsmConfig {
  for (const key of Object.keys(settings)) {
    if (key in LSM_LIMITS) continue;
    const known = Object.keys(LSM_LIMITS).join(', ');
    throw new StorageError('STORAGE_CONFIG', `lsm_config has no setting "${key}". Its settings are ${known}.`);
  }
  const names = Object.keys(LSM_LIMITS) as (keyof LsmConfig)[];
  const values = names.map((key) => [key, checked(key, settings[key] ?? LSM_LIMITS[key].default)] as const);
  return Object.fromEntries(values) as Record<keyof LsmConfig, number>;
}

function checked(key: keyof LsmConfig, value: number): number {
  const { min, max } = LSM_LIMITS[key];
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new StorageError(
    'STORAGE_CONFIG',
    `lsm_config.${key} is ${value}; it must be a whole number from ${min} to ${max}.`,
  );
}
