/** What is said of a model's vectors: in the stats and `/health`, and in answers that were asked to use them. */
import { z } from 'zod';

export const zVectorStatus = z.object({
  /** null when the settings name none that there is. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** As the model really answered; null before its first answer. */
  dimension: z.int().nullable(),
  /** Entries (memories and drawers) with a vector of this model, of all there are. */
  embedded: z.int(),
  total: z.int(),
  /**
   * `complete`: every entry was asked for. `embedding`: under way. `waiting`: the provider fails, it is tried again.
   * `loading`: what is on disk is being read. `locked`: texts cannot be read. `misconfigured`: nobody can be asked.
   */
  state: z.enum(['complete', 'embedding', 'waiting', 'loading', 'locked', 'misconfigured']),
  /** Entries the provider does not take; they keep their built-in vector. Absent when there are none. */
  skipped: z.int().optional(),
  /** What the provider, or the disk, last failed with. */
  error: z.string().optional(),
});

export type VectorStatus = z.infer<typeof zVectorStatus>;

/** Absent while the built-in vectors are the configured ones. */
export const zVectorsUsed = z.object({
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** Whether the model's vectors had a part in the answer; if not, the built-in ones had. */
  used: z.boolean(),
  fallback_reason: z.string().optional(),
});

export type VectorsUsed = z.infer<typeof zVectorsUsed>;
