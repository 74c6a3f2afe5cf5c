/** The presentation of runs, changes of files, the time axis and comparisons, from given events. */
import { describe, expect, it } from 'vitest';
import type { Envelope, Json } from '../../web/api.ts';
import { compareRuns } from '../../web/runs/compare.ts';
import { changesOf, diffLines } from '../../web/runs/diff.ts';
import { apply, emptyRun, foldRun, type Item } from '../../web/runs/fold.ts';
import { timeScale } from '../../web/runs/scale.ts';
import { exitCodeOf, subjectOf } from '../../web/runs/words.ts';

const STEP_MS = 100;

/** Events of one run, 100 ms apart. */
function events(...of: readonly (readonly [type: string, data?: Json])[]): readonly Envelope[] {
  return of.map(([type, data = {}], index) => ({
    position: index + 1,
    stream: 'run-a',
    version: index + 1,
    id: String(index),
    type,
    schema: 1,
    at: (index + 1) * STEP_MS,
    actor: 'owner',
    correlation: null,
    causation: null,
    data,
    leaf_hash: '',
  }));
}

const call = (id: string, name: string, input: Json): Json => ({ id, name, input });
const write = (id: string, path: string, content: string) =>
  [
    ['ToolStarted', { step_num: 1, call: call(id, 'write_file', { path, content }) }],
    ['ToolFinished', { call_id: id, success: true, output: 'ok', files_modified: [path], duration_ms: 3 }],
  ] as const;

const asksFor = (...calls: readonly Json[]) =>
  [
    ['ModelAsked', { call: 1, model: 'm' }],
    ['ModelFramesReceived', { call: 1, frames: calls.map((asked) => ({ type: 'tool_call', call: asked })) }],
  ] as const;

const WHOLE = events(
  ['RunRequested', { task: 'Do it' }],
  ['RunBegun'],
  ['ModelAsked', { call: 1, model: 'm' }],
  ['ModelFramesReceived', { call: 1, frames: [{ type: 'text', text: 'Hel' }] }],
  ['ModelFramesReceived', { call: 1, frames: [{ type: 'text', text: 'lo' }] }],
  ['ModelAnswered', { call: 1, usage: { input_tokens: 7, output_tokens: 2 } }],
  ['ToolStarted', { step_num: 1, call: call('c', 'bash', { command: 'ls' }) }],
  ['ToolFinished', { call_id: 'c', success: false, output: 'exit code 2', files_modified: [], duration_ms: 9 }],
  ['RunCompleted', { summary: 'Done' }],
);

