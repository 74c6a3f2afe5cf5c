/** The wire schema of a replay, for the route that sends it and the CLI command that prints it. */
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';

export const zReplay = z.object({
  session_id: z.string(),
  identical: z.boolean().describe('Whether the rules of today ask for the same effects in the same order.'),
  events: z.int().describe('Events of the run that were folded.'),
  effects: z.int().describe('Effects that were compared.'),
  divergence: z
    .object({
      position: z.int(),
      version: z.int().describe('Number of the event in the stream of the run, from 1.'),
      field: z.string().describe('What differs in it.'),
      recorded: zJson,
      replayed: zJson,
    })
    .nullable()
    .describe('The first difference; null without one.'),
});
z.globalRegistry.add(zReplay, { id: 'Replay' });
