/** The decider of a run: approvals, budgets, retries, plans, cancelling, recovery. */
import { describe, expect, it } from 'vitest';
import { run } from '../../src/commands/run/decide.ts';
import { nextRunEffect } from '../../src/commands/run/effects.ts';
import { replayRun } from '../../src/commands/run/replay.ts';
import { BACKOFF_MS_MAX, backoffMs, parseApproval } from '../../src/commands/run/rules.ts';
import { agentEvents } from '../../src/events/run/agent-event.ts';
import type { RunEvent } from '../../src/events/run/events.ts';
import { INPUTS, runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { decider } from '../support/given.ts';
import { drive } from '../support/run.ts';

const { given } = decider(run);
const requested: RunEvent = { type: 'RunRequested', data: request() };
const begun: RunEvent = { type: 'RunBegun', data: {} };

describe('requesting', () => {
  it('queues a run with its notes', () => {
    given()
      .when({ type: 'RequestRun', request: request(), notes: ['note'], fork: null })
      .thenEvents(requested, { type: 'SystemNoted', data: { content: 'note' } });
  });
  it('refuses a blank task and an id that is taken', () => {
    for (const task of [' \n', '\u200b']) {
      given()
        .when({ type: 'RequestRun', request: request({ task }), notes: [], fork: null })
        .thenRefused('invalid');
    }
    given(requested).when({ type: 'RequestRun', request: request(), notes: [], fork: null }).thenRefused('conflict');
  });
  it('begins once', () => {
    given(requested).when({ type: 'BeginRun' }).thenEvents(begun);
    given(requested, begun).when({ type: 'BeginRun' }).thenNothing();
  });
});

describe('a reply ends the run', () => {
  it('without a tool call: complete with the text', () => {
    const driven = drive();
    driven.answer('All is well. ');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'All is well.' } });
    expect(nextRunEffect(driven.state)).toBeUndefined();
  });
  it('with open plan steps: partial, naming exactly the steps never executed', () => {
    const driven = drive();
    const steps = [
      { description: 'read', status: 'done' },
      { description: 'write', status: 'in_progress' },
      { description: 'skip me', status: 'skipped' },
      { description: 'test', status: 'pending' },
    ];
    driven.answer('', { name: 'update_plan', input: { steps } });
    driven.answer('I stop here.');
    const last = driven.events.at(-1) as Extract<RunEvent, { type: 'RunStopped' }>;
    expect(last.data).toMatchObject({ steps_planned: 4, steps_completed: 2, remaining_plan: ['write', 'test'] });
    expect(last.data.summary).toBe('I stop here.\n\nRemaining (2 of 4 steps not done):\n3. write\n4. test');
    expect(agentEvents(last)[0]).toMatchObject({ type: 'partial', remaining_plan: ['write', 'test'] });
  });
  // Models that learned another plan tool say `completed`.
  it('a step that is `completed` is done', () => {
    const driven = drive();
    const steps = [
      { description: 'read', status: 'completed' },
      { description: 'write', status: 'pending' },
    ];
    driven.answer('', { name: 'update_plan', input: { steps } });
    expect(driven.events.at(-1)).toMatchObject({
      type: 'PlanUpdated',
      data: { steps: [{ status: 'done' }, { status: 'pending' }] },
    });
    driven.answer('I stop here.');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunStopped', data: { remaining_plan: ['write'] } });
    const wrong = drive();
    wrong.answer('', { name: 'update_plan', input: { steps: [{ description: 'read', status: 'finished' }] } });
    expect(wrong.events.at(-1)).toMatchObject({ type: 'ToolRejected' });
  });
  it('the refusal of a plan names the maximum length', () => {
    const steps = Array.from({ length: 201 }, (_, at) => ({ description: `step ${at}`, status: 'pending' }));
    const driven = drive();
    driven.answer('', { name: 'update_plan', input: { steps } });
    const content = expect.stringContaining('pending|in_progress|done|failed|skipped}]}, 1 to 200 steps.');
    expect(driven.events.at(-1)).toMatchObject({ type: 'ToolRejected', data: { content } });
    const longest = drive();
    longest.answer('', { name: 'update_plan', input: { steps: steps.slice(1) } });
    expect(longest.events.at(-1)).toMatchObject({ type: 'PlanUpdated' });
  });
  it('finish ends it with its summary, and calls after it are not run', () => {
    const driven = drive();
    driven.answer('', { name: 'finish', input: { summary: 'done and dusted' } }, { name: 'bash' });
    expect(driven.types().slice(-2)).toEqual(['ModelAnswered', 'RunCompleted']);
    expect(driven.state.messages.at(-1)).toMatchObject({ role: 'tool', is_error: true });
  });
  it('an empty answer is a transient failure', () => {
    const driven = drive();
    driven.answer('');
    expect(driven.types().slice(-2)).toEqual(['ModelCallFailed', 'RetryScheduled']);
  });
  it('an empty answer to the outcome of a tool completes it with what was said before', () => {
    const driven = drive();
    driven.answer('Looking.', { name: 'bash' });
    driven.tool();
    driven.answer('', { name: 'bash' });
    driven.tool();
    driven.answer('');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'Looking.' } });
  });
  it('an empty answer completes a run without words, and an empty finish too', () => {
    const silent = drive();
    silent.answer('', { name: 'bash' });
    silent.tool();
    silent.answer('');
    const finished = drive();
    finished.answer('', { name: 'finish', input: {} });
    for (const { events } of [silent, finished]) {
      expect(events.at(-1)).toMatchObject({
        type: 'RunCompleted',
        data: { summary: 'The model ended without a summary.' },
      });
    }
  });
  it.each([
    [3, 'RunFailed', { message: 'The provider’s filter cut the answer off.' }],
    [0, 'RunCompleted', { summary: 'The cause is in the mid' }],
  ])('one that a filter cut off is no whole answer, where %i continuations are allowed: %s', (max, type, data) => {
    const driven = drive({ continuations_max: max });
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    const { call } = driven.state;
    driven.send({ type: 'RecordFrames', call, frames: [{ type: 'text', text: 'The cause is in the mid' }] });
    const answer = { finish_reason: 'content_filter', usage: { input_tokens: 1, output_tokens: 6 } } as const;
    driven.send({ type: 'RecordAnswer', call, answer, jitter: 0.5 });
    expect(driven.events.slice(-2)).toMatchObject([{ type: 'ModelAnswered' }, { type, data }]);
    expect(driven.state.messages.at(-1)).toMatchObject({ content: 'The cause is in the mid' });
  });
});

