/**
 * The state that the rules of a run need, folded from its events.
 *
 * - `phase` names the one effect that is due or in flight; in a terminal status none is due.
 * - `messages` is the conversation for the next model call; `draft` is the answer that is still arriving.
 */
import { type DataOf, ERASED_TEXT } from '../../events/define.ts';
import type { Frame, Message, PlanStep, RunEvent, RunRequest } from '../../events/run/events.ts';
import type { Occurrence } from '../decider.ts';
import { answerText, closedConversation, draftMessage, type ToolCallData } from './conversation.ts';

export type RunStatus = 'none' | 'queued' | 'running' | 'complete' | 'partial' | 'failed' | 'cancelled';

export type RunPhase =
  | { readonly name: 'idle' }
  /** The model is due to be asked. */
  | { readonly name: 'asking'; readonly attempt: number }
  /** The model's answer is in progress. */
  | { readonly name: 'asked'; readonly attempt: number }
  /** `until`: the time that the provider asked for, when that is later than a backoff allows. */
  | { readonly name: 'backing_off'; readonly attempt: number; readonly ms: number; readonly until?: number }
  /** The first call of `pending` is due. */
  | { readonly name: 'tool_due' }
  | { readonly name: 'tool_started'; readonly call: ToolCallData }
  /** The first call of `pending` waits for an approval; the only effect is the wait. */
  | {
      readonly name: 'awaiting_approval';
      readonly approval: string;
      readonly call: ToolCallData;
      readonly expires_at: number;
    };

export type BreakerState = DataOf<RunEvent, 'HealthChanged'>['state'];

export interface RunState {
  readonly status: RunStatus;
  readonly request: RunRequest | null;
  readonly phase: RunPhase;
  readonly messages: readonly Message[];
  readonly draft: readonly Frame[];
  /** An answer that was cut off and is being continued: its text so far, and the number of continuations. */
  readonly continued: { readonly times: number; readonly text: string };
  /** Number of the newest model call, from 1. */
  readonly call: number;
  /** Tool calls of the newest answer that have no outcome yet, in order. */
  readonly pending: readonly ToolCallData[];
  /** Number of tool calls with an outcome in this request: executed, rejected or answered by the run itself. */
  readonly steps: number;
  /** Steps of the whole session, by which `step` events are numbered. */
  readonly stepNum: number;
  readonly budget: number;
  readonly extensions: number;
  readonly plan: readonly PlanStep[];
  readonly breaker: BreakerState;
  readonly failuresInRow: number;
  /** Outcomes of the newest tool calls, newest last, at most RECENT_OUTCOMES_MAX. */
  readonly recent: readonly boolean[];
  readonly filesModified: readonly string[];
  /** Number of approvals requested in this request, from which their ids are derived. */
  readonly approvals: number;
  /** Id of the call that a person allowed, until it has its outcome. */
  readonly allowedCall: string | null;
  /** Tools that a person allowed for the rest of this request. */
  readonly allowedTools: readonly string[];
}

const RECENT_OUTCOMES_MAX = 10;

export const initialRun: RunState = {
  status: 'none',
  request: null,
  phase: { name: 'idle' },
  messages: [],
  draft: [],
  continued: { times: 0, text: '' },
  call: 0,
  pending: [],
  steps: 0,
  stepNum: 0,
  budget: 0,
  extensions: 0,
  plan: [],
  breaker: 'healthy',
  failuresInRow: 0,
  recent: [],
  filesModified: [],
  approvals: 0,
  allowedCall: null,
  allowedTools: [],
};

export function isTerminal(status: RunStatus): boolean {
  return status === 'complete' || status === 'partial' || status === 'failed' || status === 'cancelled';
}

