/**
 * Builds of the code index: requested by a route, ended by the reactor that performs them. One stream for each index,
 * `index-<digest of workspace and model>`. The index itself is a file; no event holds any of its text.
 */
import { z } from 'zod';
import { define, ERASED_TEXT, type EventIn } from './define.ts';

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
  chunks: zCount.describe('Pieces of text in the index.'),
  files: zCount.describe('Files in the index.'),
  dimension: z.int().positive().nullable().describe('Numbers in a vector; null for an index without vectors.'),
  path: z.string().describe('File of the index.'),
  embedded: zCount.describe('Pieces that the model was asked for.'),
  reused: zCount.describe('Pieces whose vector the index before had.'),
  skipped: z.record(z.string(), zCount).describe('Files that are not in the index, counted by reason.'),
  notes: z.array(z.string()).describe('Sentences for a person about what limits the index.'),
});
export type IndexOutcome = Readonly<z.infer<typeof zIndexOutcome>>;

const ERASED_OUTCOME: IndexOutcome = {
  chunks: 0,
  files: 0,
  dimension: null,
  path: '',
  embedded: 0,
  reused: 0,
  skipped: {},
  notes: [],
};

export const indexBuildEvents = {
  IndexBuildRequested: define('IndexBuildRequested', z.object({ build: z.string(), target: zIndexTarget })),
  /** The index file is written, synced and in its place. */
  IndexBuilt: define('IndexBuilt', z.object({ build: z.string(), outcome: zIndexOutcome }), {
    whenErased: { build: '', outcome: ERASED_OUTCOME },
  }),
  /** The earlier index is unchanged. `interrupted`: the daemon ended during the build. */
  IndexBuildFailed: define(
    'IndexBuildFailed',
    z.object({
      build: z.string(),
      reason: z.enum(['refused', 'failed', 'interrupted']),
      message: z.string(),
    }),
    { whenErased: { build: '', reason: 'failed', message: ERASED_TEXT } },
  ),
} as const;

export type IndexBuildEvent = EventIn<typeof indexBuildEvents>;
