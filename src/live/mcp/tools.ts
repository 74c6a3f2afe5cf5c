/**
 * The tools of Daybook's own MCP server. Each sends requests to the running daemon, over HTTP or within its process.
 */
import { z } from 'zod';
import { zGoalStatus } from '../../events/goal.ts';
import type { AgentEvent } from '../../events/run/agent-event.ts';
import type { OwnMcpTool } from './tool-names.ts';

/** A request to a route of the daemon. */
interface DaemonRequest {
  readonly path: `/${string}`;
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
}

/** The access of tools to the daemon. */
export interface DaemonAccess {
  /** The JSON of the answer. Throws `ToolRefused` when the daemon refuses the request or cannot be reached. */
  request(request: DaemonRequest): Promise<unknown>;
  /** The AgentEvents of a run since its newest request. The sequence ends with the run, or when the signal aborts. */
  runEvents(sessionId: string, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** The message becomes the error of the tool call. */
export class ToolRefused extends Error {}

/** One call of a tool. */
interface ToolCall<Input> {
  readonly input: Input;
  readonly daemon: DaemonAccess;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Reports a step of the work, which is sent if the client requested progress. */
  progress(message: string): Promise<void>;
}

export interface OwnTool<Input extends z.ZodType = z.ZodType> {
  readonly input: Input;
  readonly readOnly: boolean;
  run(call: ToolCall<z.infer<Input>>): Promise<unknown>;
}

const LIST_DEFAULT = 20;
const WAIT_SECONDS_MAX = 3_600;
const WAIT_SECONDS_DEFAULT = 300;

const zLimit = z.int().min(1).max(200).default(LIST_DEFAULT).describe('How many at most.');
const zSessionId = z.string().min(1).describe('As jobs_list and run_start answer it.');
const zSeconds = z.int().min(1).max(WAIT_SECONDS_MAX).default(WAIT_SECONDS_DEFAULT).describe('How long at most.');

export const OWN_TOOLS: Readonly<Record<OwnMcpTool, OwnTool>> = {
  jobs_list: request({
    input: z.object({ limit: zLimit }),
    readOnly: true,
    request: ({ limit }) => ({ path: `/jobs?limit=${limit}` }),
  }),
  job_read: request({
    input: z.object({ session_id: zSessionId }),
    readOnly: true,
    request: ({ session_id }) => ({ path: jobPath(session_id) }),
  }),
  job_wait: tool({
    input: z.object({ session_id: zSessionId, seconds: zSeconds }),
    readOnly: true,
    run: waitForJob,
  }),
  run_start: request({
    input: z.object({ task: z.string().min(1).describe('What the agent is to do.') }),
    readOnly: false,
    request: (body) => ({ method: 'POST', path: '/agent', body }),
  }),
  memory_query: request({
    input: z.object({ query: z.string().min(1), limit: z.int().min(1).max(50).default(5) }),
    readOnly: true,
    request: (body) => ({ method: 'POST', path: '/memory/query', body }),
  }),
  memory_add: request({
    input: z.object({ content: z.string().min(1), tags: z.array(z.string()).default([]) }),
    readOnly: false,
    request: (body) => ({ method: 'POST', path: '/memory/add', body }),
  }),
  goals_list: request({
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

function request<Input extends z.ZodType>({
  input,
  readOnly,
  request: requestOf,
}: Pick<OwnTool<Input>, 'input' | 'readOnly'> & { request(input: z.infer<Input>): DaemonRequest }): OwnTool {
  return tool({ input, readOnly, run: (call) => call.daemon.request(requestOf(call.input)) });
}

async function waitForJob({
  input: { session_id, seconds },
  daemon,
  signal,
  progress,
}: ToolCall<{ readonly session_id: string; readonly seconds: number }>): Promise<unknown> {
  // Throws for an unknown run.
  await daemon.request({ path: jobPath(session_id) });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
  for await (const event of daemon.runEvents(session_id, inTime)) {
    const message = stepOf(event);
    if (message !== null) await progress(message);
  }
  return daemon.request({ path: jobPath(session_id) });
}

function jobPath(sessionId: string): `/${string}` {
  return `/jobs/${encodeURIComponent(sessionId)}`;
}

/** The progress message of an AgentEvent; null for parts of texts and for the end of the run. */
function stepOf({ type, content = '', step_num = 0, tool_name = '', success }: AgentEvent): string | null {
  switch (type) {
    case 'step':
      return `Step ${step_num}: ${tool_name} ${success === false ? 'failed' : 'is done'}`;
    case 'system':
    case 'retry':
      return content;
    case 'user':
    case 'chunk':
    case 'complete':
    case 'partial':
    case 'error':
      return null;
  }
}
