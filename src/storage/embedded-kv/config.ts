/** The settings of the `embedded_kv` engine with their ranges and defaults. */
import { checkedSettings, type Range } from '../settings.ts';

export interface EmbeddedKvConfig {
  /** Bytes of SQLite's page cache: 1 048 576 to 1 099 511 627 776, default 67 108 864. */
  readonly cache_bytes?: number;
}

export const EMBEDDED_KV_LIMITS: Readonly<Record<keyof EmbeddedKvConfig, Range>> = {
  cache_bytes: { min: 1_048_576, max: 1_099_511_627_776 },
};

/** All settings, with defaults filled in. Throws `STORAGE_CONFIG` for an unknown setting or a number out of range. */
export function checkedConfig(given: EmbeddedKvConfig): Required<EmbeddedKvConfig> {
  return checkedSettings('embedded_kv_config', EMBEDDED_KV_LIMITS, { given, defaults: { cache_bytes: 67_108_864 } });
}
