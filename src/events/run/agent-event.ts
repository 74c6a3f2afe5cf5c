/**
 * The output of a run in `GET /stream/{session_id}`: the contract's AgentEvents, derived from the run's events by one
 * pure function. The order of the events is the order of the stream; each AgentEvent gets the next number.
 */
import { z } from 'zod';
import type { DataOf } from '../define.ts';
import type { RunEvent } from './events.ts';

const AGENT_EVENT_TYPES = ['user', 'chunk', 'step', 'system', 'retry', 'complete', 'partial', 'error'] as const;

/** `user` appears in histories only; the live stream has the other seven. */
export const zAgentEvent = z.object({
  type: z.enum(AGENT_EVENT_TYPES).describe('What the rest is about; `complete`, `partial` and `error` end the stream.'),
  content: z.string().exactOptional().describe('Text: of the model, of the user or about the run.'),
  step_num: z.int().exactOptional().describe('Number of the tool call, from 1.'),
  tool_name: z.string().exactOptional(),
  success: z.boolean().exactOptional().describe('Whether the tool call succeeded.'),
  steps_completed: z.int().exactOptional().describe('Steps of the plan that were carried out.'),
  steps_planned: z.int().exactOptional().describe('Steps of the plan.'),
  remaining_plan: z.array(z.string()).exactOptional().describe('Planned steps that are left.'),
  attempt: z.int().exactOptional().describe('The attempt that failed, from 0.'),
  max_attempts: z.int().exactOptional().describe('Attempts that a model call has.'),
  backoff_ms: z.int().exactOptional(),
  approval_id: z
    .string()
    .exactOptional()
    .describe('Set on the `system` event of a tool call that waits for this approval.'),
});
z.globalRegistry.add(zAgentEvent, { id: 'AgentEvent', examples: [{ type: 'chunk', content: 'The parser' }] });
export type AgentEvent = z.infer<typeof zAgentEvent>;

const zAgentEventType = zAgentEvent.pick({ type: true });

/** Reads an event of a stream. Null for a type that this version does not know, which readers ignore. */
export function readAgentEvent(data: unknown): AgentEvent | null {
  return zAgentEventType.safeParse(data).success ? zAgentEvent.parse(data) : null;
}

/** Whether an AgentEvent of this type is the last one of its run. */
export function isTerminalAgentEvent(type: AgentEvent['type']): boolean {
  return type === 'complete' || type === 'partial' || type === 'error';
}

/** The AgentEvents of one run event, in order; most events have none or one. */
export function agentEvents(event: RunEvent): readonly AgentEvent[] {
  const shown = agentEventsOf[event.type] as (data: RunEvent['data']) => readonly AgentEvent[];
  return shown(event.data);
}

const none = (): readonly AgentEvent[] => [];
const system = (content: string): AgentEvent => ({ type: 'system', content });

const agentEventsOf: {
  readonly [Type in RunEvent['type']]: (data: DataOf<RunEvent, Type>) => readonly AgentEvent[];
} = {
  RunRequested: ({ task }) => [{ type: 'user', content: task }],
  RunForked: none,
  RunResumed: ({ request }) => [{ type: 'user', content: request.task }],
  RunBegun: none,
  RunCompleted: ({ summary }) => [{ type: 'complete', content: summary }],
  RunStopped: ({ summary, steps_completed, steps_planned, remaining_plan }) => [
    { type: 'partial', content: summary, steps_completed, steps_planned, remaining_plan },
  ],
  RunFailed: ({ message }) => [{ type: 'error', content: message }],
  RunCancelled: none,

  ModelAsked: none,
  ModelFramesReceived: ({ frames }) =>
    frames.flatMap((frame): AgentEvent[] =>
      frame.type === 'text' && frame.text !== '' ? [{ type: 'chunk', content: frame.text }] : [],
    ),
  ModelAnswered: none,
  AnswerContinued: ({ continuation, continuations_max }) => [
    system(
      `The answer reached its limit of tokens; the model is asked to go on (${continuation} of ${continuations_max}).`,
    ),
  ],
  ModelCallFailed: none,
  ModelCallInterrupted: ({ reason }) => [system(reason)],
  RetryScheduled: ({ content, attempt, max_attempts, backoff_ms }) => [
    { type: 'retry', content, attempt, max_attempts, backoff_ms },
  ],
  ModelCallPostponed: ({ again_at }) => [
    system(`The provider asks for a longer wait: the model is called again at ${new Date(again_at).toISOString()}.`),
  ],
  BackoffEnded: none,

  ToolStarted: none,
  ToolFinished: ({ step_num, tool_name, success }) => [step(step_num, tool_name, success)],
  ToolLeftChanges: none,
  ToolRejected: ({ content }) => [system(content)],
  ToolInterrupted: ({ repeat, reason, step_num, tool_name }) =>
    repeat ? [system(reason)] : [system(reason), step(step_num, tool_name, false)],
  PlanUpdated: ({ step_num }) => [step(step_num, 'update_plan', true)],

  ApprovalRequested: ({ approval_id, call, expires_at }) => {
    const until = new Date(expires_at).toISOString();
    const content = `Tool '${call.name}' waits until ${until} for approval ${approval_id}: POST /approvals/${approval_id}.`;
    return [{ ...system(content), approval_id }];
  },
  ApprovalAnswered: ({ decision, tool_name }) => {
    if (decision === 'deny') return [];
    const extent = decision === 'allow_run' ? 'for the rest of this run' : 'once';
    return [system(`Tool '${tool_name}' was allowed ${extent}.`)];
  },
  ApprovalExpired: none,
  ApprovalWithdrawn: none,

  SystemNoted: ({ content }) => [system(content)],
  HealthChanged: ({ state, reason }) => [system(`${state} — ${reason}`)],
  StepsExtended: ({ granted, extension, max_step_extensions }) => [
    system(`${granted} more steps granted (extension ${extension} of ${max_step_extensions}).`),
  ],
};

function step(step_num: number, tool_name: string, success: boolean): AgentEvent {
  return { type: 'step', step_num, tool_name, success };
}