describe('an answer that its limit of tokens cut off', () => {
  const shown = (driven: ReturnType<typeof drive>): readonly string[] =>
    driven.events
      .flatMap((event) => agentEvents(event))
      .flatMap(({ type, content }) => (type === 'system' ? [content!] : []));

  it('is continued where it stopped, in the same run, and readers are told', () => {
    const driven = drive();
    driven.cutOff('The cause is in the mid');
    expect(driven.types().slice(-2)).toEqual(['ModelAnswered', 'AnswerContinued']);
    expect(nextRunEffect(driven.state)).toMatchObject({ key: 'ask 2.0', call: 2 });
    expect(driven.state.messages.slice(-2)).toEqual([
      { role: 'assistant', content: 'The cause is in the mid', tool_calls: [] },
      { role: 'user', content: expect.stringMatching(/cut off\. Go on exactly where it stopped/) },
    ]);
    driven.answer('dle of the file. ');
    expect(driven.events.at(-1)).toMatchObject({
      type: 'RunCompleted',
      data: { summary: 'The cause is in the middle of the file.' },
    });
    expect(shown(driven)).toEqual(['The answer reached its limit of tokens; the model is asked to go on (1 of 3).']);
  });
  it('is continued three times at most; then the run is partial with all that was said', () => {
    const driven = drive();
    for (const text of ['one ', 'two ', 'three ', 'four']) driven.cutOff(text);
    expect(driven.types().filter((type) => type === 'AnswerContinued')).toHaveLength(3);
    expect(driven.events.at(-1)).toMatchObject({
      type: 'RunStopped',
      data: {
        summary: expect.stringMatching(/^one two three four\n\n\[The answer is cut off: .* 3 continuations\.\]$/),
      },
    });
    expect(nextRunEffect(driven.state)).toBeUndefined();
  });
  it('may end with nothing more to say, or be cut off before it says more', () => {
    const done = drive();
    done.cutOff('All is said.');
    done.answer('');
    expect(done.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'All is said.' } });
    const stuck = drive();
    for (const text of ['All is said', '', '', '']) stuck.cutOff(text);
    expect(stuck.events.at(-1)).toMatchObject({ type: 'RunStopped', data: { summary: expect.stringMatching(/^All/) } });
  });
  it('may go on with tools; a later answer has three continuations of its own', () => {
    const driven = drive();
    driven.cutOff('I look into the ');
    driven.answer('file.', { name: 'bash' });
    driven.tool();
    for (const text of ['a', 'b', 'c']) driven.cutOff(text);
    driven.answer('d');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'abcd' } });
    driven.send({ type: 'ResumeRun', request: request({ task: 'again' }), notes: [] });
    driven.send({ type: 'BeginRun' });
    driven.answer('Again.');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'Again.' } });
  });
  it('is partial, not complete, while its plan has open steps', () => {
    const driven = drive();
    driven.answer('', { name: 'update_plan', input: { steps: [{ description: 'write', status: 'pending' }] } });
    driven.cutOff('I sto');
    driven.answer('p.');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunStopped', data: { reason: 'I stop.' } });
  });
  it('survives a crash between the parts, and replays exactly', () => {
    const driven = drive();
    driven.cutOff('half ');
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was killed' });
    driven.answer('whole');
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'half whole' } });
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
});

