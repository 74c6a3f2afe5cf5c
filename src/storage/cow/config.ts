/** The settings of the `cow` engine with their ranges and defaults. */
import { checkedSettings, type Range } from '../settings.ts';

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

export const COW_LIMITS: Readonly<Record<keyof CowConfig, Range>> = {
  max_keys_per_node: { min: 32, max: 1024 },
  wal_buffer_size: { min: 65_536, max: 67_108_864 },
  cache_bytes: { min: 1_048_576, max: 1_099_511_627_776 },
};

const CACHE_BYTES_MIN = 8_388_608;
const CACHE_PER_WAL_BUFFER = 24;

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` for an unknown setting or a number out of range. */
export function checkedConfig(given: CowConfig): Required<CowConfig> {
  const wal_buffer_size = given.wal_buffer_size ?? 4_194_304;
  const cache_bytes = Math.max(CACHE_BYTES_MIN, CACHE_PER_WAL_BUFFER * wal_buffer_size);
  return checkedSettings('cow_config', COW_LIMITS, {
    given,
    defaults: { max_keys_per_node: 128, wal_buffer_size, cache_bytes },
  });
}
