/** The statistics of a store for people and scripts: the engine's figures and the head of the log. */
import type { Storage } from '../open.ts';

export interface FullStats {
  readonly backend: string;
  readonly events: number;
  readonly tree_hash: string;
  readonly keys: number | null;
  readonly disk_bytes: number;
  readonly live_bytes: number | null;
  readonly wal_bytes: number;
  readonly cache_bytes: number;
  readonly cache_hits: number;
  readonly cache_misses: number;
  readonly snapshots: number;
  readonly pending_compaction_bytes: number;
  readonly levels: readonly { readonly tables: number; readonly bytes: number }[];
  /** Why writes are refused, null while they are accepted. */
  readonly failure: string | null;
}

/** The statistics of an open store. */
export function fullStats({ engine, log }: Storage): FullStats {
  const stats = engine.stats();
  const head = log.head();
  return {
    backend: stats.backend,
    events: head.position,
    tree_hash: head.treeHash,
    keys: stats.keys,
    disk_bytes: stats.diskBytes,
    live_bytes: stats.liveBytes,
    wal_bytes: stats.walBytes,
    cache_bytes: stats.cacheBytes,
    cache_hits: stats.cacheHits,
    cache_misses: stats.cacheMisses,
    snapshots: stats.snapshots,
    pending_compaction_bytes: stats.pendingCompactionBytes,
    levels: stats.levels,
    failure: log.failure?.message ?? null,
  };
}