describe('approvals', () => {
  const cases = [
    ['suggest', 'read_file', true],
    ['suggest', 'write_file', false],
    ['suggest', 'bash', false],
    ['auto-edit', 'write_file', true],
    ['auto-edit', 'bash', false],
    ['full-auto', 'bash', true],
    ['read-only', 'read_file', true],
    ['read-only', 'write_file', false],
    ['chat-only', 'read_file', false],
  ] as const;
  it.each(cases)('%s lets %s pass: %s', (approval, name, passes) => {
    const driven = drive({ approval });
    driven.answer('', { name });
    expect(nextRunEffect(driven.state)?.kind).toBe(passes ? 'tool' : 'ask');
    if (!passes && approval !== 'chat-only') {
      const system = agentEvents(driven.events.at(-1)!)[0];
      expect(system?.type).toBe('system');
      expect(system?.content).toContain(`'${name}'`);
      expect(system?.content).toContain('full-auto');
    }
  });
  it('the model gets the rejection of a call and the run adapts', () => {
    const driven = drive({ approval: 'suggest' });
    driven.answer('', { name: 'bash' });
    driven.answer('Then I only describe it.');
    expect(driven.state.status).toBe('complete');
    expect(driven.state.messages).toContainEqual(expect.objectContaining({ role: 'tool', is_error: true }));
  });
  it.each([
    ['FullAuto', 'full-auto'],
    ['autonomous', 'full-auto'],
    ['smart_approval', 'auto-edit'],
    [' Full_Auto ', 'full-auto'],
    ['whatever', 'suggest'],
    ['constructor', 'suggest'],
    ['__proto__', 'suggest'],
    ['', 'suggest'],
  ])('%j is read as %s', (text, policy) => expect(parseApproval(text)).toBe(policy));
});

/** Tool calls until the run ends, at most `max`. */
function spin(driven: ReturnType<typeof drive>, max: number, success: (n: number) => boolean): number {
  let n = 0;
  while (n < max) {
    driven.answer('', { name: 'bash' });
    if (driven.state.status !== 'running') return n;
    n += 1;
    driven.tool(success(n));
  }
  return n;
}

