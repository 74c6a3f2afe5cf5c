/** The tools of Daybook's own MCP server: each is one request to the running daemon. */
import { z } from 'zod';
import { zGoalStatus } from '../../events/goal.ts';
import type { OwnMcpTool } from '../../queries/connector/daybook-tools.ts';
import type { RequestOptions } from '../client.ts';

export interface OwnTool<Input extends z.ZodType = z.ZodType> {
  readonly input: Input;
  readonly readOnly: boolean;
  request(input: z.infer<Input>): { readonly path: string } & Pick<RequestOptions<unknown>, 'method' | 'body'>;
}

const LIST_DEFAULT = 20;
const zLimit = z.int().min(1).max(200).default(LIST_DEFAULT).describe('How many at most.');

export const OWN_TOOLS: Readonly<Record<OwnMcpTool, OwnTool>> = {
  jobs_list: tool({
    input: z.object({ limit: zLimit }),
    readOnly: true,
    request: ({ limit }) => ({ path: `/jobs?limit=${limit}` }),
  }),
  job_read: tool({
    input: z.object({ session_id: z.string().min(1).describe('As jobs_list and run_start answer it.') }),
    readOnly: true,
    request: ({ session_id }) => ({ path: `/jobs/${encodeURIComponent(session_id)}` }),
  }),
  run_start: tool({
    input: z.object({ task: z.string().min(1).describe('What the agent is to do.') }),
    readOnly: false,
    request: (body) => ({ method: 'POST', path: '/agent', body }),
  }),
  memory_query: tool({
    input: z.object({ query: z.string().min(1), limit: z.int().min(1).max(50).default(5) }),
    readOnly: true,
    request: (body) => ({ method: 'POST', path: '/memory/query', body }),
  }),
  memory_add: tool({
    input: z.object({ content: z.string().min(1), tags: z.array(z.string()).default([]) }),
    readOnly: false,
    request: (body) => ({ method: 'POST', path: '/memory/add', body }),
  }),
  goals_list: tool({
    input: z.object({
      status: zGoalStatus.optional(),
      limit: zLimit,
    }),
    readOnly: true,
    request: ({ status, limit }) => ({
      path: `/v1/goals?${new URLSearchParams({ limit: String(limit), ...(status === undefined ? {} : { status }) })}`,
    }),
  }),
};

function tool<Input extends z.ZodType>(of: OwnTool<Input>): OwnTool {
  return of;
}
