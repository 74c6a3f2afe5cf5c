/** The wire schemas of a job, for the routes that send it and the CLI commands that read it. */
import { z } from 'zod';
import { zJson } from '../../events/envelope.ts';

export const zJobRecord = z.object({
  session_id: z.string(),
  task: z.string(),
  status: z
    .enum(['queued', 'running', 'complete', 'partial', 'failed', 'cancelled'])
    .describe('`partial`: it ended with planned steps left.'),
  provider: z.string().describe('Who answers.'),
  started_at: z.int(),
  finished_at: z.int().nullable(),
  summary: z.string().nullable().describe('What it did, or why it failed; null before its end.'),
  model: z.string().describe('The model that answers.'),
  approval: z.string(),
  workspace: z.string(),
  tags: z.array(z.string()),
  queued_at: z.int(),
  cancellation_reason: z.string().nullable(),
  steps_completed: z.int(),
  tokens_used: z.int(),
  files_modified: z.array(z.string()),
  parent_session_id: z.string().nullable(),
  node: z
    .object({ id: z.string().describe('Id of the daemon.'), name: z.string().describe('Its name for people.') })
    .nullable()
    .optional()
    .describe('The daemon that executes it at this moment, or executed it last; where several daemons are set.'),
  waiting: z
    .string()
    .nullable()
    .optional()
    .describe('Why no daemon executes it; where several daemons, or some folders, are set.'),
});

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
