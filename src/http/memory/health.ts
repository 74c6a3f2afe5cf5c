/** What `GET /health` says of the memories. Cheap: it counts nothing. */
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { memoryCounts } from '../../projections/memory/memories.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { MemoryVectors } from '../../reactors/memory/vectors/vectors.ts';
import { zVectorStatus } from './vector-schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly views: Views;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  viewsUnavailable(): string | null;
}

export const zMemoryHealth = z.object({
  enabled: z.boolean(),
  store_path: z.string(),
  total_memories: z.int(),
  drawer_count: z.int(),
  encryption_enabled: z.boolean(),
  /** Absent when all is well. `warming`: not everything can be found yet. `locked`: the key is not at hand. */
  status: z.enum(['warming', 'locked']).optional(),
  /** Absent while the views cannot be read. Without the error: a provider may repeat a text in it. */
  embedding: zVectorStatus.omit({ error: true }).optional(),
});

export function memoryHealth(deps: Dependencies): z.infer<typeof zMemoryHealth> {
  const { config, memory, views } = deps;
  const place = { enabled: true, store_path: config.ephemeral ? ':memory:' : config.home };
  if (deps.viewsUnavailable() !== null) {
    return { ...place, total_memories: 0, drawer_count: 0, encryption_enabled: false, status: 'warming' };
  }
  const { memories, drawers } = memoryCounts(views);
  const { error: _, ...embedding } = deps.memoryVectors.status();
  const counted = {
    ...{ total_memories: memories, drawer_count: drawers, encryption_enabled: memory.isEncrypted() },
    embedding,
  };
  if (memory.locked() !== null) return { ...place, ...counted, status: 'locked' };
  return { ...place, ...counted, ...(memory.isWarming() && { status: 'warming' as const }) };
}
