/** What the commands read of the daemon's answers; further fields are kept for `--json`. */
import { z } from 'zod';

export const zSession = z.object({ session_id: z.string() });

export const zJob = z.looseObject({
  session_id: z.string(),
  task: z.string(),
  status: z.enum(['queued', 'running', 'complete', 'partial', 'failed', 'cancelled']),
  provider: z.string(),
  model: z.string(),
  approval: z.string(),
  workspace: z.string(),
  started_at: z.number(),
  finished_at: z.number().nullable(),
  summary: z.string().nullable(),
  steps_completed: z.number(),
  tokens_used: z.number(),
  files_modified: z.array(z.string()),
  parent_session_id: z.string().nullable(),
});
export type Job = z.infer<typeof zJob>;

export const zLogHead = z.object({ position: z.int(), tree_hash: z.string(), at: z.number().nullable() });
export type LogHead = z.infer<typeof zLogHead>;

export const zReplay = z.object({
  session_id: z.string(),
  identical: z.boolean(),
  events: z.int(),
  effects: z.int(),
  divergence: z
    .object({
      position: z.int(),
      version: z.int(),
      field: z.string(),
      recorded: z.unknown(),
      replayed: z.unknown(),
    })
    .nullable(),
});

export const zHealth = z.looseObject({
  status: z.string(),
  version: z.string(),
  uptime_seconds: z.number(),
  providers: z.object({ names: z.array(z.string()) }),
  log: z.object({ position: z.int(), backend: z.string(), failure: z.string().nullable() }),
  views: z.object({ unavailable: z.string().nullable() }),
});
export type Health = z.infer<typeof zHealth>;
