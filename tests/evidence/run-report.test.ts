/** What `report.md` of a run or a goal says, from its events alone. */
import { expect, it } from 'vitest';
import { goalEvents } from '../../src/events/goal.ts';
import { type RunEvent, runEvents } from '../../src/events/run/events.ts';
import { goalReport } from '../../src/queries/evidence/goal-report.ts';
import { runReport } from '../../src/queries/evidence/run-report.ts';
import type { NewEvent } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { runRequest as request } from '../../src/testing/commands/run-inputs.ts';
import { event, to } from '../storage/log-helpers.ts';

async function reportOf(...events: readonly RunEvent[]): Promise<string> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const stored = events.map(({ type, data }, index): NewEvent => {
    return { ...event(index + 1, JSON.parse(JSON.stringify(data))), type, schema: runEvents[type].version };
  });
  await log.append([to('run-a', stored)]);
  return runReport({ id: 'a', size: events.length }, [...log.readStream('run-a')]);
}

const asked = (call: number, attempt: number): RunEvent => ({
  type: 'ModelAsked',
  data: {
    ...{ call, attempt, provider: 'acme', model: 'one', thinking_budget: null, request_hash: 'a'.repeat(64) },
    settings: { tool_transport: 'native', prompt_dialect: 'full', prompt_cache: false },
  },
});
const said = (call: number, text: string): RunEvent => ({
  type: 'ModelFramesReceived',
  data: { call, frames: [{ type: 'text', text }] },
});
const answered = (call: number): RunEvent => ({
  type: 'ModelAnswered',
  data: { call, finish_reason: 'stop', usage: { input_tokens: 1, output_tokens: 2 } },
});

it('the answer of a call that is repeated is that of the last attempt, without the text of those that failed', async () => {
  const error = { kind: 'transient' as const, message: 'cut', status: null, retry_after_ms: null, jitter: 0 };
  const report = await reportOf(
    ...[asked(1, 0), said(1, 'The first attempt says 17')],
    { type: 'ModelCallFailed', data: { call: 1, attempt: 0, ...error } },
    ...[asked(1, 1), said(1, 'The total '), said(1, 'is 42.'), answered(1)],
  );
  expect(report).toContain('tokens 1 in, 2 out): The total is 42. |');
  expect(report).not.toContain('17');
});

it('counts and lists the steps of the record of the job: no refused call, an interrupted and repeated call once', async () => {
  const of = (step_num: number, tool_name: string) => ({ step_num, call_id: `c${step_num}`, tool_name });
  const report = await reportOf(
    { type: 'ToolRejected', data: { ...of(1, 'shell'), content: 'The policy forbids it.' } },
    { type: 'ToolInterrupted', data: { ...of(2, 'read_file'), reason: 'The daemon ended.', repeat: true } },
    {
      type: 'ToolFinished',
      data: { ...of(2, 'read_file'), success: false, output: '', files_modified: [], duration_ms: 1 },
    },
    { type: 'PlanUpdated', data: { ...of(3, 'update_plan'), steps: [] } },
    { type: 'ToolInterrupted', data: { ...of(4, 'shell'), reason: 'The daemon ended.', repeat: false } },
  );
  expect(report).toContain('**Steps:** 3 ');
  expect(report.match(/^\| \d \| \w+ \| [a-z, ]+ \|/gm)).toEqual([
    '| 1 | shell | not allowed |',
    '| 2 | read_file | interrupted, repeated |',
    '| 2 | read_file | failed |',
    '| 3 | update_plan | succeeded |',
    '| 4 | shell | interrupted |',
  ]);
});

it('a run whose first request is erased does not take the resume for it', async () => {
  const data = { request: request({ task: 'Go on.' }) };
  const report = await reportOf({ type: 'RunResumed', data });
  expect(report).toContain('**Asked again, to go on** on');
  expect(report).not.toContain('**Requested:**');
});

it('a run whose resume is erased has ended as before: its second begin is none', async () => {
  const begun: RunEvent = { type: 'RunBegun', data: {} };
  const report = await reportOf(
    { type: 'RunRequested', data: request({ task: 'Go.' }) },
    ...[begun, { type: 'RunCompleted', data: { summary: 'It is done.' } } as const, begun],
  );
  expect(report).toContain('**Status:** complete');
});

it('what was asked of a goal is its text and no markup, also where there is only a title', async () => {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const fields = { title: '# Ship it', statement: '', success_criteria: ['[x]: http://a.example'], tags: [] };
  const data = { ...fields, workspace: null, parent_goal_id: null };
  await log.append([
    to('goal-a', [{ ...event(1, data), type: 'GoalCreated', schema: goalEvents.GoalCreated.version }]),
  ]);
  const parts = { events: [...log.readStream('goal-a')], related: [], eventsOf: () => [] };
  const report = await goalReport({ id: 'a', size: 1 }, parts);
  expect(report).toContain('\n\\# Ship it\n');
  expect(report).toContain('\n- \\[x]: http://a.example\n');
});
