/** The audit of the store: duplicates, recall loops, stale and never recalled memories. */
import { z } from 'zod';
import { zUnixSeconds } from '../../events/envelope.ts';
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

const zEntry = z.object({ id: z.string().describe('Id of the memory.'), sector: z.string() });
const zLoop = z.object({
  store: z.string().describe('What the entry is: memory, drawer or fact.'),
  id: z.string().describe('Id of the entry that the text repeats.'),
  kind: z.string().describe('`exact`, or `near` for nearly the same words.'),
  similarity: z.number(),
  via: z.string().describe('How the text came back: add, chunk or import.'),
  at: zUnixSeconds,
});

export const zAudit = z.object({
  total_memories: z.int(),
  total_drawers: z.int(),
  exact_duplicates: z
    .object({
      count: z.int().describe('Such memories, without the first one of each text.'),
      samples: z
        .array(z.object({ ids: z.array(z.string()).describe('Ids of the memories with the same text.') }))
        .describe('Some of them.'),
    })
    .describe('Memories with the same text.'),
  near_duplicates: z
    .object({
      count: z.int().describe('Such pairs.'),
      samples: z
        .array(z.object({ ids: z.array(z.string()).describe('Ids of the two memories.'), similarity: z.number() }))
        .describe('Some of them.'),
    })
    .describe('Memories with nearly the same text.'),
  recall_loops: z
    .object({
      count: z.int().describe('Texts that came back.'),
      exact: z.int().describe('Of those, with the same words.'),
      near: z.int().describe('Of those, with nearly the same words.'),
      samples: z.array(zLoop).describe('The newest ones.'),
    })
    .describe('Texts that were offered as new and that the daemon itself handed out before.'),
  stale: z
    .object({
      count: z.int().describe('Such memories.'),
      below_salience: z.number().describe('The limit, 0 to 1.'),
      samples: z.array(zEntry.extend({ salience: z.number(), last_seen_at: zUnixSeconds })).describe('Some of them.'),
    })
    .describe('Memories whose salience is low.'),
  never_recalled: z
    .object({
      count: z.int().describe('Such memories.'),
      samples: z.array(zEntry.extend({ created_at: zUnixSeconds })).describe('Some of them.'),
    })
    .describe('Memories that no question found.'),
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
