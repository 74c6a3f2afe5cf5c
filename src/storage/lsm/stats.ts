/** The engine's statistics, collected from its parts. */
import type { EngineStats } from '../engine.ts';
import type { Wal } from '../wal.ts';
import type { BlockCache } from './block-cache.ts';
import type { Maintenance } from './maintenance.ts';
import type { Snapshots } from './snapshots.ts';
import type { ReadState } from './state.ts';

export interface StatsParts {
  readonly state: ReadState;
  readonly wal: Wal;
  readonly cache: BlockCache;
  readonly maintenance: Maintenance;
  readonly snapshots: Snapshots;
}

/** Keys and live bytes are null: only a merge of all levels could tell overwritten versions from live ones. */
export function statsOf(parts: StatsParts): EngineStats {
  const { state, wal, cache, maintenance, snapshots } = parts;
  const levels = state.levels.tables.map((tables, level) => ({
    tables: tables.length,
    bytes: state.levels.bytes(level),
  }));
  return {
    backend: 'lsm',
    keys: null,
    diskBytes: levels.reduce((sum, { bytes }) => sum + bytes, wal.diskBytes),
    liveBytes: null,
    cacheBytes: cache.bytes,
    cacheHits: cache.hits,
    cacheMisses: cache.misses,
    walBytes: wal.bytes,
    snapshots: snapshots.count + state.ranges,
    pendingCompactionBytes: maintenance.pendingBytes,
    levels,
  };
}
