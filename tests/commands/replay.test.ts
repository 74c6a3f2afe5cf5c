/** Exact replay: the same effects in the same order, or the first difference by position and field. */
import { expect, it } from 'vitest';
import { type RecordedRunEvent, replayRun, replaySteps } from '../../src/commands/run/replay.ts';
import { buildRequest, requestHash } from '../../src/commands/run/request.ts';
import { evolveRun, initialRun, type RunState } from '../../src/commands/run/state.ts';
import { decodeEvents } from '../../src/events/decode.ts';
import { type RunRequest, runEvents } from '../../src/events/run/events.ts';
import { INPUTS, runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { drive } from '../support/run.ts';

function eventful() {
  const driven = drive({ approval: 'auto-edit' });
  driven.fail();
  driven.send({ type: 'EndBackoff', call: 1 });
  driven.answer('Looking.', { name: 'read_file' }, { name: 'bash' });
  driven.tool(false, 'no such file');
  driven.answer('', { name: 'update_plan', input: { steps: [{ description: 'a', status: 'pending' }] } });
  driven.answer('', { name: 'write_file', id: 'w' });
  driven.send({ type: 'StartTool', call_id: 'w' });
  driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
  driven.answer('Enough.');
  return driven;
}

it('finds a recorded run identical', () => {
  const { events } = eventful();
  expect(replayRun(events, INPUTS.tools)).toMatchObject({ identical: true, divergence: null, events: events.length });
});

it('can stop after each decision, so that a long run holds nothing up', () => {
  const { events } = eventful();
  const decisions = new Set(events.map(({ causation }) => causation));
  expect([...replaySteps(events, INPUTS.tools)]).toHaveLength(decisions.size);
});

it('finds a cancelled run identical', () => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'b' });
  driven.send({ type: 'StartTool', call_id: 'b' });
  driven.send({ type: 'CancelRun', reason: 'user requested' });
  expect(replayRun(driven.events, INPUTS.tools).identical).toBe(true);
});

it.each([
  ['today, with the outcome of the tool in flight', () => true],
  ['in an earlier program, without one', ({ type }: RecordedRunEvent) => type !== 'ToolInterrupted'],
])('finds a run identical that failed %s', (_name, isRecorded) => {
  const driven = drive();
  driven.answer('', { name: 'bash', id: 'b' });
  driven.send({ type: 'StartTool', call_id: 'b' });
  driven.send({ type: 'FailRun', message: 'Internal error: a bug' });
  const recorded = driven.events.filter(isRecorded);
  expect(replayRun(recorded, INPUTS.tools)).toMatchObject({ divergence: null, identical: true });
});

it('finds a run identical that was cut off and ended before answers were continued, also when it was resumed', () => {
  const driven = drive({ continuations_max: 0 });
  driven.cutOff('The cause is in the mid');
  expect(driven.events.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'The cause is in the mid' } });
  driven.send({ type: 'ResumeRun', request: request({ task: 'more', continuations_max: 0 }), notes: [] });
  driven.send({ type: 'BeginRun' });
  driven.cutOff('It is the ha');
  for (const resumedWith of [1, 2] as const) {
    const recorded = [
      ...decodeEvents(
        runEvents,
        driven.events.map((event) => storedBefore(event, resumedWith)),
      ),
    ];
    expect(recorded.at(-1)).toMatchObject({ type: 'RunCompleted', data: { summary: 'It is the ha' } });
    expect(replayRun(recorded, INPUTS.tools)).toMatchObject({ divergence: null, identical: true, effects: 2 });
  }
});

it('finds a run identical whose plan was refused in the words of an earlier program', () => {
  const driven = drive();
  driven.answer('', { name: 'update_plan', input: { steps: [] } });
  driven.answer('Then without a plan.');
  const said = 'update_plan needs {steps: [{description, status: pending|in_progress|done|failed|skipped}]}.';
  const refusedWith = (content: string) => asDecidedAfter(driven.events, 'ToolRejected', { content });
  expect(refusedWith(said)).not.toEqual(driven.events);
  expect(replayRun(refusedWith(said), INPUTS.tools)).toMatchObject({ divergence: null, identical: true });
  expect(replayRun(refusedWith('No such plan.'), INPUTS.tools).divergence).toMatchObject({ field: 'data.content' });
});

it('names the position and field where another tool description changes the request', () => {
  const { events } = eventful();
  const tools = INPUTS.tools.map((tool) => (tool.name === 'read_file' ? { ...tool, description: 'reads' } : tool));
  const asked = events.find((event) => event.type === 'ModelAsked')!;
  expect(replayRun(events, tools).divergence).toMatchObject({ position: asked.position, field: 'data.request_hash' });
});

it('notices every event that is changed', () => {
  const { events } = eventful();
  const changed = (index: number): RecordedRunEvent[] =>
    events.map((event, at) => (at === index ? ({ ...event, data: tamper(event.data) } as RecordedRunEvent) : event));
  for (const [index, event] of events.entries()) {
    if (Object.keys(event.data).length === 0) continue;
    const report = replayRun(changed(index), INPUTS.tools);
    // A changed outcome is an input: the difference shows at the latest in the next request's hash, and a run's last
    // words are inputs nobody answers to.
    if (index < events.length - 1) expect(report.identical, `${index} ${event.type}`).toBe(false);
  }
});

it('notices a missing event', () => {
  const { events } = eventful();
  const without = events.filter((event) => event.type !== 'RetryScheduled');
  expect(replayRun(without, INPUTS.tools).divergence).toMatchObject({ field: 'type', recorded: 'nothing more' });
});

