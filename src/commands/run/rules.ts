/** The limits and rules of runs: approvals, step budget, circuit breaker, backoff, plans. */
import type { z } from 'zod';
import type { HarnessSettings } from '../../events/harness.ts';
import type { Approval, PlanStep, RunRequest, ToolFacts, zFinishReason } from '../../events/run/events.ts';
import type { BreakerState, RunState } from './state.ts';

/** Default number of steps before the first extension is requested. */
export const MAX_STEPS_DEFAULT = 50;
export const MAX_STEP_EXTENSIONS_DEFAULT = 3;
export const MAX_STEP_EXTENSIONS_LIMIT = 10_000;
/** How often in a row a new run asks the model to continue an answer that was cut off. */
export const CONTINUATIONS_MAX = 3;
/** Attempts of one model call, the first included. */
const MODEL_ATTEMPTS_MAX = 5;
/** The same in the midst of work, about 45 minutes: an outage in the night does not end a run that has begun well. */
export const WORKING_ATTEMPTS_MAX = 60;
export const BACKOFF_MS_MAX = 60_000;
/** The longest wait between two attempts of a model call: a provider that limits by the day asks for less. */
export const POSTPONEMENT_MS_MAX = 24 * 3_600_000;
const BACKOFF_MS_BASE = 500;
const FAILURES_TO_DEGRADE = 3;
const FAILURES_TO_OPEN = 5;

/** The policies under which a tool of a class runs without an approval. */
const ALLOWED: Readonly<Record<ToolFacts['class'], readonly Approval[]>> = {
  read: ['suggest', 'auto-edit', 'full-auto', 'read-only'],
  control: ['suggest', 'auto-edit', 'full-auto', 'read-only'],
  edit: ['auto-edit', 'full-auto'],
  execute: ['full-auto'],
};

const SPELLINGS: Readonly<Record<string, Approval>> = {
  suggest: 'suggest',
  'auto-edit': 'auto-edit',
  autoedit: 'auto-edit',
  smart: 'auto-edit',
  'smart-approval': 'auto-edit',
  'full-auto': 'full-auto',
  fullauto: 'full-auto',
  auto: 'full-auto',
  autonomous: 'full-auto',
  'read-only': 'read-only',
  readonly: 'read-only',
  'chat-only': 'chat-only',
  chatonly: 'chat-only',
};

/** The policy of any spelling that clients use, in any case. */
export function knownApproval(text: string): Approval | undefined {
  const spelling = text.trim().toLowerCase().replaceAll('_', '-');
  return Object.hasOwn(SPELLINGS, spelling) ? SPELLINGS[spelling] : undefined;
}

/** A caller's policy; an unknown one gets the most restrictive policy. */
export function parseApproval(text: string): Approval {
  return knownApproval(text) ?? 'suggest';
}

/** Limit of a tool name in an error, because a model may have invented it. */
const NAME_CHARACTERS_MAX = 100;

/** Why a call may not run, or null when it may. */
export function rejection(tool: ToolFacts | undefined, name: string, approval: Approval): string | null {
  if (tool === undefined)
    return `There is no tool named '${name.slice(0, NAME_CHARACTERS_MAX).toWellFormed()}' in this run; it was not run.`;
  const policies = ALLOWED[tool.class];
  if (policies.includes(approval)) return null;
  const unattended = policies.filter((policy) => policy === 'auto-edit' || policy === 'full-auto').join(' and ');
  return (
    `Tool '${name}' needs approval under the policy ${approval} and was not run: ` +
    `nobody can be asked here. Policies that run it: ${unattended}.`
  );
}

/** The tools that a run may see; none when it only chats. */
export function visibleTools(state: RunState): readonly ToolFacts[] {
  const request = state.request;
  if (request === null || request.mode === 'chat' || request.approval === 'chat-only') return [];
  return request.tools;
}

/** The facts of a tool the run may see, by its name. */
export function toolFacts(state: RunState, name: string): ToolFacts | undefined {
  return visibleTools(state).find((tool) => tool.name === name);
}

/** The breaker after an outcome: it opens after five failures in a row and closes with the first success. */
export function breakerAfter(state: RunState): { readonly state: BreakerState; readonly reason: string } | null {
  const failures = state.failuresInRow;
  const next: BreakerState =
    failures >= FAILURES_TO_OPEN ? 'open' : failures >= FAILURES_TO_DEGRADE ? 'degraded' : 'healthy';
  if (next === state.breaker) return null;
  const reason = next === 'healthy' ? 'a tool call succeeded again' : `${failures} tool calls in a row failed`;
  return { state: next, reason };
}

/** Whether a run that used up its steps gets more: its tool calls still succeed and its breaker is healthy. */
export function extensionEarned(state: RunState): boolean {
  const request = state.request;
  if (request === null || request.max_steps === 0) return false;
  return state.extensions < request.max_step_extensions && state.breaker === 'healthy' && state.recent.includes(true);
}

/** Attempts of the call that is due: after an outcome of a tool or a part of an answer it is in the midst of work. */
export function attemptsMax({ messages, request, continued }: RunState): number {
  const isWorking = messages.at(-1)?.role === 'tool' || continued.times > 0;
  return (isWorking ? request?.working_attempts_max : undefined) ?? MODEL_ATTEMPTS_MAX;
}

/**
 * Milliseconds to wait before the next attempt: the provider's Retry-After, else exponential backoff, of which up to
 * half is random.
 */
export function backoffMs(attempt: number, jitter: number, retryAfterMs: number | null): number {
  const doubled = BACKOFF_MS_BASE * 2 ** attempt;
  const delay = retryAfterMs ?? doubled / 2 + (doubled / 2) * jitter;
  return Math.round(Math.min(BACKOFF_MS_MAX, Math.max(0, delay)));
}

/** The failure of an answer without text and tool calls. A filter or a limit would stop a further attempt too. */
export function nothingAnswered(reason: z.infer<typeof zFinishReason>): {
  kind: 'fatal' | 'transient';
  message: string;
} {
  if (reason === 'content_filter') return { kind: 'fatal', message: 'The provider’s filter withheld the answer.' };
  if (reason === 'length') {
    return { kind: 'fatal', message: 'The answer reached its limit of tokens before it said anything.' };
  }
  return { kind: 'transient', message: 'The model answered with nothing.' };
}

type ReasoningTier = NonNullable<RunRequest['reasoning']>;

const BUDGET_NAMES = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', 'extra-high': 'xhigh' } as const;

/** The thinking budget of this tier in tokens; null when the settings have none. */
export function thinkingBudget(settings: HarnessSettings, reasoning: ReasoningTier | null): number | null {
  return reasoning === null ? null : (settings.thinking_budgets?.[BUDGET_NAMES[reasoning]] ?? null);
}

/** Plan steps that are not done, in order. */
export function openSteps(plan: readonly PlanStep[]): readonly string[] {
  return plan
    .filter((step) => step.status === 'pending' || step.status === 'in_progress')
    .map((step) => step.description);
}

/** The text of a partial run: its summary and the open steps, if any. */
export function partialSummary(summary: string, planned: number, remaining: readonly string[]): string {
  if (remaining.length === 0) return summary;
  const completed = planned - remaining.length;
  const list = remaining.map((step, index) => `${completed + index + 1}. ${step}`).join('\n');
  return `${summary}\n\nRemaining (${remaining.length} of ${planned} steps not done):\n${list}`;
}
