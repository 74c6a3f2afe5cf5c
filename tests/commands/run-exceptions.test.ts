/** The decider of a run in rare cases: odd commands, ids of calls, empty answers, recovery of a wait. */
import { describe, expect, it } from 'vitest';
import { run } from '../../src/commands/run/decide.ts';
import { extensionEarned, rejection, thinkingBudget, visibleTools } from '../../src/commands/run/rules.ts';
import { evolveErasedRun, evolveRun, initialRun, type RunState } from '../../src/commands/run/state.ts';
import type { Frame, RunEvent } from '../../src/events/run/events.ts';
import { INPUTS, runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { decider } from '../support/given.ts';
import { type DrivenRun, drive } from '../support/run.ts';

const { given } = decider(run);

function frames(driven: DrivenRun, ...received: readonly Frame[]): void {
  driven.send({ type: 'RecordFrames', call: driven.state.call, frames: received });
}

function toolCall(id: string): Frame {
  return { type: 'tool_call', call: { id, name: 'bash', input: {} } };
}

function last(driven: DrivenRun, type: RunEvent['type']) {
  return driven.events.findLast((event) => event.type === type)?.data;
}

it('a run that does not exist is not found when it is cancelled, and cannot fail', () => {
  given().when({ type: 'CancelRun', reason: 'x' }).thenRefused('not_found');
  given().when({ type: 'FailRun', message: 'x' }).thenNothing();
});

it('resuming needs a task', () => {
  const driven = drive();
  driven.answer('Done.');
  given(driven.events)
    .when({ type: 'ResumeRun', request: request({ task: ' ' }), notes: [] })
    .thenRefused('invalid');
});

describe('calls of one answer', () => {
  it('have different ids, also when they arrive one by one', () => {
    const driven = drive();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    for (let n = 0; n < 3; n += 1) frames(driven, toolCall('call_0'));
    const ids = driven.state.draft.flatMap((frame) => (frame.type === 'tool_call' ? [frame.call.id] : []));
    expect(ids).toEqual(['call_0', 'call_0-2', 'call_0-3']);
  });
  it('get an id when the model gives none', () => {
    const driven = drive();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    frames(driven, toolCall(''));
    expect(driven.state.draft).toMatchObject([{ call: { id: 'call' } }]);
  });
  it('no frames are no event', () => {
    const driven = drive();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    expect(driven.send({ type: 'RecordFrames', call: driven.state.call, frames: [] })).toEqual([]);
  });
});

describe('an empty answer', () => {
  const answered = (driven: DrivenRun, finish_reason: 'stop' | 'length' | 'content_filter' | 'tool_calls') => {
    const answer = { finish_reason, usage: { input_tokens: 1, output_tokens: 1 } };
    driven.send({ type: 'RecordAnswer', call: driven.state.call, answer, jitter: 0.5 });
  };
  it('of blanks is empty', () => {
    const driven = drive();
    driven.answer(' \n');
    expect(last(driven, 'ModelCallFailed')).toMatchObject({ kind: 'transient' });
  });
  it.each(['content_filter', 'length'] as const)(
    'that ends with %s fails the run at once, which says why',
    (reason) => {
      const driven = drive();
      driven.send({ type: 'StartModelCall', inputs: INPUTS });
      answered(driven, reason);
      const failed = last(driven, 'ModelCallFailed') as { kind: string; message: string };
      expect(failed.kind).toBe('fatal');
      expect(last(driven, 'RunFailed')).toEqual({ message: failed.message });
    },
  );
  it('to the outcome of a tool ends the run only when the model stopped by itself', () => {
    const driven = drive();
    driven.answer('', { name: 'read_file' });
    driven.tool();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    answered(driven, 'tool_calls');
    expect(last(driven, 'ModelCallFailed')).toMatchObject({ kind: 'transient' });
  });
  it('after a part of an answer fails the run when a filter withheld it', () => {
    const driven = drive();
    driven.cutOff('The first half');
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    answered(driven, 'content_filter');
    expect(driven.state.status).toBe('failed');
  });
});

describe('an interruption', () => {
  it('ends a wait for the next attempt: the model is asked at once', () => {
    const driven = drive();
    driven.fail();
    expect(driven.send({ type: 'RecoverRun', reason: 'x' })).toEqual([
      { type: 'BackoffEnded', data: { call: driven.state.call } },
    ]);
  });
  it('by a cancellation never runs a tool again, even one that changes nothing', () => {
    const driven = drive();
    driven.answer('', { name: 'read_file', id: 'r' });
    driven.send({ type: 'StartTool', call_id: 'r' });
    driven.send({ type: 'CancelRun', reason: 'enough' });
    expect(last(driven, 'ToolInterrupted')).toMatchObject({ repeat: false });
  });
});

it('a tool starts only when its call is the next one', () => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'one' }, { name: 'bash', id: 'two' });
  expect(driven.send({ type: 'StartTool', call_id: 'two' })).toEqual([]);
});