const evolutions: {
  readonly [Type in RunEvent['type']]: (state: RunState, data: DataOf<RunEvent, Type>) => RunState;
} = {
  RunRequested: (state, data) => begin(state, data, [{ role: 'user', content: data.task }]),
  RunForked: (state, { messages, plan, steps }) => {
    return { ...state, messages: [...messages, ...state.messages], plan, stepNum: steps };
  },
  RunResumed: (state, { request }) => resumed(state, request),
  // A run whose request is erased does not begin.
  RunBegun: (state) => (state.status === 'queued' ? { ...asking(state, 0), status: 'running' } : state),
  RunCompleted: (state) => end(state, 'complete'),
  RunStopped: (state) => end(state, 'partial'),
  RunFailed: (state) => end(state, 'failed'),
  RunCancelled: (state) => end(state, 'cancelled'),

  ModelAsked: (state, { call, attempt }) => ({ ...state, call, draft: [], phase: { name: 'asked', attempt } }),
  ModelFramesReceived: (state, { frames }) => ({ ...state, draft: [...state.draft, ...frames] }),
  ModelAnswered: answered,
  AnswerContinued: (state, { continuation: times, message }) => ({
    ...asking(state, 0),
    continued: { times, text: answerText(state) },
    messages: [...state.messages, { role: 'user', content: message }],
  }),
  ModelCallFailed: (state) => ({ ...state, draft: [] }),
  ModelCallInterrupted: (state) => ({ ...asking(state, attemptOf(state.phase)), draft: [] }),
  // The question may be erased: the retry has its number, too.
  RetryScheduled: (state, { call, attempt, backoff_ms: ms }) => {
    return { ...state, call, phase: { name: 'backing_off', attempt: attempt + 1, ms } };
  },
  ModelCallPostponed: (state, { again_at: until }) =>
    state.phase.name === 'backing_off' ? { ...state, phase: { ...state.phase, until } } : state,
  BackoffEnded: (state) => asking(state, attemptOf(state.phase)),

  ToolStarted: (state, { call }) => ({ ...state, phase: { name: 'tool_started', call } }),
  ToolFinished: (state, data) => ({
    ...settled(state, data, { output: data.output, success: data.success }),
    filesModified: union(state.filesModified, data.files_modified),
  }),
  ToolLeftChanges: (state, data) => ({ ...state, filesModified: union(state.filesModified, data.files_modified) }),
  ToolRejected: (state, data) => settled(state, data, { output: data.content, success: false }, false),
  ToolInterrupted: (state, data) =>
    data.repeat ? toolDue(state) : settled(state, data, { output: data.reason, success: false }),
  PlanUpdated: (state, data) => {
    const call = { ...data, tool_name: 'update_plan' };
    return { ...settled(state, call, { output: 'The plan is noted.', success: true }), plan: data.steps };
  },

  ApprovalRequested: (state, { approval_id: approval, call, expires_at }) => {
    const phase: RunPhase = { name: 'awaiting_approval', approval, call, expires_at };
    return { ...state, phase, approvals: state.approvals + 1 };
  },
  ApprovalAnswered: approved,
  ApprovalExpired: toolDue,
  ApprovalWithdrawn: toolDue,

  SystemNoted: (state) => state,
  HealthChanged: (state, { state: breaker }) => ({ ...state, breaker }),
  StepsExtended: (state, { budget, extension }) => ({ ...state, budget, extensions: extension }),
};

export function evolveRun(state: RunState, event: RunEvent): RunState {
  const evolution = evolutions[event.type] as (state: RunState, data: RunEvent['data']) => RunState;
  return evolution(state, event.data);
}

/**
 * The start and the outcome of a tool call count without their payload, so that no call runs twice: the call is the one
 * that has started, else the next one.
 */
