/** Schemas of the daemon's responses; loose ones keep further fields for `--json`. */
import { z } from 'zod';
import { zJobRecord } from '../queries/run/schemas.ts';

export const zSession = z.object({ session_id: z.string() });

export const zJob = z.looseObject(zJobRecord.shape);
export type Job = z.infer<typeof zJob>;

export const zLogHead = z.object({ position: z.int(), tree_hash: z.string(), at: z.number().nullable() });
export type LogHead = z.infer<typeof zLogHead>;

export const zHealth = z.looseObject({
  status: z.string(),
  version: z.string(),
  uptime_seconds: z.number(),
  providers: z.object({ names: z.array(z.string()) }),
  log: z.object({ position: z.int(), backend: z.string(), failure: z.string().nullable() }),
  checkpoints: z.object({ size: z.int().nullable(), warning: z.string().nullable() }),
  views: z.object({ unavailable: z.string().nullable() }),
});
export type Health = z.infer<typeof zHealth>;
