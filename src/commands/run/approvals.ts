/**
 * Approvals: an interactive run asks a person about a gated tool call and waits until the answer, the expiry or the end
 * of the run.
 *
 * - A denial and an expiry are followed by the rejection of the call, which the model reads; the run continues.
 * - `allow_run` allows the tool until the end of this request; a resumed run asks again.
 * - Only the policies `suggest` and `auto-edit` ask; `read-only` and `chat-only` reject without asking.
 */
import type { APPROVAL_DECISIONS, RunEvent } from '../../events/run/events.ts';
import type { Context, Decision } from '../decider.ts';
import { Refusal } from '../refusal.ts';
import type { ToolCallData } from './conversation.ts';
import type { RunState } from './state.ts';

export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export type ApprovalCommand =
  | {
      readonly type: 'AnswerApproval';
      readonly approval: string;
      readonly decision: ApprovalDecision;
      readonly reason: string | null;
    }
  /** The time for an answer has passed. */
  | { readonly type: 'ExpireApproval'; readonly approval: string };

/** Whether a person has allowed this call. */
export function isAllowed(state: RunState, call: ToolCallData): boolean {
  return state.allowedCall === call.id || state.allowedTools.includes(call.name);
}

/** The request for an approval of a gated call; null when this run does not ask. */
export function approvalRequested(state: RunState, call: ToolCallData, context: Context): RunEvent | null {
  const { interactive, approval } = state.request ?? {};
  if (interactive === undefined || (approval !== 'suggest' && approval !== 'auto-edit')) return null;
  return {
    type: 'ApprovalRequested',
    data: {
      approval_id: `${interactive.approval_prefix}-${state.approvals + 1}`,
      step_num: state.stepNum + 1,
      call,
      expires_at: context.now + interactive.timeout_ms,
    },
  };
}

export function approvalAnswered(
  command: Extract<ApprovalCommand, { type: 'AnswerApproval' }>,
  state: RunState,
  context: Context,
): Decision<RunEvent> {
  const waiting = waitingFor(command.approval, state);
  if (waiting === null) return new Refusal('conflict', 'Nobody waits for this approval any more.');
  if (context.now >= waiting.expires_at)
    return new Refusal('conflict', 'The approval has expired; it counts as denied.');
  const { approval: approval_id, decision, reason } = command;
  const tool_name = waiting.call.name;
  const answered: RunEvent = { type: 'ApprovalAnswered', data: { approval_id, tool_name, decision, reason } };
  if (decision !== 'deny') return [answered];
  const because = reason === null ? '' : ` The reason given: ${reason}`;
  return [answered, rejected(state, waiting.call, `Tool '${tool_name}' was denied and was not run.${because}`)];
}

/** Decided at whatever time: a clock that was ahead at the request may be corrected meanwhile. */
export function approvalExpired(
  command: Extract<ApprovalCommand, { type: 'ExpireApproval' }>,
  state: RunState,
): Decision<RunEvent> {
  const waiting = waitingFor(command.approval, state);
  if (waiting === null) return [];
  const tool_name = waiting.call.name;
  const content = `Tool '${tool_name}' was not run: nobody answered approval ${command.approval} in time.`;
  return [
    { type: 'ApprovalExpired', data: { approval_id: command.approval, tool_name } },
    rejected(state, waiting.call, content),
  ];
}

/** Withdraws the open approval of a run that ends. */
export function approvalWithdrawn(state: RunState, reason: string): RunEvent[] {
  if (state.phase.name !== 'awaiting_approval') return [];
  return [{ type: 'ApprovalWithdrawn', data: { approval_id: state.phase.approval, reason } }];
}

function waitingFor(approval: string, { status, phase }: RunState) {
  return status === 'running' && phase.name === 'awaiting_approval' && phase.approval === approval ? phase : null;
}

function rejected(state: RunState, call: ToolCallData, content: string): RunEvent {
  const data = { step_num: state.stepNum + 1, call_id: call.id, tool_name: call.name, content };
  return { type: 'ToolRejected', data };
}