describe('a tool call one of whose events is erased', () => {
  const without = (erased: string, { events }: DrivenRun): RunState =>
    events.reduce(
      (state, event) => (event.type === erased ? evolveErasedRun(state, event) : evolveRun(state, event)),
      initialRun,
    );
  const twoCalls = (name: string): DrivenRun => {
    const driven = drive();
    driven.answer('', { name, id: 'one' }, { name, id: 'two' });
    return driven;
  };

  it.each(['ToolStarted', 'ToolFinished'])('(%s) is not due again after the calls that follow it', (type) => {
    const driven = twoCalls('bash');
    driven.tool();
    driven.tool();
    expect(without(type, driven)).toMatchObject({ phase: { name: 'asking' }, pending: [], steps: 2, stepNum: 2 });
  });
  it('(ToolStarted) is the call that is interrupted', () => {
    const driven = twoCalls('bash');
    driven.send({ type: 'StartTool', call_id: 'one' });
    const decision = run.decide({ type: 'RecoverRun', reason: 'x' }, without('ToolStarted', driven), {
      id: 'a',
      now: 9,
    });
    expect(decision).toMatchObject([{ type: 'ToolInterrupted', data: { call_id: 'one', step_num: 1, repeat: false } }]);
  });
  it.each([
    ['bash', 'asking'],
    ['read_file', 'tool_due'],
  ])('(ToolInterrupted) is due again only for a tool that may be repeated: %s', (name, phase) => {
    const driven = drive();
    driven.answer('', { name, id: 'one' });
    driven.send({ type: 'StartTool', call_id: 'one' });
    driven.send({ type: 'RecoverRun', reason: 'x' });
    expect(without('ToolInterrupted', driven).phase.name).toBe(phase);
  });
  it('tells the model that its outcome is erased', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'one' });
    driven.tool(true, 'Ada');
    const outcome = { role: 'tool', call_id: 'one', name: 'bash', output: '(erased)', is_error: false };
    expect(without('ToolFinished', driven).messages.at(-1)).toEqual(outcome);
  });
  it('(ToolInterrupted) is no success for the model', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'one' });
    driven.send({ type: 'StartTool', call_id: 'one' });
    driven.send({ type: 'RecoverRun', reason: 'x' });
    const outcome = { role: 'tool', output: '(erased)', is_error: true };
    expect(without('ToolInterrupted', driven).messages.at(-1)).toMatchObject(outcome);
  });
  it('changes nothing when the calls themselves are erased', () => {
    expect(evolveErasedRun(drive().state, { type: 'ToolStarted' })).toEqual(drive().state);
  });
});

it('an outcome of another call than the running one is no outcome', () => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'one' });
  driven.send({ type: 'StartTool', call_id: 'one' });
  const report = { success: true, output: '', files_modified: [], duration_ms: 1 };
  expect(driven.send({ type: 'RecordTool', call_id: 'two', report })).toEqual([]);
});

describe('tools', () => {
  it('are hidden from a run that only chats', () => {
    expect(visibleTools(drive().state).map(({ name }) => name)).toContain('bash');
    for (const changes of [{ mode: 'chat' }, { approval: 'chat-only' }] as const)
      expect(visibleTools(drive(changes).state)).toEqual([]);
  });
  it('a rejection names the policies that need nobody, and cuts a made-up name', () => {
    expect(rejection({ name: 'write_file', class: 'edit', idempotent: false }, 'write_file', 'read-only')).toMatch(
      /Policies that run it: auto-edit and full-auto\.$/,
    );
    expect(rejection({ name: 'bash', class: 'execute', idempotent: false }, 'bash', 'read-only')).toMatch(
      /Policies that run it: full-auto\.$/,
    );
    expect(rejection(undefined, 'x'.repeat(1_000), 'full-auto')?.match(/x+/)?.[0]).toHaveLength(100);
  });
});

it('more steps are earned by a healthy run with recent successes, and never by one without steps', () => {
  const { state } = drive();
  const earning = { ...state, recent: [true] };
  expect(extensionEarned(earning)).toBe(true);
  expect(extensionEarned({ ...earning, breaker: 'degraded' })).toBe(false);
  expect(extensionEarned({ ...earning, request: request({ max_steps: 0 }) })).toBe(false);
  expect(extensionEarned({ ...earning, request: null })).toBe(false);
});

it('a thinking budget is that of the tier, where the settings name one', () => {
  const settings = { ...INPUTS.settings, thinking_budgets: { low: 1_000, xhigh: 9_000 } };
  expect(thinkingBudget(settings, 'minimal')).toBe(1_000);
  expect(thinkingBudget(settings, 'extra-high')).toBe(9_000);
  expect(thinkingBudget(settings, 'medium')).toBeNull();
  expect(thinkingBudget(settings, null)).toBeNull();
  expect(thinkingBudget(INPUTS.settings, 'low')).toBeNull();
});