describe('the step budget', () => {
  it.each([
    [0, 50, 'it may not be extended.'],
    [1, 100, 'its 1 extension is used up.'],
    [3, 200, 'its 3 extensions are used up.'],
  ])('%i extensions give %i steps to a run that lands its calls', (max_step_extensions, steps, why) => {
    const driven = drive({ max_step_extensions });
    expect(spin(driven, 1_000, () => true)).toBe(steps);
    expect(driven.state.status).toBe('partial');
    expect(driven.types().filter((type) => type === 'StepsExtended')).toHaveLength(max_step_extensions);
    expect(driven.events.at(-1)).toMatchObject({ data: { summary: expect.stringContaining(why) } });
  });
  it('a stalled run is not extended', () => {
    const driven = drive();
    expect(spin(driven, 1_000, (n) => n < 20)).toBe(50);
    expect(driven.events.at(-1)).toMatchObject({ type: 'RunStopped' });
    expect(driven.types()).not.toContain('StepsExtended');
  });
  it('a run that may take no steps takes none', () => {
    const driven = drive({ max_steps: 0 });
    expect(spin(driven, 10, () => true)).toBe(0);
    expect(driven.state.status).toBe('partial');
  });
  it('a final answer at the wall still completes the run', () => {
    const driven = drive({ max_step_extensions: 0 });
    for (let n = 0; n < 50; n += 1) {
      driven.answer('', { name: 'bash' });
      driven.tool();
    }
    driven.answer('Just made it.');
    expect(driven.state.status).toBe('complete');
  });
  it('several calls of one answer stop at the wall', () => {
    const driven = drive({ max_steps: 2, max_step_extensions: 0 });
    driven.answer('', { name: 'bash' }, { name: 'bash' }, { name: 'bash' });
    driven.tool();
    driven.tool();
    expect(driven.types().filter((type) => type === 'ToolFinished')).toHaveLength(2);
    expect(driven.state.status).toBe('partial');
  });
});

it('the breaker degrades, opens, and closes with the first success', () => {
  const driven = drive();
  spin(driven, 6, (n) => n === 6);
  const health = driven.events.flatMap((event) => (event.type === 'HealthChanged' ? [event.data.state] : []));
  expect(health).toEqual(['degraded', 'open', 'healthy']);
});