describe('a run', () => {
  it('is its task, its answers, its calls and its end, with tokens and spans', () => {
    const run = foldRun(WHOLE);
    expect(run.items.map(({ kind }) => kind)).toEqual(['user', 'answer', 'tool', 'end']);
    expect(run.items[1]).toMatchObject({ text: 'Hello', isOpen: false, inputTokens: 7, outputTokens: 2 });
    expect(run.items[2]).toMatchObject({ name: 'bash', state: 'failed', output: 'exit code 2' });
    expect(run.spans.map(({ lane, from, to, failed }) => [lane, from, to, failed])).toEqual([
      ['wait', 100, 200, false],
      ['model', 300, 600, false],
      ['tool', 700, 800, true],
    ]);
    expect(run).toMatchObject({ status: 'complete', activity: null, steps: 1, inputTokens: 7, outputTokens: 2 });
  });

  it('has no part that took less than no time when the clock was set back meanwhile', () => {
    const back = WHOLE.map((event) => ({ ...event, at: 1_000 - event.at }));
    const run = foldRun([...back, ...WHOLE.map((event) => ({ ...event, at: 10_000 + event.at }))]);
    expect(run.spans.map(({ from, to }) => to! - from)).toEqual([0, 0, 0, 100, 300, 100]);
  });

  it('is at every moment what a prefix of its events says', () => {
    const activities = WHOLE.map((_, index) => foldRun(WHOLE.slice(0, index + 1)).activity?.kind ?? null);
    expect(activities).toEqual([
      ...['queued', 'thinking', 'thinking', 'answering', 'answering', 'thinking', 'tool', 'thinking'],
      null,
    ]);
  });

  it('waits for a person until there is an answer, and shows a denial', () => {
    const asked = events(
      ...asksFor(call('c', 'write_file', { path: 'a' })),
      ['ApprovalRequested', { approval_id: 'p', call: call('c', 'write_file', { path: 'a' }), expires_at: 9 }],
      ['ApprovalAnswered', { approval_id: 'p', decision: 'deny', reason: 'No' }],
      ['ToolRejected', { step_num: 1, call_id: 'c', tool_name: 'write_file', content: 'Denied: No' }],
    );
    expect(foldRun(asked.slice(0, 3)).activity).toMatchObject({ kind: 'approval', name: 'write_file' });
    expect(foldRun(asked).items.slice(1)).toMatchObject([
      { kind: 'approval', state: 'denied', reason: 'No' },
      { kind: 'tool', state: 'rejected', input: { path: 'a' }, output: 'Denied: No' },
    ]);
  });

  it('shows what each rejected call asked for, also without an approval', () => {
    const rejected = (id: string) =>
      ['ToolRejected', { step_num: 1, call_id: id, tool_name: 'bash', content: 'Not run.' }] as const;
    const calls = [call('c', 'bash', { command: 'make' }), call('d', 'bash', { command: 'make test' })];
    const run = foldRun(events(...asksFor(...calls), rejected('c'), rejected('d')));
    expect(run.items.slice(1)).toMatchObject([{ input: { command: 'make' } }, { input: { command: 'make test' } }]);
  });

  it('has another object in place of a call or an approval that changes', () => {
    const run = emptyRun();
    const asked = { approval_id: 'p', call: call('c', 'bash', {}), expires_at: 9 };
    const [requested, started, ...changes] = events(
      ['ApprovalRequested', asked],
      ['ToolStarted', { step_num: 1, call: call('c', 'bash', {}) }],
      ['ApprovalAnswered', { approval_id: 'p', decision: 'allow_once' }],
      ['ToolFinished', { call_id: 'c', success: true, output: 'ok' }],
      ['ToolLeftChanges', { call_id: 'c', files_modified: ['a'] }],
      ['ToolInterrupted', { call_id: 'c', reason: 'Killed.' }],
    );
    for (const event of [requested!, started!]) apply(run, event);
    for (const event of changes) {
      const before = [...run.items];
      apply(run, event);
      expect(run.items.filter((item) => !before.includes(item))).toHaveLength(1);
    }
  });

  it('says once why it failed', () => {
    const failed = events(
      ['ModelCallFailed', { message: 'The key was rejected.' }],
      ['RunFailed', { message: 'The key was rejected.' }],
    );
    expect(foldRun(failed).items).toMatchObject([{ kind: 'end', status: 'failed', text: 'The key was rejected.' }]);
  });

  it('says of each end whether the answer of its request has its text', () => {
    const answered = (call: number, text: string) =>
      [
        ['ModelAsked', { call, model: 'm' }],
        ['ModelFramesReceived', { call, frames: [{ type: 'text', text }] }],
      ] as const;
    const requests = events(
      ...answered(1, 'Blue'),
      ['RunCompleted', { summary: 'Blue' }],
      ...answered(2, 'Green'),
      ['RunCompleted', { summary: 'Green' }],
      ...answered(3, 'Gr'),
      ['RunFailed', { error: 'The key was rejected.' }],
    );
    const ends = foldRun(requests).items.filter((item) => item.kind === 'end');
    expect(ends.map(({ isSaid }) => isSaid)).toEqual([true, true, false]);
  });

  it('is not disturbed by types that this page does not know, or by data of another shape', () => {
    expect(foldRun(events(['FromTheFuture'], ['ModelAsked', 'text'], ['ToolFinished', null])).items).toHaveLength(1);
  });
});

