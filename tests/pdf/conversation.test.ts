/** A history as the entries of a document. */
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/run/agent-event.ts';
import { job } from '../../src/projections/run/job-rows.ts';
import { jobs } from '../../src/projections/run/jobs.ts';
import {
  CONVERSATION_CHARACTERS_MAX,
  conversationEntries,
  runConversation,
} from '../../src/queries/run/conversation.ts';
import { runRequest } from '../../src/testing/commands/run-inputs.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';

const plain = (speaker: string, text: string) => ({ kind: 'message', speaker, format: 'plain', text });
const said = (text: string) => ({ kind: 'message', speaker: 'Assistant', format: 'markdown', text });
const chunk = (content: string): AgentEvent => ({ type: 'chunk', content });

describe('entries', () => {
  it.each<[name: string, events: AgentEvent[], entries: unknown[]]>([
    ['none', [], []],
    ['of chunks are one message', [chunk('a'), chunk(' b'), chunk('\nc')], [said('a b\nc')]],
    [
      'begin anew after a step',
      [chunk('a'), { type: 'step', step_num: 1, tool_name: 'bash', success: false }, chunk('b')],
      [said('a'), { kind: 'step', number: 1, tool: 'bash', success: false }, said('b')],
    ],
    ['of a user', [{ type: 'user', content: '# not a heading' }], [plain('You', '# not a heading')]],
    ['of the system', [{ type: 'system', content: 'note' }], [plain('System', 'note')]],
    [
      'of a retry',
      [{ type: 'retry', content: 'overloaded', attempt: 0, max_attempts: 5, backoff_ms: 500 }],
      [plain('System', 'Retry 1 of 5 in 500 ms: overloaded')],
    ],
    [
      'of an end that repeats what was said',
      [chunk('done\n'), { type: 'complete', content: 'done' }],
      [said('done\n'), plain('Completed', '')],
    ],
    [
      'of an end that says more',
      [chunk('x'), { type: 'complete', content: 'done' }],
      [said('x'), { ...said('done'), speaker: 'Completed' }],
    ],
    [
      'of a partial end',
      [{ type: 'partial', content: 'stopped', steps_completed: 1, steps_planned: 3, remaining_plan: ['b', 'c'] }],
      [plain('Stopped with work left', 'stopped\n1 of 3 planned steps are done.\n• b\n• c')],
    ],
    [
      'of a partial end without a plan',
      [{ type: 'partial', content: 'stopped', steps_completed: 0, steps_planned: 0, remaining_plan: [] }],
      [plain('Stopped with work left', 'stopped')],
    ],
    ['of a failure', [{ type: 'error', content: 'no key' }], [plain('Failed', 'no key')]],
  ])('%s', (_, events, entries) => {
    expect(conversationEntries(events)).toEqual(entries);
  });

  it('beyond the limit are counted', () => {
    const long = chunk('😀'.repeat(CONVERSATION_CHARACTERS_MAX));
    const entries = conversationEntries([long, chunk('y'), { type: 'user', content: 'z' }]);
    expect(entries).toEqual([said(long.content!), plain('System', expect.stringMatching(/^2 more entries/))]);
  });
});

it('a run that was resumed shows when it first began, and the tokens and files of all its requests', () => {
  const request = runRequest({ task: 'Fix it', provider: 'openai', model: 'small', workspace: '/work' });
  const usage = { input_tokens: 7, output_tokens: 2 };
  const changed = { step_num: 1, call_id: 'c', tool_name: 'bash', success: true, output: '', duration_ms: 1 };
  const { views } = givenProjection(
    jobs,
    [
      { type: 'RunRequested', data: request },
      { type: 'RunBegun', data: {} },
      { type: 'ModelAnswered', data: { call: 1, usage } },
      { type: 'ToolFinished', data: { ...changed, files_modified: ['b.txt', 'a.txt'] } },
      { type: 'RunCompleted', data: { summary: 'Done.' } },
      { type: 'RunResumed', data: { request } },
      { type: 'ModelAnswered', data: { call: 2, usage } },
      { type: 'RunCompleted', data: { summary: 'Done.' } },
    ].map((event, index) => ({ ...event, stream: 'run-a', at: Date.UTC(2026, 2, 1, index) })),
  );
  expect(runConversation(views, job(views, 'a')!).facts).toEqual([
    ['Run', 'a'],
    ['Status', 'complete'],
    ['Model', 'openai / small'],
    ['Folder', '/work'],
    ['Started', '2026-03-01 01:00:00 UTC'],
    ['Resumed', '2026-03-01 05:00:00 UTC'],
    ['Ended', '2026-03-01 07:00:00 UTC'],
    ['Steps', '1'],
    ['Tokens', '18'],
    ['Changed', 'a.txt, b.txt'],
  ]);
});
