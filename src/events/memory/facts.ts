/**
 * Temporal facts: a subject, a predicate, an object, and from when to when it held. Appended by the fact route, all
 * facts of one (subject, predicate) on one stream `fact-<key>`.
 *
 * - Valid time (`valid_from`, `valid_to`, Unix seconds) is when it was so; recorded time is when we were told: the
 *   event's own `at`.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

export const zFactBody = z.object({
  id: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  /** The three above as ciphertext, and they are empty; null without encryption. */
  sealed: z.string().nullable(),
  /** Fingerprints of the object, and of the line a context block shows. */
  object_key: z.string(),
  line_key: z.string(),
  valid_from: z.number(),
  confidence: z.number().min(0).max(1),
});
export type FactBody = z.infer<typeof zFactBody>;

export const factEvents = {
  FactAsserted: define('FactAsserted', zFactBody),
  /** It held until another fact of the same subject and predicate took over; said anew when an earlier one turns up. */
  FactClosed: define('FactClosed', z.object({ id: z.string(), valid_to: z.number(), closed_by: z.string() })),
  /** The one that closed it is gone: it holds until the next one begins, or still. */
  FactReopened: define('FactReopened', z.object({ id: z.string(), valid_to: z.number().nullable() })),
  FactDeleted: define('FactDeleted', z.object({ id: z.string(), positions: z.array(z.int().positive()) })),
  /** A fact of before encryption as ciphertext, on the stream of its new key; the old events are erased. */
  FactSealed: define(
    'FactSealed',
    zFactBody.extend({ valid_to: z.number().nullable(), recorded_at: z.int(), positions: z.array(z.int().positive()) }),
  ),
} as const;

export type FactEvent = EventIn<typeof factEvents>;
