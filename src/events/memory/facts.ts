/**
 * Temporal facts: a subject, a predicate, an object, and the time for which it held. Appended by the fact route and by
 * encryption, all facts of one (subject, predicate) on one stream `fact-<key>`.
 *
 * - Valid time (`valid_from`, `valid_to`, Unix seconds) is when the fact held; recorded time is the event's `at`.
 */
import { z } from 'zod';
import { define, type EventIn } from '../define.ts';

export const zFactBody = z.object({
  id: z.string().describe('Id of the fact.'),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  /** The three fields above as ciphertext, and they are empty; null without encryption. */
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
  /** It held until another fact of its subject and predicate began. Appended again when an earlier one is recorded. */
  FactClosed: define('FactClosed', z.object({ id: z.string(), valid_to: z.number(), closed_by: z.string() })),
  /** The fact that closed it was deleted: it holds until the next fact begins, or without end. */
  FactReopened: define('FactReopened', z.object({ id: z.string(), valid_to: z.number().nullable() })),
  FactDeleted: define('FactDeleted', z.object({ id: z.string(), positions: z.array(z.int().positive()) })),
  /** A fact from before encryption as ciphertext, on the stream of its new key; the plain events are erased. */
  FactSealed: define(
    'FactSealed',
    zFactBody.extend({ valid_to: z.number().nullable(), recorded_at: z.int(), positions: z.array(z.int().positive()) }),
  ),
} as const;

export type FactEvent = EventIn<typeof factEvents>;
