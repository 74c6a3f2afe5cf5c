/**
 * Exact replay: folds a recorded run through the present decider with its recorded outcomes. The decider asks for the
 * same effects in the same order and writes the same events, or the report names the first difference.
 *
 * - The events of one decision share a causation; the first one identifies the command.
 * - Time comes from the events, jitter from the recorded failures. Tools have their present descriptions, so a changed
 *   tool or prompt shows as another request hash.
 * - An earlier program ended a failed run without an outcome of the effect in flight; that decision is the same.
 * - A plan that an earlier program refused with another wording is the same event; the recorded wording is replayed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DataOf } from '../../events/define.ts';
import type { RunEvent } from '../../events/run/events.ts';
import { isRefusal } from '../refusal.ts';
import { PLAN_REFUSAL, PLAN_REFUSAL_BEFORE } from './consequences.ts';
import { type RunCommand, run } from './decide.ts';
import { nextRunEffect } from './effects.ts';
import type { ToolDescription } from './request.ts';
import { evolveRun, initialRun, type RunState } from './state.ts';

export type RecordedRunEvent = RunEvent & {
  readonly position: number;
  readonly version: number;
  readonly at: number;
  readonly causation: string | null;
  readonly erased?: true;
};

export interface Divergence {
  readonly position: number;
  readonly version: number;
  /** Path of the first field that differs, such as `data.request_hash`, or `effect`, `type`, `refused`, `erased`. */
  readonly field: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

export interface ReplayReport {
  readonly identical: boolean;
  readonly events: number;
  readonly effects: number;
  readonly divergence: Divergence | null;
}

