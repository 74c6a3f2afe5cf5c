/**
 * The events of one agent run, stream `run-<session id>`. Decided by the run decider only: on behalf of a person
 * (request, cancel, resume, fork), of the run reactor (answers of model and tools) and of the daemon at its start.
 *
 * - Every effect has an intent event before it (`ModelAsked`, `ToolStarted`) and an outcome event after it.
 * - A model call is recorded with all that a replay needs: request hash, frames, usage, finish reason.
 * - These schemas are the storage format; docs/decisions/0010 has the rules for changing one.
 */
import { z } from 'zod';
import { define, ERASED_TEXT, type EventIn, from } from '../define.ts';
import { zJson } from '../envelope.ts';
import { zHarnessSettings } from '../harness.ts';

const RUN_MODES = ['agent', 'chat', 'sandbox'] as const;
/** How a run ends. `partial`: with planned steps left. */
export const RUN_ENDS = ['complete', 'partial', 'failed', 'cancelled'] as const;
export type RunEndStatus = (typeof RUN_ENDS)[number];

export const APPROVALS = ['suggest', 'auto-edit', 'full-auto', 'read-only', 'chat-only'] as const;
export type Approval = (typeof APPROVALS)[number];

export const APPROVAL_DECISIONS = ['allow_once', 'allow_run', 'deny'] as const;

export const zPlanStatus = z.enum(['pending', 'in_progress', 'done', 'failed', 'skipped']);
export const zPlanStep = z.object({ description: z.string(), status: zPlanStatus });
export type PlanStep = z.infer<typeof zPlanStep>;

const zToolFacts = z.object({
  name: z.string(),
  class: z.enum(['read', 'edit', 'execute', 'control']),
  idempotent: z.boolean(),
});
export type ToolFacts = z.infer<typeof zToolFacts>;

export const zReasoningTier = z.enum(['minimal', 'low', 'medium', 'high', 'extra-high']);

/** The rules and skills of the project's plugins at the time of the request. A skill has its file, or its text. */
const zGuidance = z.object({
  rules: z.array(z.object({ plugin: z.string(), name: z.string(), text: z.string() })),
  skills: z.array(
    z.object({
      plugin: z.string(),
      name: z.string(),
      description: z.string(),
      file: z.string().exactOptional(),
      text: z.string().exactOptional(),
    }),
  ),
});
export type Guidance = z.infer<typeof zGuidance>;

/** The request as `RunRequested` 1 and `RunResumed` 1 and 2 hold it. */
const zRunRequestV1 = z.object({
  task: z.string(),
  provider: z.string(),
  model: z.string(),
  approval: z.enum(APPROVALS),
  mode: z.enum(RUN_MODES),
  workspace: z.string(),
  max_steps: z.int().nonnegative(),
  max_step_extensions: z.int().nonnegative(),
  reasoning: zReasoningTier.nullable(),
  tags: z.array(z.string()),
  tools: z.array(zToolFacts),
  /** Version of the program that took the request. */
  program: z.string(),
  /**
   * When present, gated tools wait for approval, at most `timeout_ms`. The id of an approval is the prefix and a
   * number.
   */
  interactive: z.object({ approval_prefix: z.string(), timeout_ms: z.int().positive() }).exactOptional(),
  guidance: zGuidance.exactOptional(),
});

export const zRunRequest = zRunRequestV1.extend({
  /**
   * How often in a row the model is asked to go on with an answer that its limit of tokens cut off; 0: such an answer
   * ends the run like a whole one.
   */
  continuations_max: z.int().nonnegative(),
  /** The longest wait that the run grants to a provider; without it a minute. */
  postponement_ms_max: z.int().positive().exactOptional(),
  /** Attempts of a model call in the midst of work; without it as many as of the first call. */
  working_attempts_max: z.int().positive().exactOptional(),
  /**
   * What is left out of a conversation that outgrows the context window of its model; without it only outputs of tools,
   * and none of the newest quarter of the messages.
   */
  context_policy: z.enum(['outputs-and-inputs']).exactOptional(),
  /** Tools that a client brought for this session; their facts are in `tools`. */
  session_tools: z
    .array(z.object({ name: z.string(), description: z.string(), input_schema: z.record(z.string(), zJson) }))
    .exactOptional(),
});
export type RunRequest = z.infer<typeof zRunRequest>;