describe('retries', () => {
  it('backs off with 0-based attempts and then asks again', () => {
    const driven = drive();
    driven.fail();
    expect(driven.events.at(-1)).toMatchObject({
      type: 'RetryScheduled',
      data: { attempt: 0, max_attempts: 5, backoff_ms: 375 },
    });
    expect(nextRunEffect(driven.state)).toMatchObject({ kind: 'wait', ms: 375 });
    driven.send({ type: 'EndBackoff', call: driven.state.call });
    expect(nextRunEffect(driven.state)).toMatchObject({ key: 'ask 1.1', call: 1 });
  });
  it('gives up after five attempts with the message of the last one', () => {
    const driven = drive();
    while (driven.state.status === 'running') {
      driven.fail();
      driven.send({ type: 'EndBackoff', call: driven.state.call });
    }
    expect(driven.events.at(-1)).toMatchObject({
      type: 'RunFailed',
      data: { message: 'the provider is busy (gave up after 5 attempts)' },
    });
    expect(driven.types().filter((type) => type === 'RetryScheduled')).toHaveLength(4);
  });
  it('of a call in the midst of work has as many attempts as the run recorded, and the first call five', () => {
    const driven = drive({ working_attempts_max: 60 });
    const failing = (times: number): void => {
      for (let attempt = 0; attempt < times; attempt += 1) {
        driven.fail();
        driven.send({ type: 'EndBackoff', call: driven.state.call });
      }
    };
    failing(4);
    expect(driven.events.findLast(({ type }) => type === 'RetryScheduled')?.data).toMatchObject({ max_attempts: 5 });
    driven.answer('I look.', { name: 'read_file' });
    driven.tool();
    failing(59);
    expect(driven.events.findLast(({ type }) => type === 'RetryScheduled')?.data).toMatchObject({ max_attempts: 60 });
    driven.fail();
    expect(driven.events.at(-1)?.data).toEqual({ message: 'the provider is busy (gave up after 60 attempts)' });
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
  it('of a call for the rest of an answer has as many attempts as one after a tool', () => {
    const driven = drive({ working_attempts_max: 60, continuations_max: 3 });
    driven.cutOff('The first half');
    driven.fail();
    expect(driven.events.at(-1)?.data).toMatchObject({ max_attempts: 60 });
  });
  it('does not retry what is fatal', () => {
    const driven = drive();
    driven.fail('fatal');
    expect(driven.types().slice(-2)).toEqual(['ModelCallFailed', 'RunFailed']);
  });
  it('waits as long as the provider asks, also after a restart', () => {
    const driven = drive({ postponement_ms_max: 7_200_000 });
    driven.fail('transient', 3_600_000);
    const again_at = driven.events.at(-1)!.at + 3_600_000;
    expect(driven.events.slice(-2)).toMatchObject([
      { type: 'RetryScheduled', data: { attempt: 0, backoff_ms: BACKOFF_MS_MAX, content: 'the provider is busy' } },
      { type: 'ModelCallPostponed', data: { call: 1, again_at } },
    ]);
    expect(agentEvents(driven.events.at(-1)!)).toMatchObject([
      { type: 'system', content: expect.stringContaining(new Date(again_at).toISOString()) },
    ]);
    driven.send({ type: 'RecoverRun', reason: 'the daemon was stopped' });
    expect(nextRunEffect(driven.state)).toMatchObject({ kind: 'pause', call: 1, until: again_at });
    driven.send({ type: 'EndBackoff', call: 1 });
    expect(nextRunEffect(driven.state)).toMatchObject({ key: 'ask 1.1', call: 1 });
    driven.answer('done');
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
  it('waits no longer than the run may', () => {
    const driven = drive({ postponement_ms_max: 7_200_000 });
    driven.fail('transient', 90 * 86_400_000);
    expect(driven.events.at(-1)).toMatchObject({ data: { again_at: driven.events.at(-1)!.at + 7_200_000 } });
  });
  it('of a run that was requested without such a limit take a minute at most', () => {
    const driven = drive();
    driven.fail('transient', 3_600_000);
    expect(driven.events.at(-1)).toMatchObject({ type: 'RetryScheduled', data: { backoff_ms: BACKOFF_MS_MAX } });
  });
  it('waits as long as the provider asks, to a minute at most', () => {
    expect(backoffMs(0, 0.1, 7_000)).toBe(7_000);
    expect(backoffMs(0, 0.1, 900_000)).toBe(BACKOFF_MS_MAX);
    expect(backoffMs(40, 1, null)).toBe(BACKOFF_MS_MAX);
  });
});

describe('failing', () => {
  it('records that the tool in flight may have had its effect, and the model is told so', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'begun' }, { name: 'bash', id: 'waiting' });
    driven.send({ type: 'StartTool', call_id: 'begun' });
    const failed = driven.send({ type: 'FailRun', message: 'Internal error: a bug' });
    expect(failed.map(({ type }) => type)).toEqual(['ToolInterrupted', 'RunFailed']);
    driven.send({ type: 'ResumeRun', request: request({ task: 'Go on.' }), notes: [] });
    const told = driven.state.messages.flatMap((message) => (message.role === 'tool' ? [message.output] : []));
    expect(told).toEqual([
      expect.stringContaining('may or may not have had its effect'),
      'Not run: the run ended before this call.',
    ]);
  });
  it('records that the model call in flight was cut off', () => {
    const driven = drive();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    const failed = driven.send({ type: 'FailRun', message: 'Internal error: a bug' });
    expect(failed.map(({ type }) => type)).toEqual(['ModelCallInterrupted', 'RunFailed']);
  });
});

describe('cancelling', () => {
  it('is final: late outcomes change nothing', () => {
    const driven = drive();
    driven.answer('', { name: 'bash' });
    const id = driven.state.pending[0]!.id;
    driven.send({ type: 'StartTool', call_id: id });
    driven.send({ type: 'CancelRun', reason: 'user requested' });
    expect(driven.types().slice(-2)).toEqual(['ToolInterrupted', 'RunCancelled']);
    const report = { success: true, output: 'late', files_modified: [], duration_ms: 1 };
    expect(driven.send({ type: 'RecordTool', call_id: id, report })).toEqual([]);
    expect(driven.send({ type: 'CancelRun', reason: 'again' })).toEqual([]);
    expect(driven.send({ type: 'FailRun', message: 'late' })).toEqual([]);
    expect(driven.state.status).toBe('cancelled');
  });
  it('does not hide what the interrupted tool had changed: each file is recorded once', () => {
    const driven = drive();
    driven.answer('', { name: 'bash' });
    const call_id = driven.state.pending[0]!.id;
    driven.send({ type: 'StartTool', call_id });
    driven.send({ type: 'CancelRun', reason: 'user requested' });
    const report = { success: true, output: 'late', files_modified: ['a'], duration_ms: 1 };
    driven.send({ type: 'RecordTool', call_id, report });
    driven.send({ type: 'RecordLeftChanges', call_id, files_modified: ['a', 'b'] });
    expect(driven.send({ type: 'RecordLeftChanges', call_id, files_modified: ['b'] })).toEqual([]);
    expect(driven.types().slice(-3)).toEqual(['RunCancelled', 'ToolLeftChanges', 'ToolLeftChanges']);
    expect(driven.state).toMatchObject({ status: 'cancelled', filesModified: ['a', 'b'] });
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ identical: true });
  });
  it('works on a queued run', () => {
    given(requested).when({ type: 'CancelRun', reason: 'user requested' }).thenTypes('RunCancelled');
  });
});