export function evolveErasedRun(state: RunState, { type }: Pick<Occurrence, 'type'>): RunState {
  const call = state.phase.name === 'tool_started' ? state.phase.call : state.pending[0];
  if (call === undefined) return state;
  if (type === 'ToolStarted') return { ...state, phase: { name: 'tool_started', call } };
  if (type !== 'ToolFinished' && type !== 'ToolInterrupted') return state;
  const isRepeated =
    type === 'ToolInterrupted' && state.request?.tools.find(({ name }) => name === call.name)?.idempotent;
  if (isRepeated) return toolDue(state);
  const outcome = { step_num: state.stepNum + 1, call_id: call.id, tool_name: call.name };
  return settled(state, outcome, { output: ERASED_TEXT, success: type === 'ToolFinished' }, false);
}

function asking(state: RunState, attempt: number): RunState {
  return { ...state, phase: { name: 'asking', attempt } };
}

function toolDue(state: RunState): RunState {
  return { ...state, phase: { name: 'tool_due' } };
}

function resumed(state: RunState, request: RunRequest): RunState {
  return begin(state, request, [...state.messages, { role: 'user', content: request.task }]);
}

function begin(state: RunState, request: RunRequest, messages: readonly Message[]): RunState {
  return {
    ...state,
    status: 'queued',
    request,
    phase: { name: 'idle' },
    messages,
    draft: [],
    continued: initialRun.continued,
    pending: [],
    steps: 0,
    budget: request.max_steps,
    extensions: 0,
    breaker: 'healthy',
    failuresInRow: 0,
    recent: [],
    approvals: 0,
    allowedCall: null,
    allowedTools: [],
  };
}

/** The call is due again. `allow_run` is remembered; a denial is followed by a rejection. */
function approved(
  state: RunState,
  { decision, tool_name }: { readonly decision: string; readonly tool_name: string },
): RunState {
  const due = toolDue(state);
  if (decision === 'allow_run') return { ...due, allowedTools: union(state.allowedTools, [tool_name]) };
  return decision === 'allow_once' ? { ...due, allowedCall: state.pending[0]?.id ?? null } : due;
}

/** A finished answer joins the conversation, and its tool calls become `pending`. */
function answered(state: RunState): RunState {
  const message = draftMessage(state.draft);
  const calls = message.tool_calls;
  return {
    ...state,
    messages: message.content === '' && calls.length === 0 ? state.messages : [...state.messages, message],
    draft: [],
    continued: calls.length > 0 ? initialRun.continued : state.continued,
    pending: calls,
    phase: { name: calls.length > 0 ? 'tool_due' : 'idle' },
  };
}

/**
 * A tool call has its outcome: it leaves `pending`, its output joins the conversation, and the breaker counts it if it
 * ran.
 */
function settled(
  state: RunState,
  call: { readonly call_id: string; readonly tool_name: string; readonly step_num: number },
  outcome: { readonly output: string; readonly success: boolean },
  counts = true,
): RunState {
  const pending = state.pending.filter((waiting) => waiting.id !== call.call_id);
  return {
    ...state,
    pending,
    allowedCall: null,
    steps: state.steps + 1,
    stepNum: call.step_num,
    phase: pending.length > 0 ? { name: 'tool_due' } : { name: 'asking', attempt: 0 },
    messages: [
      ...state.messages,
      {
        role: 'tool',
        call_id: call.call_id,
        name: call.tool_name,
        output: outcome.output,
        is_error: !outcome.success,
      },
    ],
    recent: counts ? [...state.recent, outcome.success].slice(-RECENT_OUTCOMES_MAX) : state.recent,
    failuresInRow: !counts ? state.failuresInRow : outcome.success ? 0 : state.failuresInRow + 1,
  };
}

function end(state: RunState, status: RunStatus): RunState {
  return { ...state, status, phase: { name: 'idle' }, draft: [], messages: closedConversation(state), pending: [] };
}

function attemptOf(phase: RunPhase): number {
  return phase.name === 'asked' || phase.name === 'asking' || phase.name === 'backing_off' ? phase.attempt : 0;
}

function union(before: readonly string[], more: readonly string[]): readonly string[] {
  const added = more.filter((path) => !before.includes(path));
  return added.length === 0 ? before : [...before, ...added];
}