describe('changes of files', () => {
  it('compare with what the run itself wrote before', () => {
    const edit = { path: 'a', old_string: 'two', new_string: '$& 2' };
    const { items } = foldRun(
      events(
        ...write('1', 'a', 'one\ntwo\n'),
        ['ToolStarted', { step_num: 2, call: call('2', 'edit_file', edit) }],
        ['ToolFinished', { call_id: '2', success: true, output: '', files_modified: ['a'], duration_ms: 1 }],
        ...write('3', 'a', 'three\n'),
      ),
    );
    expect([...changesOf(items).values()]).toEqual([
      { path: 'a', before: null, after: 'one\ntwo\n' },
      { path: 'a', before: 'one\ntwo\n', after: 'one\n$& 2\n' },
      { path: 'a', before: 'one\n$& 2\n', after: 'three\n' },
    ]);
  });

  it.each<[string | null, string, string]>([
    [null, 'a\nb\n', '+a +b'],
    ['a\nb\nc', 'a\nc', ' a -b  c'],
    ['a', 'a', '…'],
    ['1\n2\n3\n4\n5\n6', '1\n2\n3\n4\n5\nX', '…  3  4  5 -6 +X'],
    ['x\ny', 'y\nx', '-x  y +x'],
  ])('%j → %j', (before, after, shown) => {
    const marks = { same: ' ', added: '+', removed: '-', gap: '…' };
    expect(
      diffLines({ before, after })
        .map(({ kind, text }) => marks[kind] + text)
        .join(' '),
    ).toBe(shown);
  });
});

describe('the time axis', () => {
  const span = (lane: 'model' | 'wait', from: number, to: number | null) =>
    ({ lane, from, to, name: '', failed: false, tokens: null, position: from }) as const;

  it('is linear while something works', () => {
    const scale = timeScale([span('model', 0, 400), span('model', 400, 1_000)], 1_000);
    expect([0, 250, 400, 1_000].map((time) => scale.at(time))).toEqual([0, 0.25, 0.4, 1]);
    expect(scale.isShortened).toBe(false);
  });

  it('draws a long wait short, and says so', () => {
    const scale = timeScale(
      [span('model', 0, 5_000), span('wait', 5_000, 605_000), span('model', 605_000, 610_000)],
      610_000,
    );
    expect(scale.isShortened).toBe(true);
    expect(scale.at(605_000) - scale.at(5_000)).toBeCloseTo(0.12 / 1.12);
  });
});

it('two runs differ at the first thing that they said or did differently', () => {
  const other = WHOLE.map((event) =>
    event.type === 'ToolStarted'
      ? { ...event, data: { step_num: 1, call: call('c', 'bash', { command: 'pwd' }) } }
      : event,
  );
  const same = compareRuns(foldRun(WHOLE), foldRun(WHOLE));
  expect([same.divergence, same.pairs.length]).toEqual([null, 4]);
  expect(compareRuns(foldRun(WHOLE), foldRun(other)).divergence).toBe(2);
  const fork = events(
    ['RunRequested', { task: 'Do it another way' }],
    ['RunForked', { from_session_id: 'a', steps: 1, plan: [], messages: [] }],
    ['RunBegun'],
    ['RunCompleted', { summary: 'Done' }],
  );
  expect(compareRuns(foldRun(WHOLE), foldRun(fork), 'a')).toMatchObject({ divergence: null, pairs: { length: 4 } });
  expect(compareRuns(foldRun(WHOLE), foldRun(fork), 'b').divergence).toBe(0);
  const shorter = compareRuns(foldRun(WHOLE), foldRun(WHOLE.slice(0, 6)));
  expect(shorter.divergence).toBe(2);
  expect(shorter.pairs[2]).toMatchObject({ right: null });
});

it.each<[Json, string]>([
  [{ path: 'a', command: 'ls' }, 'ls'],
  [{ other: 'x' }, 'x'],
  [{ n: 1 }, ''],
  [null, ''],
  ['text', 'text'],
])('the subject of %j is %j', (input, subject) => expect(subjectOf(input)).toBe(subject));

it.each<[string, string | null, number | null]>([
  ['bash', 'exit code 3\nstdout:', 3],
  ['bash', 'ended after 2 s', null],
  ['read_file', 'exit code 3', null],
  ['bash', null, null],
])('%s %j ended with %j', (name, output, code) => expect(exitCodeOf(name, output)).toBe(code));

it('items of a run keep their places', () => {
  const positions = foldRun(WHOLE).items.map((item: Item) => item.position);
  expect(positions).toEqual([1, 3, 7, 9]);
});
