/** The statistics of a store for people and scripts: the engine's figures and the head of the log. */
import { z } from 'zod';
import type { Storage } from '../open.ts';

export const zFullStats = z.object({
  backend: z.string(),
  events: z.int().describe('Events in the log.'),
  tree_hash: z.string(),
  keys: z.int().nullable().describe('Keys in the store; null where counting them needs a full scan.'),
  disk_bytes: z.int(),
  live_bytes: z.int().nullable(),
  wal_bytes: z.int(),
  cache_bytes: z.int(),
  cache_hits: z.int().describe('Reads answered by the cache.'),
  cache_misses: z.int().describe('Reads that went to the disk.'),
  snapshots: z.int().describe('Snapshots that are held open.'),
  pending_compaction_bytes: z.int(),
  levels: z
    .array(z.object({ tables: z.int().describe('Tables of the level.'), bytes: z.int() }))
    .describe('Levels of the lsm engine, the newest first; empty for others.'),
  failure: z.string().nullable().describe('Why writes are refused; null while they are accepted.'),
  last_backup_at: z
    .int()
    .nullable()
    .exactOptional()
    .describe('When the newest backup was verified, in Unix milliseconds; absent where this process makes none.'),
  backup_failure: z
    .string()
    .nullable()
    .exactOptional()
    .describe('Why the latest attempt to make a backup failed; null after a successful one.'),
});
z.globalRegistry.add(zFullStats, { id: 'StorageStats' });
export type FullStats = Readonly<z.infer<typeof zFullStats>>;

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
    levels: [...stats.levels],
    failure: log.failure?.message ?? null,
  };
}
