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

export const RANGES: Record<keyof CowConfig, { readonly from: number; readonly to: number }> = {
  max_keys_per_node: { from: 32, to: 1024 },
  wal_buffer_size: { from: 65_536, to: 67_108_864 },
  cache_bytes: { from: 1_048_576, to: 1_099_511_627_776 },
};

const CACHE_BYTES_MIN = 8_388_608;
const CACHE_PER_WAL_BUFFER = 24;

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` with the setting and its range. */
export function checkedConfig(config: CowConfig): Required<CowConfig> {
  const { max_keys_per_node = 128, wal_buffer_size = 4_194_304 } = config;
  const { cache_bytes = Math.max(CACHE_BYTES_MIN, CACHE_PER_WAL_BUFFER * wal_buffer_size) } = config;
  const checked = { max_keys_per_node, wal_buffer_size, cache_bytes };
  for (const name of Object.keys(RANGES) as (keyof CowConfig)[]) checkRange(name, checked[name]);
  return checked;
}

function checkRange(name: keyof CowConfig, value: number): void {
  const { from, to } = RANGES[name];
  if (Number.isInteger(value) && value >= from && value <= to) return;
  const what = `cow_config.${name} must be a whole number from ${from} to ${to}, not ${value}.`;
  throw new StorageError('STORAGE_CONFIG', what);
}
