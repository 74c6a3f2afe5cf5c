/** Settings of the `cow` engine, their ranges and defaults. */
import { StorageError } from '../errors.ts';

export interface CowConfig {
  /** Most entries of a leaf and children of a branch: 32 to 1024, default 128. */
  readonly max_keys_per_node?: number;
  /** Bytes of a write-ahead log segment: 65 536 to 67 108 864, default 4 194 304. A checkpoint is due every 16 of them. */
  readonly wal_buffer_size?: number;
  /**
   * Bytes of nodes kept in memory: from 1 048 576, default 100 663 296. Changed nodes must stay until a checkpoint, which is
   * due when they take twice as much.
   */
  readonly cache_bytes?: number;
}

export const RANGES: Record<
  keyof CowConfig,
  { readonly from: number; readonly to: number; readonly normally: number }
> = {
  max_keys_per_node: { from: 32, to: 1024, normally: 128 },
  wal_buffer_size: { from: 65_536, to: 67_108_864, normally: 4_194_304 },
  cache_bytes: { from: 1_048_576, to: 1_099_511_627_776, normally: 100_663_296 },
};

/** Every setting, checked; an error names the setting and its range. */
export function checkedConfig(config: CowConfig): Required<CowConfig> {
  const checked = (name: keyof CowConfig): number => {
    const { from, to, normally } = RANGES[name];
    const value = config[name] ?? normally;
    if (Number.isInteger(value) && value >= from && value <= to) return value;
    throw new StorageError(
      'STORAGE_CONFIG',
      `cow_config.${name} must be a whole number from ${from} to ${to}, not ${value}.`,
    );
  };
  return {
    max_keys_per_node: checked('max_keys_per_node'),
    wal_buffer_size: checked('wal_buffer_size'),
    cache_bytes: checked('cache_bytes'),
  };
}
