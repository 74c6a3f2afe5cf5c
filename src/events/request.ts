/**
 * The first answer to a POST that carried an `Idempotency-Key`, stream `request-<hash of method, path and key>`.
 * Appended in the same commit as the events of the command it answers, so that the pair is there or not at all.
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
      /** SHA-256 of the canonical body; of a sealed answer a mark of it that only the key's holder can make. */
      body_hash: z.string(),
      status: z.int(),
      content_type: z.string(),
      /** Null with a content type: bytes that are not kept, for they can be made again. */
      body: zJson,
      /** The body of an answer with texts that are encrypted at rest, which `body` then is not. */
      sealed: z.string().optional(),
    }),
  ),
} as const;

export type RequestEvent = EventIn<typeof requestEvents>;
