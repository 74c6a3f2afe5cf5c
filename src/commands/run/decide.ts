/**
 * The decider of agent runs. The events that follow by rule from a decision are in `consequences`; all rules of runs
 * are in this folder.
 *
 * - An unexpected outcome (the run ended, the call was interrupted) decides `[]`.
 * - The first event of a decision is its cause; the others follow from it and share its commit.
 */
import type { DataOf } from '../../events/define.ts';
import { type Frame, type RunEvent, type RunNode, type RunRequest, runEvents } from '../../events/run/events.ts';
import { isBlank } from '../blank.ts';
import type { Context, Decider, Decision } from '../decider.ts';
import { isRefusal, Refusal, sanitiseEcho } from '../refusal.ts';
import { type ApprovalCommand, approvalAnswered, approvalExpired, approvalWithdrawn } from './approvals.ts';
import { settleWithoutEffect, withConsequences } from './consequences.ts';
import { draftText } from './conversation.ts';
import { buildRequest, type RequestInputs, requestHash } from './request.ts';
import { attemptsMax, BACKOFF_MS_MAX, backoffMs, nothingAnswered, toolFacts } from './rules.ts';
import { evolveErasedRun, evolveRun, initialRun, isTerminal, type RunState } from './state.ts';

export type ModelFailure = Omit<DataOf<RunEvent, 'ModelCallFailed'>, 'call' | 'attempt'>;
type Answer = DataOf<RunEvent, 'ModelAnswered'>;
type Fork = DataOf<RunEvent, 'RunForked'>;
type ToolReport = Pick<DataOf<RunEvent, 'ToolFinished'>, 'success' | 'output' | 'files_modified' | 'duration_ms'>;

export type RunCommand =
  | {
      readonly type: 'RequestRun';
      readonly request: RunRequest;
      readonly notes: readonly string[];
      readonly fork: Fork | null;
    }
  | { readonly type: 'ResumeRun'; readonly request: RunRequest; readonly notes: readonly string[] }
  | { readonly type: 'BeginRun'; readonly node?: RunNode | undefined }
  | { readonly type: 'StartModelCall'; readonly inputs: RequestInputs; readonly node?: RunNode | undefined }
  | { readonly type: 'RecordFrames'; readonly call: number; readonly frames: readonly Frame[] }
  | {
      readonly type: 'RecordAnswer';
      readonly call: number;
      readonly answer: Omit<Answer, 'call'>;
      readonly jitter: number;
    }
  | { readonly type: 'RecordModelFailure'; readonly call: number; readonly failure: ModelFailure }
  | { readonly type: 'EndBackoff'; readonly call: number }
  | { readonly type: 'StartTool'; readonly call_id: string }
  | { readonly type: 'RecordTool'; readonly call_id: string; readonly report: ToolReport }
  | { readonly type: 'RecordLeftChanges'; readonly call_id: string; readonly files_modified: readonly string[] }
  | ApprovalCommand
  | { readonly type: 'CancelRun'; readonly reason: string }
  /** The process that performs the effect in flight has ended or is ending. */
  | { readonly type: 'RecoverRun'; readonly reason: string }
  | { readonly type: 'FailRun'; readonly message: string };

export const run: Decider<RunCommand, RunState, RunEvent> = {
  category: 'run',
  events: runEvents,
  initial: initialRun,
  decide,
  evolve: evolveRun,
  evolveErased: evolveErasedRun,
};

function decide(command: RunCommand, state: RunState, context: Context): Decision<RunEvent> {
  const first = decideCommand(command, state, context);
  if (isRefusal(first) || first.length === 0) return first;
  return withConsequences(first, state, context);
}

/** The events of the command itself, without those that follow from them. */
function decideCommand(command: RunCommand, state: RunState, context: Context): Decision<RunEvent> {
  switch (command.type) {
    case 'RequestRun':
      return requested(command, state);
    case 'ResumeRun':
      return resumed(command, state);
    case 'CancelRun':
      return cancelled(command.reason, state, context);
    case 'FailRun':
      return failed(command.message, state);
    case 'BeginRun':
      return state.status === 'queued' ? [{ type: 'RunBegun', data: executedBy(command.node) }] : [];
    case 'StartModelCall':
      return modelAsked(command, state);
    case 'RecordFrames':
      return framesReceived(command, state);
    case 'RecordAnswer':
      return answerReceived(command, state, context);
    case 'RecordModelFailure':
      return inFlight(state, command.call) ? modelFailed(state, command.failure, context) : [];
    case 'EndBackoff':
      return state.phase.name === 'backing_off' && state.call === command.call
        ? [{ type: 'BackoffEnded', data: { call: command.call } }]
        : [];
    case 'StartTool':
      return toolStarted(command.call_id, state, context);
    case 'RecordTool':
      return toolFinished(command, state);
    case 'RecordLeftChanges':
      return changesLeft(command, state);
    case 'AnswerApproval':
      return approvalAnswered(command, state, context);
    case 'ExpireApproval':
      return approvalExpired(command, state);
    case 'RecoverRun':
      return recovered(command.reason, state);
  }
}

