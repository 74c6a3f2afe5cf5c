/** The settings of the `cow` engine with their ranges and defaults. */
import { StorageError } from '../errors.ts';

export interface CowConfig {
  /** Maximum number of entries of a leaf and of children of a branch: 32 to 1024, default 128. */
  readonly max_keys_per_node?: number;
  /**
   * Bytes of a write-ahead log segment: 65 536 to 67 108 864, default 4 194 304. A checkpoint is due every 16 of
   * them.
   */
  readonly wal_buffer_size?: number;
  /**
   * Bytes of nodes kept in memory: from 1 048 576 to 1 099 511 627 776; by default 24 × `wal_buffer_size`, at least
   * 8 MiB. Changed nodes stay until a checkpoint, which is due when they take twice this.
   */
  readonly cache_bytes?: number;
}

export const COW_LIMITS: Readonly<Record<keyof CowConfig, { readonly min: number; readonly max: number }>> = {
  max_keys_per_node: { min: 32, max: 1024 },
  wal_buffer_size: { min: 65_536, max: 67_108_864 },
  cache_bytes: { min: 1_048_576, max: 1_099_511_627_776 },
};

const CACHE_BYTES_MIN = 8_388_608;
const CACHE_PER_WAL_BUFFER = 24;

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` with the setting and its range. */
export function checkedConfig(config: CowConfig): Required<CowConfig> {
  const { max_keys_per_node = 128, wal_buffer_size = 4_194_304 } = config;
  const { cache_bytes = Math.max(CACHE_BYTES_MIN, CACHE_PER_WAL_BUFFER * wal_buffer_size) } = config;
  const checked = { max_keys_per_node, wal_buffer_size, cache_bytes };
  for (const name of Object.keys(COW_LIMITS) as (keyof CowConfig)[]) checkRange(name, checked[name]);
  return checked;
}

function checkRange(name: keyof CowConfig, value: number): void {
  const { min, max } = COW_LIMITS[name];
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const what = `cow_config.${name} must be a whole number from ${min} to ${max}, not ${value}.`;
  throw new StorageError('STORAGE_CONFIG', what);
}