describe('recovery', () => {
  it('asks the model again', () => {
    const driven = drive();
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    driven.send({ type: 'RecordFrames', call: 1, frames: [{ type: 'text', text: 'half an ans' }] });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
    expect(driven.types().at(-1)).toBe('ModelCallInterrupted');
    driven.answer('The whole answer.');
    expect(driven.state.messages.filter((message) => message.role === 'assistant')).toEqual([
      { role: 'assistant', content: 'The whole answer.', tool_calls: [] },
    ]);
  });
  it('reports a started tool as interrupted and never runs it twice', () => {
    const driven = drive();
    driven.answer('', { name: 'bash', id: 'once' });
    driven.send({ type: 'StartTool', call_id: 'once' });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
    expect(driven.events.at(-1)).toMatchObject({ type: 'ToolInterrupted', data: { repeat: false } });
    expect(nextRunEffect(driven.state)?.kind).toBe('ask');
    expect(driven.state.messages.at(-1)).toMatchObject({ role: 'tool', call_id: 'once', is_error: true });
  });
  it('runs an idempotent read again', () => {
    const driven = drive();
    driven.answer('', { name: 'read_file', id: 'again' });
    driven.send({ type: 'StartTool', call_id: 'again' });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
    expect(nextRunEffect(driven.state)).toMatchObject({ kind: 'tool', call: { id: 'again' } });
  });
  it('changes nothing when nothing was in flight, nor the second time', () => {
    const driven = drive();
    expect(driven.send({ type: 'RecoverRun', reason: 'x' })).toEqual([]);
    driven.send({ type: 'StartModelCall', inputs: INPUTS });
    driven.send({ type: 'RecoverRun', reason: 'x' });
    expect(driven.send({ type: 'RecoverRun', reason: 'x' })).toEqual([]);
  });
});

describe('resuming', () => {
  it('goes on with the conversation and a fresh budget', () => {
    const driven = drive({ max_steps: 1, max_step_extensions: 0 });
    spin(driven, 10, () => true);
    expect(driven.state.status).toBe('partial');
    driven.send({ type: 'ResumeRun', request: request({ task: 'go on' }), notes: [] });
    driven.send({ type: 'BeginRun' });
    driven.answer('Now it is done.');
    expect(driven.state.status).toBe('complete');
    expect(driven.state.messages.filter((message) => message.role === 'user')).toHaveLength(2);
  });
  it('is refused while the run goes and for a run that never was', () => {
    given(requested, begun).when({ type: 'ResumeRun', request: request(), notes: [] }).thenRefused('conflict');
    given().when({ type: 'ResumeRun', request: request(), notes: [] }).thenRefused('not_found');
  });
});

it('gives calls of one answer different ids', () => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'call_0' }, { name: 'bash', id: 'call_0' });
  expect(driven.state.pending.map((call) => call.id)).toEqual(['call_0', 'call_0-2']);
  driven.tool();
  expect(driven.state.pending).toHaveLength(1);
});