function requested(command: Extract<RunCommand, { type: 'RequestRun' }>, state: RunState): Decision<RunEvent> {
  if (state.status !== 'none') return new Refusal('conflict', 'A run with this session id exists already.');
  if (isBlank(command.request.task)) return new Refusal('invalid', 'task must not be empty.');
  const fork: RunEvent[] = command.fork === null ? [] : [{ type: 'RunForked', data: command.fork }];
  return [{ type: 'RunRequested', data: command.request }, ...fork, ...noted(command.notes)];
}

function resumed(command: Extract<RunCommand, { type: 'ResumeRun' }>, state: RunState): Decision<RunEvent> {
  if (state.status === 'none') return new Refusal('not_found', 'There is no run to resume under this session id.');
  if (!isTerminal(state.status))
    return new Refusal('conflict', 'The run is still going; cancel it or wait for its end.');
  if (isBlank(command.request.task)) return new Refusal('invalid', 'task must not be empty.');
  return [{ type: 'RunResumed', data: { request: command.request } }, ...noted(command.notes)];
}

function noted(notes: readonly string[]): RunEvent[] {
  return notes.map((content) => ({ type: 'SystemNoted', data: { content } }));
}

function cancelled(reason: string, state: RunState, { id }: Context): Decision<RunEvent> {
  if (state.status === 'none') return new Refusal('not_found', `Job '${sanitiseEcho(id)}' not found`);
  if (isTerminal(state.status)) return [];
  return [
    ...interrupted(state, 'the run was cancelled', false),
    ...approvalWithdrawn(state, 'The run was cancelled.'),
    { type: 'RunCancelled', data: { reason } },
  ];
}

function failed(message: string, state: RunState): RunEvent[] {
  if (isTerminal(state.status) || state.status === 'none') return [];
  return [
    ...interrupted(state, 'the run failed', false),
    ...approvalWithdrawn(state, 'The run failed.'),
    { type: 'RunFailed', data: { message } },
  ];
}

function executedBy(node: RunNode | undefined): { readonly node?: RunNode } {
  return node === undefined ? {} : { node };
}

function modelAsked(
  { inputs, node }: Extract<RunCommand, { type: 'StartModelCall' }>,
  state: RunState,
): Decision<RunEvent> {
  if (state.status !== 'running' || state.phase.name !== 'asking' || state.request === null) return [];
  return [
    {
      type: 'ModelAsked',
      data: {
        call: state.phase.attempt === 0 ? state.call + 1 : state.call,
        attempt: state.phase.attempt,
        provider: state.request.provider,
        model: state.request.model,
        settings: inputs.settings,
        thinking_budget: inputs.thinking_budget,
        request_hash: requestHash(buildRequest(state, inputs)),
        ...executedBy(node),
      },
    },
  ];
}

function inFlight(state: RunState, call: number): boolean {
  return state.status === 'running' && state.phase.name === 'asked' && state.call === call;
}

function framesReceived(command: Extract<RunCommand, { type: 'RecordFrames' }>, state: RunState): Decision<RunEvent> {
  if (!inFlight(state, command.call) || command.frames.length === 0) return [];
  const taken = new Set(state.draft.flatMap((frame) => (frame.type === 'tool_call' ? [frame.call.id] : [])));
  const frames = command.frames.map((frame) => (frame.type === 'tool_call' ? uniqueCall(frame, taken) : frame));
  return [{ type: 'ModelFramesReceived', data: { call: command.call, frames } }];
}

/** Some servers give every call the same id, but ids must be unique within one answer. */
function uniqueCall(frame: Extract<Frame, { type: 'tool_call' }>, taken: Set<string>): Frame {
  let id = frame.call.id === '' ? 'call' : frame.call.id;
  for (let n = 2; taken.has(id); n += 1) id = `${frame.call.id}-${n}`;
  taken.add(id);
  return id === frame.call.id ? frame : { ...frame, call: { ...frame.call, id } };
}

function answerReceived(
  command: Extract<RunCommand, { type: 'RecordAnswer' }>,
  state: RunState,
  context: Context,
): Decision<RunEvent> {
  if (!inFlight(state, command.call)) return [];
  const empty = draftText(state.draft).trim() === '' && !state.draft.some((frame) => frame.type === 'tool_call');
  const failure = empty ? emptyAnswerFailure(command.answer.finish_reason, state) : null;
  if (failure === null) return [{ type: 'ModelAnswered', data: { call: command.call, ...command.answer } }];
  return modelFailed(state, { ...failure, status: null, retry_after_ms: null, jitter: command.jitter }, context);
}

