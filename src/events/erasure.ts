/**
 * The record of erased payloads, on the one stream `log-erasures`. Appended by the storage itself, in the same commit
 * as the erasure.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';

const zErasedPayload = z.object({
  position: z.int().positive(),
  /** The leaf hash of the event before its erasure. */
  leaf_hash: z.string(),
  /** Hash over the leaf hash and everything else of the event. */
  seal: z.string(),
});

export const erasureEvents = {
  PayloadErased: define('PayloadErased', z.object({ erased: z.array(zErasedPayload) })),
} as const;

export type ErasureEvent = EventIn<typeof erasureEvents>;
