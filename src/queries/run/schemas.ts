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
    .object({ id: z.string(), name: z.string() })
    .nullable()
    .optional()
    .describe('The daemon that executes it at this moment; where several daemons are set.'),
  waiting: z
    .string()
    .nullable()
    .optional()
    .describe('Why no daemon executes it; where several daemons, or some folders, are set.'),
});

export const zReplay = z.object({
  session_id: z.string(),
  identical: z.boolean(),
  events: z.int(),
  effects: z.int(),
  divergence: z
    .object({
      position: z.int(),
      version: z.int(),
      field: z.string(),
      recorded: zJson,
      replayed: zJson,
    })
    .nullable(),
});
z.globalRegistry.add(zReplay, { id: 'Replay' });
