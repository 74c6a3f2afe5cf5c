/** The responses of a route whose answer is JSON. */
import { z } from 'zod';
import type { Responses } from './server/route.ts';

/** A 200 with a body of this schema, or with an object of these fields, and the meaning of the other statuses. */
export function ok(description: string, body: z.ZodType | z.ZodRawShape, others: Responses = {}): Responses {
  return { 200: { description, schema: body instanceof z.ZodType ? body : z.object(body) }, ...others };
}
