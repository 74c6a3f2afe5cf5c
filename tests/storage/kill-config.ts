/** Settings with which a short run has many checkpoints, flushes and compactions. */
import type { BackendConfig } from '../../src/storage/backends.ts';

export const KILL_CONFIG: BackendConfig = {
  cow: { max_keys_per_node: 32, wal_buffer_size: 65_536, cache_bytes: 1_048_576 },
  lsm: {
    memtable_bytes: 16_384,
    wal_segment_bytes: 65_536,
    table_bytes: 16_384,
    level_zero_tables: 2,
    level_one_bytes: 65_536,
    level_growth: 4,
    block_cache_mb: 1,
  },
};