/**
 * The failure of an empty answer; null when it is not a failure: after a tool's outcome, or after the rest of an answer
 * that was cut off, a model may have nothing to add.
 */
function emptyAnswerFailure(
  reason: Answer['finish_reason'],
  state: RunState,
): ReturnType<typeof nothingAnswered> | null {
  if (state.continued.times > 0 && (reason === 'length' || reason === 'stop')) return null;
  if (reason === 'stop' && state.messages.at(-1)?.role === 'tool') return null;
  return nothingAnswered(reason);
}

function modelFailed(state: RunState, failure: ModelFailure, { now }: Context): RunEvent[] {
  const attempt = state.phase.name === 'asked' ? state.phase.attempt : 0;
  const call = state.call;
  const { message: content, retry_after_ms } = failure;
  const failed: RunEvent = { type: 'ModelCallFailed', data: { call, attempt, ...failure } };
  if (failure.kind !== 'transient') return [failed, { type: 'RunFailed', data: { message: content } }];
  const max_attempts = attemptsMax(state);
  if (attempt + 1 >= max_attempts) {
    const message = `${content} (gave up after ${max_attempts} attempts)`;
    return [failed, { type: 'RunFailed', data: { message } }];
  }
  const backoff_ms = backoffMs(attempt, failure.jitter, retry_after_ms);
  const retry = { call, attempt, max_attempts, backoff_ms, content };
  const scheduled: RunEvent[] = [failed, { type: 'RetryScheduled', data: retry }];
  const waitMs = Math.min(Math.round(retry_after_ms ?? 0), state.request?.postponement_ms_max ?? 0);
  if (waitMs <= BACKOFF_MS_MAX) return scheduled;
  return [...scheduled, { type: 'ModelCallPostponed', data: { call, again_at: now + waitMs } }];
}

/**
 * A call that needs an approval or is rejected does not start, although that was decided with the answer of the model:
 * the events of that decision may be erased.
 */
function toolStarted(callId: string, state: RunState, context: Context): Decision<RunEvent> {
  const call = state.pending[0];
  if (state.status !== 'running' || state.phase.name !== 'tool_due' || call === undefined || call.id !== callId)
    return [];
  const instead = settleWithoutEffect(call, state, context);
  if (instead.length > 0) return instead;
  return [{ type: 'ToolStarted', data: { step_num: state.stepNum + 1, call } }];
}

function toolFinished(command: Extract<RunCommand, { type: 'RecordTool' }>, state: RunState): Decision<RunEvent> {
  if (state.phase.name !== 'tool_started' || state.phase.call.id !== command.call_id) {
    return changesLeft({ call_id: command.call_id, files_modified: command.report.files_modified }, state);
  }
  const { id: call_id, name: tool_name } = state.phase.call;
  return [{ type: 'ToolFinished', data: { step_num: state.stepNum + 1, call_id, tool_name, ...command.report } }];
}

/** Records the changed files of a tool call that was interrupted. */
function changesLeft(
  { call_id, files_modified }: { readonly call_id: string; readonly files_modified: readonly string[] },
  state: RunState,
): RunEvent[] {
  const unknown = files_modified.filter((path) => !state.filesModified.includes(path));
  return unknown.length === 0 ? [] : [{ type: 'ToolLeftChanges', data: { call_id, files_modified: unknown } }];
}

/** Marks the effect in flight, if any, as interrupted. `repeatable`: an idempotent tool may run again. */
function interrupted(state: RunState, reason: string, repeatable: boolean): RunEvent[] {
  if (state.phase.name === 'asked') {
    return [
      { type: 'ModelCallInterrupted', data: { call: state.call, reason: `The model call was cut off: ${reason}.` } },
    ];
  }
  if (state.phase.name !== 'tool_started') return [];
  const { id: call_id, name: tool_name } = state.phase.call;
  const repeat = repeatable && (toolFacts(state, tool_name)?.idempotent ?? false);
  const text = repeat
    ? `Tool '${tool_name}' was interrupted: ${reason}; it changes nothing and is run again.`
    : `Tool '${tool_name}' was interrupted: ${reason}. It may or may not have had its effect and is not run again.`;
  return [{ type: 'ToolInterrupted', data: { step_num: state.stepNum + 1, call_id, tool_name, reason: text, repeat } }];
}

function recovered(reason: string, state: RunState): Decision<RunEvent> {
  if (state.status !== 'running') return [];
  if (state.phase.name === 'backing_off') {
    const isPostponed = state.phase.until !== undefined;
    return isPostponed ? [] : [{ type: 'BackoffEnded', data: { call: state.call } }];
  }
  return interrupted(state, reason, true);
}
