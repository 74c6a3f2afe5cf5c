/**
 * The events that follow by rule from a decision about a run, without an effect: the circuit breaker, the step limit,
 * approvals, the tools that only steer the run, and its end.
 */
import { z } from 'zod';
import type { DataOf } from '../../events/define.ts';
import { type RunEvent, zPlanStep } from '../../events/run/events.ts';
import type { Context } from '../decider.ts';
import { approvalRequested, isAllowed } from './approvals.ts';
import { answerText, type ToolCallData } from './conversation.ts';
import { breakerAfter, extensionEarned, openSteps, partialSummary, rejection, toolFacts } from './rules.ts';
import { evolveRun, type RunState } from './state.ts';

const PLAN_STEPS_MAX = 200;
const GO_ON =
  'Your answer reached its limit of tokens and was cut off. Go on exactly where it stopped, in the middle of a word if ' +
  'need be, without repeating anything. A tool call that was cut off was not made: make it again, with less at once.';
const STATUSES = zPlanStep.shape.status.options.join('|');
export const PLAN_REFUSAL = `update_plan needs {steps: [{description, status: ${STATUSES}}]}, 1 to ${PLAN_STEPS_MAX} steps.`;
/** The wording of the same refusal in the events of earlier programs. */
export const PLAN_REFUSAL_BEFORE =
  'update_plan needs {steps: [{description, status: pending|in_progress|done|failed|skipped}]}.';

/** The events with their consequences, until an effect is due or nothing follows. */
export function withConsequences(first: readonly RunEvent[], before: RunState, context: Context): readonly RunEvent[] {
  const events = [...first];
  let state = first.reduce(evolveRun, before);
  const next = (): readonly RunEvent[] => consequence(state, events, context);
  for (let more = next(); more.length > 0; more = next()) {
    events.push(...more);
    state = more.reduce(evolveRun, state);
  }
  return events;
}

function consequence(state: RunState, events: readonly RunEvent[], context: Context): readonly RunEvent[] {
  if (state.status !== 'running') return [];
  const health = breakerAfter(state);
  if (health !== null) return [{ type: 'HealthChanged', data: health }];
  const last = events.at(-1);
  if (last?.type === 'ModelAnswered' && state.pending.length === 0) return [afterAnswer(last.data, state)];
  const call = state.pending[0];
  return call !== undefined && state.phase.name === 'tool_due' ? settleWithoutEffect(call, state, context) : [];
}

/** Handles the next call without an effect: the step limit, approvals, and the tools that only steer the run. */
export function settleWithoutEffect(call: ToolCallData, state: RunState, context: Context): readonly RunEvent[] {
  if (state.steps >= state.budget) return [atStepLimit(state)];
  const step_num = state.stepNum + 1;
  const tool = toolFacts(state, call.name);
  const no = isAllowed(state, call) ? null : rejection(tool, call.name, state.request?.approval ?? 'suggest');
  if (no !== null) {
    const approval = tool === undefined ? null : approvalRequested(state, call, context);
    if (approval !== null) return [approval];
    return [{ type: 'ToolRejected', data: { step_num, call_id: call.id, tool_name: call.name, content: no } }];
  }
  if (call.name === 'finish') {
    return [ending(zFinish.safeParse(call.input).data?.summary ?? lastText(state), state)];
  }
  if (call.name !== 'update_plan') return [];
  const plan = zPlan.safeParse(call.input);
  if (plan.success) return [{ type: 'PlanUpdated', data: { step_num, call_id: call.id, ...plan.data } }];
  const refusal = { step_num, call_id: call.id, tool_name: call.name, content: PLAN_REFUSAL };
  return [{ type: 'ToolRejected', data: refusal }];
}

function atStepLimit(state: RunState): RunEvent {
  const request = state.request;
  if (extensionEarned(state)) {
    const granted = request?.max_steps ?? 0;
    return {
      type: 'StepsExtended',
      data: {
        granted,
        budget: state.budget + granted,
        extension: state.extensions + 1,
        max_step_extensions: request?.max_step_extensions ?? 0,
      },
    };
  }
  const why =
    state.breaker !== 'healthy'
      ? `its tool calls kept failing`
      : state.extensions > 0
        ? `its ${state.extensions} extension${state.extensions === 1 ? ' is' : 's are'} used up`
        : `it may not be extended`;
  return stopped(`Stopped after ${state.steps} steps: the step budget is used up and ${why}.`, state);
}

/**
 * An answer that reached its limit of tokens is continued as often as the request allows; then the run stops with the
 * text so far. One that a filter cut off fails the run. A run that allows no continuation, which an earlier program
 * requested, ends with a part of an answer as with a whole one.
 */
function afterAnswer({ call, finish_reason }: DataOf<RunEvent, 'ModelAnswered'>, state: RunState): RunEvent {
  const continuations_max = state.request?.continuations_max ?? 0;
  if (finish_reason === 'content_filter' && continuations_max > 0) {
    return { type: 'RunFailed', data: { message: 'The provider’s filter cut the answer off.' } };
  }
  if (finish_reason !== 'length' || continuations_max === 0) return ending(lastText(state), state);
  const { times } = state.continued;
  if (times >= continuations_max) {
    const cut = `[The answer is cut off: it reached its limit of tokens again after ${times} continuations.]`;
    return stopped(`${lastText(state)}\n\n${cut}`, state);
  }
  return { type: 'AnswerContinued', data: { call, continuation: times + 1, continuations_max, message: GO_ON } };
}

/**
 * A reply without a tool call, or `finish`, ends the run: complete, or partial when its own plan still has open steps.
 */
function ending(summary: string, state: RunState): RunEvent {
  return openSteps(state.plan).length === 0 ? { type: 'RunCompleted', data: { summary } } : stopped(summary, state);
}

function stopped(reason: string, state: RunState): RunEvent {
  const remaining_plan = [...openSteps(state.plan)];
  const steps_planned = state.plan.length;
  return {
    type: 'RunStopped',
    data: {
      reason,
      summary: partialSummary(reason, steps_planned, remaining_plan),
      steps_completed: steps_planned - remaining_plan.length,
      steps_planned,
      remaining_plan,
    },
  };
}

function lastText(state: RunState): string {
  return answerText(state).trim() || 'The model ended without a summary.';
}

const zFinish = z.object({ summary: z.string().regex(/\S/) });

/** Some models write `completed` instead of `done`; a refusal would lose the plan. */
const zPlannedStep = zPlanStep.extend({
  status: z.preprocess((status) => (status === 'completed' ? 'done' : status), zPlanStep.shape.status),
});
const zPlan = z.object({ steps: zPlannedStep.array().min(1).max(PLAN_STEPS_MAX) });
