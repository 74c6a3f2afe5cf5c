/** The conversation of a run with its model, as the next call or a resumed run has it. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/events/envelope.ts';
import type { Frame } from '../../src/events/run/events.ts';
import { INPUTS } from '../../src/testing/commands/run-inputs.ts';
import { type DrivenRun, drive } from '../support/run.ts';

const TASK = { role: 'user', content: 'look around' };
const STOP = { finish_reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } } as const;

function answerOf(driven: DrivenRun, frames: Frame[]): void {
  driven.send({ type: 'StartModelCall', inputs: INPUTS });
  driven.send({ type: 'RecordFrames', call: driven.state.call, frames });
  driven.send({ type: 'RecordAnswer', call: driven.state.call, answer: STOP, jitter: 0.5 });
}

describe('an answer of the model', () => {
  it('has its text, its calls and its reasoning with the signatures', () => {
    const driven = drive();
    const call = { id: 'c1', name: 'bash', input: { command: 'ls' } };
    answerOf(driven, [
      { type: 'reasoning', text: 'Hm.', signature: 's1' },
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'look.' },
      { type: 'tool_call', call },
    ]);
    const reasoning = [{ text: 'Hm.', signature: 's1' }];
    const answer = { role: 'assistant', content: 'I look.', tool_calls: [call], reasoning };
    expect(driven.state.messages).toEqual([TASK, answer]);
  });
  it('has no reasoning when it came without', () => {
    const driven = drive();
    driven.answer('Done.');
    expect(driven.state.messages).toEqual([TASK, { role: 'assistant', content: 'Done.', tool_calls: [] }]);
  });
  it('that is empty after an outcome is no message', () => {
    const driven = drive();
    driven.answer('', { name: 'bash' });
    driven.tool();
    const before = driven.state.messages;
    driven.answer('');
    expect(driven.state.messages).toEqual(before);
  });
});

describe('the outcome of a call', () => {
  const outcome = (driven: DrivenRun) => driven.state.messages.at(-1);

  it('of a tool is its output', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'c1' });
    driven.tool(false, 'no such file');
    const message = { role: 'tool', call_id: 'c1', name: 'bash', output: 'no such file', is_error: true };
    expect(outcome(driven)).toEqual(message);
  });
  it('of a plan is a note', () => {
    const driven = drive();
    const steps = [{ description: 'read', status: 'pending' }];
    driven.answer('', { name: 'update_plan', id: 'c1', input: { steps } });
    const message = { role: 'tool', call_id: 'c1', name: 'update_plan', output: 'The plan is noted.', is_error: false };
    expect(outcome(driven)).toEqual(message);
  });
  it.each<Json>([null, 'read', ['read'], { steps: 'read' }])('of a plan such as %j is its rejection', (input) => {
    const driven = drive();
    driven.answer('', { name: 'update_plan', input });
    expect(outcome(driven)).toMatchObject({ name: 'update_plan', is_error: true });
  });
  it('that the end of the run left out says so', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'c1' }, { name: 'bash', id: 'c2' });
    driven.tool();
    driven.send({ type: 'CancelRun', reason: 'enough' });
    const output = 'Not run: the run ended before this call.';
    expect(outcome(driven)).toEqual({ role: 'tool', call_id: 'c2', name: 'bash', output, is_error: true });
  });
  it.each([
    { approval: 'read-only', name: 'bash', policies: 'full-auto' },
    { approval: 'read-only', name: 'write_file', policies: 'auto-edit and full-auto' },
  ] as const)('of $name under $approval names the policies that run it unattended', ({ approval, name, policies }) => {
    const driven = drive({ approval });
    driven.answer('', { name });
    expect(outcome(driven)).toMatchObject({ output: expect.stringMatching(`Policies that run it: ${policies}\\.$`) });
  });
});

it.each<Json>([null, 'done', ['done'], { summary: 3 }, { summary: ' \n' }, {}])(
  'a run that finishes with %j has its newest text as the summary',
  (input) => {
    const driven = drive();
    driven.answer('All is well.', { name: 'finish', input });
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'All is well.' } });
    const silent = drive();
    silent.answer('', { name: 'finish', input });
    const summary = 'The model ended without a summary.';
    expect(silent.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary } });
  },
);

it('the health of a run says why it changed', () => {
  const driven = drive();
  for (const success of [false, false, false, false, false, true]) {
    driven.answer('', { name: 'bash' });
    driven.tool(success);
  }
  const changes = driven.events.flatMap(({ type, data }) => (type === 'HealthChanged' ? [data] : []));
  expect(changes.at(-2)).toEqual({ state: 'open', reason: '5 tool calls in a row failed' });
  expect(changes.at(-1)).toEqual({ state: 'healthy', reason: 'a tool call succeeded again' });
});
