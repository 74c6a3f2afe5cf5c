/** The envelope of events on the wire and in exports, and the JSON values in it. */
import { z } from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const zJson: z.ZodType<Json> = z.json() as z.ZodType<Json>;
z.globalRegistry.add(zJson, { id: 'Json', description: 'Any JSON value.' });

/** The time in records that have seconds; all other times are in milliseconds. */
export const zUnixSeconds = z.int().describe('Unix time in seconds.');

/** The wire shape of an event, as `GET /v1/events` and the export show it. */
export const zEnvelope = z.object({
  position: z.int().positive(),
  stream: z.string(),
  version: z.int().positive().describe('Number of the event in its stream, from 1.'),
  id: z.string().describe('UUID of the event.'),
  type: z.string().describe('What happened, in the past tense.'),
  schema: z.int().positive().describe('Version of the schema of `data`, from 1.'),
  at: z.int(),
  actor: z.string(),
  correlation: z.string().nullable(),
  causation: z.string().nullable(),
  data: zJson,
  leaf_hash: z.string().length(64),
  erased: z.literal(true).exactOptional(),
});
z.globalRegistry.add(zEnvelope, { id: 'Envelope' });
export type Envelope = z.infer<typeof zEnvelope>;
