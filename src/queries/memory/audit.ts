/** The audit of the store: duplicates, recall loops, stale and never recalled memories. */
import { z } from 'zod';
import {
  exactDuplicates,
  nearDuplicates,
  neverRecalled,
  recallLoops,
  STALE_SALIENCE_MAX,
  staleMemories,
} from '../../projections/memory/audit.ts';
import type { Views } from '../../projections/views.ts';
import { totals, unixSeconds } from './memories.ts';

const zEntry = z.object({ id: z.string(), sector: z.string() });
const zLoop = z.object({
  store: z.string(),
  id: z.string(),
  kind: z.string(),
  similarity: z.number(),
  via: z.string(),
  at: z.int(),
});

export const zAudit = z.object({
  total_memories: z.int(),
  total_drawers: z.int(),
  exact_duplicates: z.object({ count: z.int(), samples: z.array(z.object({ ids: z.array(z.string()) })) }),
  near_duplicates: z.object({
    count: z.int(),
    samples: z.array(z.object({ ids: z.array(z.string()), similarity: z.number() })),
  }),
  recall_loops: z.object({ count: z.int(), exact: z.int(), near: z.int(), samples: z.array(zLoop) }),
  stale: z.object({
    count: z.int(),
    below_salience: z.number(),
    samples: z.array(zEntry.extend({ salience: z.number(), last_seen_at: z.int() })),
  }),
  never_recalled: z.object({ count: z.int(), samples: z.array(zEntry.extend({ created_at: z.int() })) }),
});

/** Counts, and at most `samplesMax` samples of each kind. */
export function memoryAudit(views: Views, now: number, samplesMax: number) {
  const loops = recallLoops(views, samplesMax);
  const stale = staleMemories(views, now, samplesMax);
  const never = neverRecalled(views, samplesMax);
  return {
    ...totals(views),
    exact_duplicates: exactDuplicates(views, samplesMax),
    near_duplicates: nearDuplicates(views, samplesMax),
    recall_loops: { ...loops, samples: loops.samples.map((loop) => ({ ...loop, at: unixSeconds(loop.at) })) },
    stale: {
      count: stale.count,
      below_salience: STALE_SALIENCE_MAX,
      samples: stale.samples.map((row) => ({ ...row, last_seen_at: unixSeconds(row.last_seen_at) })),
    },
    never_recalled: {
      count: never.count,
      samples: never.samples.map((row) => ({ ...row, created_at: unixSeconds(row.created_at) })),
    },
  };
}
