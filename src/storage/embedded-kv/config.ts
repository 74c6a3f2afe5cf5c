/** The settings of the `embedded_kv` engine with their ranges and defaults. */
import { StorageError } from '../errors.ts';

export interface EmbeddedKvConfig {
  /** Bytes of SQLite's page cache: 1 048 576 to 1 099 511 627 776, default 67 108 864. */
  readonly cache_bytes?: number;
}

export const EMBEDDED_KV_LIMITS = {
  cache_bytes: { min: 1_048_576, max: 1_099_511_627_776, default: 67_108_864 },
} as const;

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` with the setting and its range. */
export function checkedConfig({ cache_bytes }: EmbeddedKvConfig): Required<EmbeddedKvConfig> {
  const { min, max, default: otherwise } = EMBEDDED_KV_LIMITS.cache_bytes;
  const bytes = cache_bytes ?? otherwise;
  if (Number.isSafeInteger(bytes) && bytes >= min && bytes <= max) return { cache_bytes: bytes };
  const what = `embedded_kv_config.cache_bytes must be a whole number from ${min} to ${max}, not ${bytes}.`;
  throw new StorageError('STORAGE_CONFIG', what);
}