export function replayRun(recorded: readonly RecordedRunEvent[], tools: readonly ToolDescription[]): ReplayReport {
  const steps = replaySteps(recorded, tools);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** As `replayRun`, one decision at each step. */
export function* replaySteps(
  recorded: readonly RecordedRunEvent[],
  tools: readonly ToolDescription[],
): Generator<undefined, ReplayReport, undefined> {
  let state = initialRun;
  let effects = 0;
  for (const decision of decisions(recorded)) {
    const difference = erasedIn(decision) ?? effectDiffers(decision, state) ?? decisionDiffers(decision, state, tools);
    if (difference !== null) return { identical: false, events: recorded.length, effects, divergence: difference };
    if (isIntent(decision[0]!)) effects += 1;
    for (const event of decision) state = evolveRun(state, event);
    yield;
  }
  return { identical: true, events: recorded.length, effects, divergence: null };
}

type Decided = readonly RecordedRunEvent[];

function decisions(recorded: readonly RecordedRunEvent[]): readonly Decided[] {
  const groups: RecordedRunEvent[][] = [];
  for (const event of recorded) {
    const last = groups.at(-1);
    if (last !== undefined && event.causation !== null && last[0]!.causation === event.causation) last.push(event);
    else groups.push([event]);
  }
  return groups;
}

function isIntent(event: RecordedRunEvent): event is Extract<RecordedRunEvent, { type: 'ModelAsked' | 'ToolStarted' }> {
  return event.type === 'ModelAsked' || event.type === 'ToolStarted';
}

function erasedIn(decision: Decided): Divergence | null {
  const event = decision.find((each) => each.erased === true);
  return event === undefined
    ? null
    : differs(event, 'erased', true, 'its payload was erased, replay cannot go past it');
}

/** The recorded intent must be the effect that is due in the state before it. */
function effectDiffers(decision: Decided, state: RunState): Divergence | null {
  const first = decision[0]!;
  if (!isIntent(first)) return null;
  const due = nextRunEffect(state);
  const recorded =
    first.type === 'ModelAsked'
      ? `ask ${first.data.call}.${first.data.attempt}`
      : `tool ${state.call} ${first.data.call.id}`;
  return due?.key === recorded ? null : differs(first, 'effect', recorded, due?.key ?? 'nothing');
}

function decisionDiffers(decision: Decided, state: RunState, tools: readonly ToolDescription[]): Divergence | null {
  const first = decision[0]!;
  const decided = run.decide(commandOf(decision, state, tools), state, { id: '', now: first.at });
  if (isRefusal(decided)) return differs(first, 'refused', first.type, decided.message);
  const today = first.type === 'RunFailed' ? decided.filter(({ type }) => !INTERRUPTIONS.has(type)) : decided;
  for (const [index, event] of decision.entries()) {
    const again = today[index];
    if (again?.type !== event.type) return differs(event, 'type', event.type, again?.type ?? 'nothing');
    const path = firstDifference(wordedAsToday(event), again.data, 'data');
    if (path !== null) return differs(event, path.field, path.recorded, path.replayed);
  }
  const extra = today[decision.length];
  return extra === undefined ? null : differs(decision.at(-1)!, 'type', 'nothing more', extra.type);
}

const INTERRUPTIONS: ReadonlySet<RunEvent['type']> = new Set(['ModelCallInterrupted', 'ToolInterrupted']);

function wordedAsToday(event: RunEvent): RunEvent['data'] {
  if (event.type !== 'ToolRejected' || event.data.content !== PLAN_REFUSAL_BEFORE) return event.data;
  return { ...event.data, content: PLAN_REFUSAL };
}

function differs(event: RecordedRunEvent, field: string, recorded: unknown, replayed: unknown): Divergence {
  return { position: event.position, version: event.version, field, recorded, replayed };
}

/** The command whose decision the events are. */
function commandOf(decision: Decided, state: RunState, tools: readonly ToolDescription[]): RunCommand {
  const first = decision[0]!;
  const notes = decision.flatMap((event) => (event.type === 'SystemNoted' ? [event.data.content] : []));
  switch (first.type) {
    case 'RunRequested': {
      const fork = decision.find((event) => event.type === 'RunForked');
      return { type: 'RequestRun', request: first.data, notes, fork: fork?.type === 'RunForked' ? fork.data : null };
    }
    case 'RunResumed':
      return { type: 'ResumeRun', request: first.data.request, notes };
    case 'RunBegun':
      return { type: 'BeginRun', node: first.data.node };
    case 'ModelAsked':
      return {
        type: 'StartModelCall',
        inputs: { settings: first.data.settings, thinking_budget: first.data.thinking_budget, tools },
        node: first.data.node,
      };
    case 'ModelFramesReceived':
      return { type: 'RecordFrames', call: first.data.call, frames: first.data.frames };
    case 'ModelAnswered': {
      const { call, ...answer } = first.data;
      return { type: 'RecordAnswer', call, answer, jitter: 0 };
    }
    case 'ModelCallFailed':
      return { type: 'RecordModelFailure', call: first.data.call, failure: first.data };
    case 'BackoffEnded':
      return { type: 'EndBackoff', call: first.data.call };
    case 'ToolStarted':
      return { type: 'StartTool', call_id: first.data.call.id };
    case 'ToolFinished':
      return { type: 'RecordTool', call_id: first.data.call_id, report: pickReport(first.data) };
    case 'ToolLeftChanges':
      return { type: 'RecordLeftChanges', ...first.data };
    case 'ApprovalAnswered': {
      const { approval_id: approval, decision: answer, reason } = first.data;
      return { type: 'AnswerApproval', approval, decision: answer, reason };
    }
    case 'ApprovalExpired':
      return { type: 'ExpireApproval', approval: first.data.approval_id };
    case 'ToolInterrupted':
    case 'ModelCallInterrupted':
    case 'ApprovalWithdrawn':
    case 'RunCancelled':
      return interruption(decision, state);
    case 'RunFailed':
      return { type: 'FailRun', message: first.data.message };
    default:
      return { type: 'FailRun', message: `No command writes ${first.type} first.` };
  }
}

function pickReport(data: DataOf<RunEvent, 'ToolFinished'>) {
  const { success, output, files_modified, duration_ms } = data;
  return { success, output, files_modified, duration_ms };
}

function interruption(decision: Decided, state: RunState): RunCommand {
  const cancelled = decision.find((event) => event.type === 'RunCancelled');
  if (cancelled?.type === 'RunCancelled') return { type: 'CancelRun', reason: cancelled.data.reason };
  const failed = decision.find((event) => event.type === 'RunFailed');
  if (failed?.type === 'RunFailed') return { type: 'FailRun', message: failed.data.message };
  const first = decision[0]!;
  const text = first.type === 'ToolInterrupted' || first.type === 'ModelCallInterrupted' ? first.data.reason : '';
  return { type: 'RecoverRun', reason: reasonIn(text, state) };
}

/** Extracts the reason from the sentence that the decider wrote. */
function reasonIn(text: string, state: RunState): string {
  const again = run.decide({ type: 'RecoverRun', reason: '\u0000' }, state, { id: '', now: 0 });
  if (isRefusal(again)) return text;
  const first = again[0];
  const frame = first?.type === 'ToolInterrupted' || first?.type === 'ModelCallInterrupted' ? first.data.reason : '';
  const [before = '', after = ''] = frame.split('\u0000');
  return text.startsWith(before) && text.endsWith(after) ? text.slice(before.length, text.length - after.length) : text;
}

interface Difference {
  readonly field: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

function firstDifference(recorded: unknown, replayed: unknown, field: string): Difference | null {
  if (isDeepStrictEqual(recorded, replayed)) return null;
  if (!isObject(recorded) || !isObject(replayed)) return { field, recorded, replayed };
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(replayed)])].sort();
  for (const key of keys) {
    const inner = firstDifference(recorded[key], replayed[key], `${field}.${key}`);
    if (inner !== null) return inner;
  }
  return { field, recorded, replayed };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