const zToolCall = z.object({ id: z.string(), name: z.string(), input: zJson });
const zReasoning = z.object({ text: z.string(), signature: z.string().nullable() });

const zMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['user', 'system']), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(zToolCall),
    reasoning: z.array(zReasoning).exactOptional(),
  }),
  z.object({
    role: z.literal('tool'),
    call_id: z.string(),
    name: z.string(),
    output: z.string(),
    is_error: z.boolean(),
  }),
]);
export type Message = z.infer<typeof zMessage>;

export const zFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string(), signature: z.string().nullable() }),
  z.object({ type: z.literal('tool_call'), call: zToolCall }),
]);
export type Frame = z.infer<typeof zFrame>;

export const zUsage = z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() });
export const zModelErrorKind = z.enum(['transient', 'fatal', 'unconfigured']);
export const zFinishReason = z.enum(['stop', 'tool_calls', 'length', 'content_filter', 'other']);

/** The daemon that executes the run from here on; left out where a daemon has the log for itself. */
const zRunNode = z.object({ id: z.string(), name: z.string() });
export type RunNode = z.infer<typeof zRunNode>;

/** Version 1 had no continuations. */
function withContinuations(request: z.infer<typeof zRunRequestV1>): RunRequest {
  return { ...request, continuations_max: 0 };
}

