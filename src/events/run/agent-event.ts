/**
 * The output of a run in `GET /stream/{session_id}`: the contract's AgentEvents, derived from the run's events by one
 * pure function. The order of the events is the order of the stream; each AgentEvent gets the next number.
 */
import { z } from 'zod';
import type { RunEvent } from './events.ts';

export const AGENT_EVENT_TYPES = ['user', 'chunk', 'step', 'system', 'retry', 'complete', 'partial', 'error'] as const;

/** `user` appears in histories only; the live stream has the other seven. */
export const zAgentEvent = z.object({
  type: z.enum(AGENT_EVENT_TYPES),
  content: z.string().optional(),
  step_num: z.int().optional(),
  tool_name: z.string().optional(),
  success: z.boolean().optional(),
  steps_completed: z.int().optional(),
  steps_planned: z.int().optional(),
  remaining_plan: z.array(z.string()).optional(),
  attempt: z.int().optional(),
  max_attempts: z.int().optional(),
  backoff_ms: z.int().optional(),
  /** Set on the `system` event of a tool call that waits for this approval. */
  approval_id: z.string().optional(),
});
export type AgentEvent = z.infer<typeof zAgentEvent>;

export function isTerminalAgentEvent(type: AgentEvent['type']): boolean {
  return type === 'complete' || type === 'partial' || type === 'error';
}

/** The AgentEvents of one run event, in order; most events have none or one. */
export function agentEvents(event: RunEvent): readonly AgentEvent[] {
  switch (event.type) {
    case 'RunRequested':
      return [{ type: 'user', content: event.data.task }];
    case 'RunResumed':
      return [{ type: 'user', content: event.data.request.task }];
    case 'ModelFramesReceived':
      return event.data.frames.flatMap((frame): AgentEvent[] =>
        frame.type === 'text' && frame.text !== '' ? [{ type: 'chunk', content: frame.text }] : [],
      );
    case 'ToolFinished':
      return [step(event.data.step_num, event.data.tool_name, event.data.success)];
    case 'PlanUpdated':
      return [step(event.data.step_num, 'update_plan', true)];
    case 'ToolRejected':
    case 'SystemNoted':
      return [{ type: 'system', content: event.data.content }];
    case 'ApprovalRequested': {
      const { approval_id, call, expires_at } = event.data;
      const until = new Date(expires_at).toISOString();
      const content = `Tool '${call.name}' waits until ${until} for approval ${approval_id}: POST /approvals/${approval_id}.`;
      return [{ type: 'system', content, approval_id }];
    }
    case 'ApprovalAnswered': {
      const { decision, tool_name } = event.data;
      if (decision === 'deny') return [];
      const extent = decision === 'allow_run' ? 'for the rest of this run' : 'once';
      return [{ type: 'system', content: `Tool '${tool_name}' was allowed ${extent}.` }];
    }
    case 'ToolInterrupted': {
      const note: AgentEvent = { type: 'system', content: event.data.reason };
      return event.data.repeat ? [note] : [note, step(event.data.step_num, event.data.tool_name, false)];
    }
    case 'ModelCallInterrupted':
      return [{ type: 'system', content: event.data.reason }];
    case 'HealthChanged':
      return [{ type: 'system', content: `${event.data.state} — ${event.data.reason}` }];
    case 'StepsExtended': {
      const { granted, extension, max_step_extensions } = event.data;
      const content = `${granted} more steps granted (extension ${extension} of ${max_step_extensions}).`;
      return [{ type: 'system', content }];
    }
    case 'RetryScheduled': {
      const { content, attempt, max_attempts, backoff_ms } = event.data;
      return [{ type: 'retry', content, attempt, max_attempts, backoff_ms }];
    }
    case 'RunCompleted':
      return [{ type: 'complete', content: event.data.summary }];
    case 'RunStopped': {
      const { summary, steps_completed, steps_planned, remaining_plan } = event.data;
      return [{ type: 'partial', content: summary, steps_completed, steps_planned, remaining_plan }];
    }
    case 'RunFailed':
      return [{ type: 'error', content: event.data.message }];
    case 'RunForked':
    case 'RunBegun':
    case 'ModelAsked':
    case 'ModelAnswered':
    case 'ModelCallFailed':
    case 'BackoffEnded':
    case 'ToolStarted':
    case 'ToolLeftChanges':
    case 'ApprovalExpired':
    case 'ApprovalWithdrawn':
    case 'RunCancelled':
      return [];
  }
}

function step(step_num: number, tool_name: string, success: boolean): AgentEvent {
  return { type: 'step', step_num, tool_name, success };
}