it('names the first difference', () => {
  const { events } = eventful();
  const { length } = events;
  const first = (type: RecordedRunEvent['type']) => events.findIndex((event) => event.type === type);
  const at = (index: number, changes: object): RecordedRunEvent[] =>
    events.map((event, place) => (place === index ? ({ ...event, ...changes } as RecordedRunEvent) : event));
  const data = (index: number, changes: object) => at(index, { data: { ...events[index]!.data, ...changes } });
  const divergence = (recorded: readonly RecordedRunEvent[]) => replayRun(recorded, INPUTS.tools).divergence;
  const ask = first('ModelAsked');
  const tool = first('ToolStarted');
  const finished = first('ToolFinished');
  const after = (type: string, of: object, causation: string) =>
    divergence([...events, { type, data: of, position: 99, version: 98, at: 99, causation } as RecordedRunEvent]);
  const place = (index: number) => ({ position: index + 1, version: index + 1 });
  const input = { path: { from: 1 } };
  const due = events[tool]!.data as { call: { id: string } };

  expect([
    divergence(at(finished, { erased: true })),
    divergence(data(ask, { attempt: 7 })),
    divergence(data(tool, { call: { ...due.call, id: 'another' } })),
    divergence(data(tool, { call: { ...due.call, input } })),
    divergence(data(finished, { more: 1 })),
    divergence(at(finished, { type: 'SystemNoted' })),
    after('ToolStarted', due, 'later'),
    after('ApprovalAnswered', { approval_id: 'p', decision: 'deny', reason: null }, 'later'),
    after('RunCompleted', { summary: '' }, events.at(-1)!.causation!),
  ]).toEqual([
    { ...place(finished), field: 'erased', recorded: true, replayed: expect.stringContaining('erased') },
    { ...place(ask), field: 'effect', recorded: 'ask 1.7', replayed: 'ask 1.0' },
    { ...place(tool), field: 'effect', recorded: 'tool 1 another', replayed: `tool 1 ${due.call.id}` },
    { ...place(tool), field: 'data.call.input.path', recorded: input.path, replayed: undefined },
    { ...place(finished), field: 'data.more', recorded: 1, replayed: undefined },
    { ...place(finished), field: 'type', recorded: 'SystemNoted', replayed: expect.any(String) },
    { position: 99, version: 98, field: 'effect', recorded: expect.stringMatching(/^tool /), replayed: 'nothing' },
    { position: 99, version: 98, field: 'refused', recorded: 'ApprovalAnswered', replayed: expect.any(String) },
    { position: 99, version: 98, field: 'type', recorded: 'RunCompleted', replayed: 'nothing' },
  ]);
  expect(replayRun(events, INPUTS.tools)).toMatchObject({ events: length, effects: 7 });
  expect(replayRun(data(tool, { call: due }), INPUTS.tools).effects).toBe(2);
});

it('takes events without a causation for decisions of their own', () => {
  const driven = drive();
  driven.send({ type: 'StartModelCall', inputs: INPUTS });
  const alone = driven.events.map((event) => ({ ...event, causation: null }));
  expect(replayRun(alone, INPUTS.tools)).toMatchObject({ identical: true, effects: 1 });
});

it.each(['during a call of the model', 'while it waits for an answer'])(
  'finds a run identical that was cut off %s',
  (when) => {
    const driven = drive({ approval: when.endsWith('model') ? 'full-auto' : 'suggest' });
    if (when.endsWith('model')) driven.send({ type: 'StartModelCall', inputs: INPUTS });
    else driven.answer('', { name: 'write_file', id: 'w' });
    driven.send({ type: 'RecoverRun', reason: 'the daemon was restarted' });
    driven.send({ type: 'CancelRun', reason: 'user requested' });
    expect(replayRun(driven.events, INPUTS.tools)).toMatchObject({ divergence: null, identical: true });
  },
);

/** The events with other data in those of one type, and the questions as they are asked after that. */
function asDecidedAfter(events: readonly RecordedRunEvent[], type: string, other: object): RecordedRunEvent[] {
  const changed: RecordedRunEvent[] = [];
  for (const event of events) {
    const state = changed.reduce<RunState>(evolveRun, initialRun);
    if (event.type === 'ModelAsked') {
      const request_hash = requestHash(buildRequest(state, INPUTS));
      changed.push({ ...event, data: { ...event.data, request_hash } });
    } else if (event.type === type) changed.push({ ...event, data: { ...event.data, ...other } } as RecordedRunEvent);
    else changed.push(event);
  }
  return changed;
}

/** The event as a program stored it that knew no continuations. */
function storedBefore(event: RecordedRunEvent, resumedWith: 1 | 2) {
  const { type, position, version, at, causation } = event;
  const envelope = { type, position, version, at, causation, stream: 'run-a', schema: runEvents[type].version };
  if (event.type === 'RunRequested') return { ...envelope, schema: 1, data: withoutContinuations(event.data) };
  if (event.type !== 'RunResumed') return { ...envelope, data: event.data };
  const before = withoutContinuations(event.data.request);
  const data = { request: before, ...(resumedWith === 1 ? { task: before.task } : {}) };
  return { ...envelope, schema: resumedWith, data };
}

function withoutContinuations({ continuations_max: _, ...before }: RunRequest) {
  return before;
}

function tamper(data: object): object {
  const [key, value] = Object.entries(data)[0]!;
  const other =
    typeof value === 'number' ? value + 1 : typeof value === 'string' ? `${value}!` : value === true ? false : null;
  return { ...data, [key]: other ?? [] };
}
