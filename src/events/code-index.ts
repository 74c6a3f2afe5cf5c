/**
 * Builds of the code index: requested by a route, ended by the reactor that performs them. One stream for each index,
 * `index-<digest of workspace and model>`. The index itself is a file; no event holds any of its text.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

export const zIndexTarget = z.object({
  /** Real path of the folder. */
  workspace: z.string(),
  provider: z.string(),
  model: z.string(),
  /** The dimension that vectors are reduced to; null for the dimension of the model. */
  dimensions: z.int().positive().nullable(),
});
export type IndexTarget = Readonly<z.infer<typeof zIndexTarget>>;

const zCount = z.int().nonnegative();

export const zIndexOutcome = z.object({
  chunks: zCount,
  files: zCount,
  dimension: z.int().positive().nullable(),
  path: z.string(),
  embedded: zCount,
  reused: zCount,
  skipped: z.record(z.string(), zCount),
  notes: z.array(z.string()),
});
export type IndexOutcome = Readonly<z.infer<typeof zIndexOutcome>>;

export const indexBuildEvents = {
  IndexBuildRequested: define('IndexBuildRequested', z.object({ build: z.string(), target: zIndexTarget })),
  /** The index file is written, synced and in its place. */
  IndexBuilt: define('IndexBuilt', z.object({ build: z.string(), outcome: zIndexOutcome })),
  /** The earlier index is unchanged. `interrupted`: the daemon ended during the build. */
  IndexBuildFailed: define(
    'IndexBuildFailed',
    z.object({
      build: z.string(),
      reason: z.enum(['refused', 'failed', 'interrupted']),
      message: z.string(),
    }),
  ),
} as const;

export type IndexBuildEvent = EventIn<typeof indexBuildEvents>;
