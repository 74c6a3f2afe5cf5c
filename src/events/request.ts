/**
 * The first answer to a POST that carried an `Idempotency-Key`, stream `request-<hash of method, path and key>`.
 * Appended in the same commit as the events of the command it answers, so that both are stored or neither.
 */
import { z } from 'zod';
import { define, type EventIn } from './define.ts';
import { zJson } from './envelope.ts';

export const requestEvents = {
  RequestAnswered: define(
    'RequestAnswered',
    z.object({
      method: z.string(),
      path: z.string(),
      /** SHA-256 of the canonical body of the request; a keyed hash when the answer is sealed. */
      body_hash: z.string(),
      status: z.int(),
      content_type: z.string(),
      /** Further headers of an answer that is text. */
      headers: z.record(z.string(), z.string()).exactOptional(),
      /** Null with a content type: the bytes are not stored, because they can be computed again. */
      body: zJson,
      /** The body as ciphertext when it has texts that are encrypted at rest; `body` is null then. */
      sealed: z.string().exactOptional(),
    }),
  ),
} as const;

export type RequestEvent = EventIn<typeof requestEvents>;