export const runEvents = {
  RunRequested: define('RunRequested', {
    version: 2,
    data: zRunRequest,
    upcast: { 1: from(zRunRequestV1, withContinuations) },
  }),
  /** Second event of a forked run: the conversation it starts from, copied so that the stream stands alone. */
  RunForked: define(
    'RunForked',
    z.object({
      from_session_id: z.string(),
      from_version: z.int().positive(),
      messages: z.array(zMessage),
      plan: z.array(zPlanStep),
      steps: z.int().nonnegative(),
    }),
  ),
  RunBegun: define('RunBegun', z.object({ node: zRunNode.exactOptional() }), { whenErased: {} }),
  /** A finished run taken up again under the same session id with a new task. */
  RunResumed: define('RunResumed', {
    version: 3,
    data: z.object({ request: zRunRequest }),
    upcast: {
      // Version 1 repeated the task of the request.
      1: from(z.object({ task: z.string(), request: zRunRequestV1 }), ({ request }) => ({ request })),
      2: from(z.object({ request: zRunRequestV1 }), ({ request }) => ({ request: withContinuations(request) })),
    },
  }),
  SystemNoted: define('SystemNoted', z.object({ content: z.string() })),
  ModelAsked: define(
    'ModelAsked',
    z.object({
      call: z.int().positive(),
      attempt: z.int().nonnegative(),
      provider: z.string(),
      model: z.string(),
      settings: zHarnessSettings,
      thinking_budget: z.int().nullable(),
      /** SHA-256 of the RFC 8785 bytes of the whole request. */
      request_hash: z.string(),
      node: zRunNode.exactOptional(),
    }),
  ),
  ModelFramesReceived: define('ModelFramesReceived', z.object({ call: z.int(), frames: z.array(zFrame) })),
  ModelAnswered: define('ModelAnswered', z.object({ call: z.int(), finish_reason: zFinishReason, usage: zUsage })),
  /** The answer reached its limit of tokens: the model is asked, with this message, to go on where it stopped. */
  AnswerContinued: define(
    'AnswerContinued',
    z.object({
      call: z.int().positive(),
      continuation: z.int().positive(),
      continuations_max: z.int().positive(),
      message: z.string(),
    }),
  ),
  ModelCallFailed: define(
    'ModelCallFailed',
    z.object({
      call: z.int(),
      attempt: z.int(),
      kind: zModelErrorKind,
      message: z.string(),
      status: z.int().nullable(),
      retry_after_ms: z.number().nullable(),
      /** The random part of the backoff, 0 to 1, recorded so that replay computes the same wait. */
      jitter: z.number(),
    }),
  ),
  ModelCallInterrupted: define('ModelCallInterrupted', z.object({ call: z.int(), reason: z.string() })),
  RetryScheduled: define(
    'RetryScheduled',
    z.object({ call: z.int(), attempt: z.int(), max_attempts: z.int(), backoff_ms: z.int(), content: z.string() }),
  ),
  /** The provider asked for a longer wait than the backoff that was just scheduled: the backoff ends at `again_at`. */
  ModelCallPostponed: define('ModelCallPostponed', z.object({ call: z.int(), again_at: z.int() })),
  BackoffEnded: define('BackoffEnded', z.object({ call: z.int() })),
  ToolStarted: define('ToolStarted', z.object({ step_num: z.int(), call: zToolCall })),
  ToolFinished: define(
    'ToolFinished',
    z.object({
      step_num: z.int(),
      call_id: z.string(),
      tool_name: z.string(),
      success: z.boolean(),
      output: z.string(),
      files_modified: z.array(z.string()),
      duration_ms: z.number(),
    }),
  ),
  /** Rejected by the policy or because the tool is unknown; nothing ran. */
  ToolRejected: define(
    'ToolRejected',
    z.object({ step_num: z.int(), call_id: z.string(), tool_name: z.string(), content: z.string() }),
  ),
  /** A gated tool waits for a person, and the run with it, until the answer, the expiry or the end of the run. */
  ApprovalRequested: define(
    'ApprovalRequested',
    z.object({ approval_id: z.string(), step_num: z.int(), call: zToolCall, expires_at: z.int() }),
  ),
  ApprovalAnswered: define(
    'ApprovalAnswered',
    z.object({
      approval_id: z.string(),
      tool_name: z.string(),
      decision: z.enum(APPROVAL_DECISIONS),
      reason: z.string().nullable(),
    }),
  ),
  /** No answer in time; counts as denied. */
  ApprovalExpired: define('ApprovalExpired', z.object({ approval_id: z.string(), tool_name: z.string() })),
  /** The run ended before an answer. */
  ApprovalWithdrawn: define('ApprovalWithdrawn', z.object({ approval_id: z.string(), reason: z.string() })),
  /** A started tool whose outcome is unknown. `repeat`: the tool is idempotent and runs again. */
  ToolInterrupted: define(
    'ToolInterrupted',
    z.object({
      step_num: z.int(),
      call_id: z.string(),
      tool_name: z.string(),
      reason: z.string(),
      repeat: z.boolean(),
    }),
  ),
  /**
   * The files that an interrupted tool changed. Appended when the tool has ended, possibly after the end of the run.
   */
  ToolLeftChanges: define('ToolLeftChanges', z.object({ call_id: z.string(), files_modified: z.array(z.string()) })),
  PlanUpdated: define('PlanUpdated', z.object({ step_num: z.int(), call_id: z.string(), steps: z.array(zPlanStep) })),
  HealthChanged: define(
    'HealthChanged',
    z.object({ state: z.enum(['healthy', 'degraded', 'open']), reason: z.string() }),
  ),
  StepsExtended: define(
    'StepsExtended',
    z.object({ granted: z.int(), budget: z.int(), extension: z.int(), max_step_extensions: z.int() }),
  ),
  RunCompleted: define('RunCompleted', z.object({ summary: z.string() }), { whenErased: { summary: ERASED_TEXT } }),
  RunStopped: define(
    'RunStopped',
    z.object({
      reason: z.string(),
      summary: z.string(),
      steps_completed: z.int(),
      steps_planned: z.int(),
      remaining_plan: z.array(z.string()),
    }),
    {
      whenErased: {
        reason: ERASED_TEXT,
        summary: ERASED_TEXT,
        steps_completed: 0,
        steps_planned: 0,
        remaining_plan: [],
      },
    },
  ),
  RunFailed: define('RunFailed', z.object({ message: z.string() }), { whenErased: { message: ERASED_TEXT } }),
  RunCancelled: define('RunCancelled', z.object({ reason: z.string() }), { whenErased: { reason: ERASED_TEXT } }),
} as const;

export type RunEvent = EventIn<typeof runEvents>;
