/** The `memory` block of `GET /health`. Cheap: the counts are kept by triggers. */
import { memoryCounts } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from './encryption.ts';
import type { MemoryHealth, VectorStatus } from './schemas.ts';

export interface MemoryHealthQuery {
  readonly views: Views;
  readonly encryption: Pick<MemoryEncryption, 'isEncrypted' | 'isWarming' | 'locked'>;
  /** The home, or null for an ephemeral store. */
  readonly home: string | null;
  readonly hasViews: boolean;
  vectorStatus(): VectorStatus;
}

export function memoryHealth({ views, encryption, home, ...parts }: MemoryHealthQuery): MemoryHealth {
  const store = { enabled: true, store_path: home ?? ':memory:' };
  if (!parts.hasViews) {
    return { ...store, total_memories: 0, drawer_count: 0, encryption_enabled: false, status: 'warming' };
  }
  const { memories, drawers } = memoryCounts(views);
  const { error: _, ...embedding } = parts.vectorStatus();
  const health = {
    ...store,
    total_memories: memories,
    drawer_count: drawers,
    encryption_enabled: encryption.isEncrypted(),
    embedding,
  };
  if (encryption.locked() !== null) return { ...health, status: 'locked' };
  return { ...health, ...(encryption.isWarming() && { status: 'warming' as const }) };
}
