/**
 * Agent runs over real HTTP: real provider packages, real tools in a real folder, the stream and the record of a run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/run/agent-event.ts';
import { readSse } from '../../src/testing/server-sent-events.ts';
import {
  type Behaviour,
  callsTool,
  cutsOff,
  garbles,
  hangs,
  refuses,
  says,
  slowly,
} from '../fakes/providers/server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { benchHere, sharedBench } from './support.ts';

const on = sharedBench();
const benches = { openai: on, anthropic: sharedBench('anthropic') };

const types = (events: readonly AgentEvent[]): string[] => events.map((event) => event.type);
const text = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'chunk' ? event.content : '')).join('');
const bash = (command: string): Behaviour => callsTool({ name: 'bash', input: { command } });
const patience = { retry: { 'retry-after': '0' } } as const;

it.each(['openai', 'anthropic'] as const)('with the %s wire format works with tools and completes', async (kind) => {
  const { provider, start, events, job, daemon } = benches[kind];
  const write = { name: 'write_file', input: { path: 'notes/a.md', content: 'hello\n' } };
  provider.script(
    callsTool(write),
    callsTool({ name: 'read_file', input: { path: 'notes/a.md' } }),
    says('All ', 'done.'),
  );
  const id = await start({ task: 'write a note', approval: 'auto-edit' });
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const seen = await events(id);
  expect(seen.filter((event) => event.type === 'step')).toEqual([
    { type: 'step', step_num: 1, tool_name: 'write_file', success: true },
    { type: 'step', step_num: 2, tool_name: 'read_file', success: true },
  ]);
  expect(seen.at(-1)).toEqual({ type: 'complete', content: 'All done.' });
  expect(text(seen)).toBe('All done.');
  expect(readFileSync(join(daemon.workspace, 'notes/a.md'), 'utf8')).toBe('hello\n');
  expect(await job(id)).toMatchObject({
    session_id: id,
    status: 'complete',
    provider: kind,
    summary: 'All done.',
    steps_completed: 2,
    files_modified: ['notes/a.md'],
  });
  expect(JSON.stringify(provider.requests[2]!.body)).toContain('hello');
});

describe('transient failures', () => {
  it('are retried with a retry event', async () => {
    on.provider.script(refuses(429, 'slow down', patience.retry), says('Back again.'));
    const seen = await on.events(await on.start({ task: 'x' }));
    expect(seen[0]).toEqual({
      type: 'retry',
      content: expect.stringContaining('slow down'),
      attempt: 0,
      max_attempts: 5,
      backoff_ms: 0,
    });
    expect(seen.at(-1)).toMatchObject({ type: 'complete', content: 'Back again.' });
  });

  it('end the run with an error when they do not stop', async () => {
    on.provider.script(() => refuses(503, 'overloaded', patience.retry));
    const id = await on.start({ task: 'x' });
    const seen = await on.events(id);
    expect(types(seen)).toEqual(['retry', 'retry', 'retry', 'retry', 'error']);
    expect(seen.map((event) => event.attempt)).toEqual([0, 1, 2, 3, undefined]);
    expect(await on.job(id)).toMatchObject({ status: 'failed', summary: seen.at(-1)!.content });
    expect(on.provider.requests).toHaveLength(5);
  });

  it('are noticed when only keep-alives come', async () => {
    const { provider, start, events } = await benchHere('openai', { DAYBOOK_MODEL_STALL_SECONDS: '0.3' });
    provider.script(hangs('half an answer'), () => says('A whole answer.'));
    const seen = await events(await start({ task: 'x' }));
    expect(types(seen)).toContain('retry');
    expect(seen.at(-1)).toEqual({ type: 'complete', content: 'A whole answer.' });
    await provider.requests[0]!.abandoned;
  });

  it.each([
    ['a connection that breaks', cutsOff('half')],
    ['a chunk that is not JSON', garbles('half')],
  ])('%s is one', async (_name, broken) => {
    on.provider.script(broken, says('Whole.'));
    const seen = await on.events(await on.start({ task: 'x' }));
    expect(types(seen)).toContain('retry');
    expect(seen.at(-1)).toEqual({ type: 'complete', content: 'Whole.' });
  });

  it('a rejected key is none', async () => {
    on.provider.script(refuses(401, 'bad key sk-fake'));
    const seen = await on.events(await on.start({ task: 'x' }));
    expect(types(seen)).toEqual(['error']);
    expect(JSON.stringify(seen)).not.toContain('sk-fake');
  });
});

it('approvals: suggest rejects with a system event and the run adapts', async () => {
  const write = { name: 'write_file', input: { path: 'gated.txt', content: 'x' } };
  on.provider.script(callsTool(write), says('Then I only say it.'));
  const seen = await on.events(await on.start({ task: 'write', approval: 'suggest' }));
  expect(types(seen)).toEqual(['system', 'chunk', 'complete']);
  expect(seen[0]!.content).toMatch(/write_file.*auto-edit and full-auto/);
  expect(existsSync(join(on.daemon.workspace, 'gated.txt'))).toBe(false);
  expect(JSON.stringify(on.provider.requests[1]!.body)).toContain('needs approval');
});

// What an extension adds: tests/commands/run.test.ts.
it('the step budget without extensions ends after 50 steps as partial', async () => {
  on.provider.script(() => callsTool({ name: 'list_directory', input: {} }));
  const id = await on.start({ task: 'x', max_step_extensions: 0 });
  const seen = await on.events(id);
  expect(seen.filter((event) => event.type === 'step')).toHaveLength(50);
  expect(seen.at(-1)).toMatchObject({ type: 'partial', steps_completed: 0, steps_planned: 0, remaining_plan: [] });
  expect(await on.job(id)).toMatchObject({ status: 'partial' });
});

it('a plan that stays open makes the run partial, resumable, and complete in the end', async () => {
  const plan = (second: string) => ({
    name: 'update_plan',
    input: {
      steps: [
        { description: 'look', status: 'done' },
        { description: 'act', status: second },
      ],
    },
  });
  on.provider.script(callsTool(plan('pending')), says('So far.'));
  const id = await on.start({ task: 'two things' });
  const first = await on.events(id);
  expect(first.at(-1)).toEqual({
    type: 'partial',
    content: 'So far.\n\nRemaining (1 of 2 steps not done):\n2. act',
    steps_completed: 1,
    steps_planned: 2,
    remaining_plan: ['act'],
  });
  on.provider.script(callsTool(plan('done')), says('Now all.'));
  expect(await on.start({ task: 'go on', resume_session_id: id })).toBe(id);
  const second = await on.events(id);
  expect(types(second)).toEqual(['step', 'chunk', 'complete']);
  expect(await on.job(id)).toMatchObject({ status: 'complete', summary: 'Now all.' });
  expect(types(await on.events(id, '?after=0'))).toEqual([...types(first), ...types(second)]);
  expect(JSON.stringify(on.provider.requests[2]!.body)).toContain('two things');
});

describe('a run whose folder does not exist', () => {
  it('works in that of the daemon when it is new, and says so', async () => {
    on.provider.script(says('Done.'));
    const id = await on.start({ task: 'one', workspace_root: '/nowhere/at/all' });
    expect((await on.events(id))[0]).toEqual({
      type: 'system',
      content: `The folder that was asked for does not exist: the run works in ${on.daemon.workspace}.`,
    });
    expect(await on.job(id)).toMatchObject({ status: 'complete', workspace: on.daemon.workspace });
  });

  it('goes on in no other folder, and has no fork there, unless the caller names one', async () => {
    const folder = temporaryFolder('workspace');
    on.provider.script(says('One.'), says('Two.'));
    const id = await on.start({ task: 'one', workspace_root: folder });
    await on.events(id);
    rmSync(folder, { recursive: true });
    for (const path of ['/agent', `/jobs/${id}/fork`]) {
      const body = JSON.stringify({ task: 'two', ...(path === '/agent' ? { resume_session_id: id } : {}) });
      const refused = await on.daemon.request(path, { method: 'POST', body });
      expect([refused.status, await refused.json()]).toEqual([
        409,
        { error: 'The folder in which this run worked is gone: put it back, or resume the run with workspace_root.' },
      ]);
    }
    expect(await on.job(id)).toMatchObject({ status: 'complete', task: 'one' });
    await on.start({ task: 'two', resume_session_id: id, workspace_root: on.daemon.workspace });
    await on.events(id);
    expect(await on.job(id)).toMatchObject({ status: 'complete', workspace: on.daemon.workspace });
    expect(on.provider.requests).toHaveLength(2);
  });
});

describe('cancelling', () => {
  it('kills the tool’s processes and is final', async () => {
    on.provider.script(bash('echo started > started.txt; sleep 61.7 & sleep 61.8'), says('never said'));
    const id = await on.start({ task: 'x', approval: 'full-auto' });
    const stream = on.daemon.request(`/stream/${id}`).then((response) => readSse(response));
    await expect.poll(() => existsSync(join(on.daemon.workspace, 'started.txt'))).toBe(true);
    const cancelled = await on.daemon.request(`/jobs/${id}/cancel`, { method: 'POST' });
    expect(await cancelled.json()).toMatchObject({
      status: 'cancelled',
      summary: null,
      finished_at: expect.any(Number),
      cancellation_reason: 'user requested',
    });
    const seen = (await stream).map((event) => JSON.parse(event.data) as AgentEvent);
    expect(types(seen).some((type) => ['complete', 'partial', 'error'].includes(type))).toBe(false);
    await expect.poll(() => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/sleep 61\.[78]/);
    expect(await on.job(id)).toMatchObject({ status: 'cancelled' });
    expect(on.provider.requests).toHaveLength(1);
  });

  it('aborts the model call', async () => {
    on.provider.script(slowly(30, ...Array.from({ length: 200 }, (_, n) => `word ${n} `)));
    const id = await on.start({ task: 'x' });
    await readSse(await on.daemon.request(`/stream/${id}`), () => true);
    await on.daemon.request(`/jobs/${id}/cancel`, { method: 'POST' });
    await on.provider.requests[0]!.abandoned;
  });
});

describe('queueing', () => {
  const one = sharedBench('openai', { DAYBOOK_RUNS_MAX: '1' });

  it('runs no more at once than allowed, and the queued one starts when there is room', async () => {
    one.provider.script(bash('while [ ! -e go ]; do sleep 0.05; done'), says('First.'), says('Second.'));
    const first = await one.start({ task: 'a', approval: 'full-auto' });
    await expect.poll(async () => (await one.job(first)).status).toBe('running');
    const second = await one.start({ task: 'b' });
    expect(await one.job(second)).toMatchObject({ status: 'queued', finished_at: null });
    writeFileSync(join(one.daemon.workspace, 'go'), '');
    expect((await one.events(second)).at(-1)).toMatchObject({ content: 'Second.' });
    expect((await one.events(first)).at(-1)).toMatchObject({ content: 'First.' });
  });

  it('cancels what is still queued', async () => {
    one.provider.script(bash('sleep 62'));
    await one.start({ task: 'a', approval: 'full-auto' });
    const second = await one.start({ task: 'b' });
    await one.daemon.request(`/jobs/${second}/cancel`, { method: 'POST' });
    expect(await one.job(second)).toMatchObject({ status: 'cancelled' });
  });
});

describe('replay and fork', () => {
  it('finds a run identical, answers a new run from it, and forks it', async () => {
    writeFileSync(join(on.daemon.workspace, 'a.txt'), 'alpha\n');
    on.provider.script(callsTool({ name: 'read_file', input: { path: 'a.txt' } }), says('It says alpha.'));
    const id = await on.start({ task: 'what is in a.txt?' });
    const original = await on.events(id);
    const report = await (await on.daemon.request(`/jobs/${id}/replay`)).json();
    expect(report).toMatchObject({ identical: true, divergence: null, effects: 3 });

    const again = await on.start({ task: 'what is in a.txt?', provider: 'replay', model: id });
    expect(await on.events(again)).toEqual(original);
    expect(on.provider.requests).toHaveLength(2);
    const other = await on.start({ task: 'something else', provider: 'replay', model: id });
    expect((await on.events(other)).at(-1)).toMatchObject({
      type: 'error',
      content: expect.stringContaining('no answer'),
    });

    on.provider.script(says('From the middle.'));
    const response = await on.daemon.request(`/jobs/${id}/fork`, {
      method: 'POST',
      body: JSON.stringify({ step: 1, task: 'and now?' }),
    });
    const { session_id } = (await response.json()) as { session_id: string };
    expect((await on.events(session_id)).at(-1)).toMatchObject({ content: 'From the middle.' });
    expect(await on.job(session_id)).toMatchObject({ parent_session_id: id });
    expect(JSON.stringify(on.provider.requests[2]!.body)).toContain('alpha');
    const wrong = await on.daemon.request(`/jobs/${id}/fork`, { method: 'POST', body: '{"step": 9}' });
    expect(wrong.status).toBe(400);
  });
  // Only the newest model was known to the recording: the requests to the one before found no answer.
  it('answers from a run that was taken up again with another model', async () => {
    on.provider.script(callsTool({ name: 'list_directory', input: {} }), says('first'), says('second'));
    const id = await on.start({ task: 'one' });
    const first = await on.events(id);
    await on.daemon.request('/harness/profile?provider=openai', { method: 'PUT', body: '{"temperature":1}' });
    await on.start({ task: 'two', provider: 'openai', model: 'another', resume_session_id: id });
    const second = await on.events(id);
    const again = await on.start({ task: 'one', provider: 'replay', model: id });
    expect(await on.events(again)).toEqual(first);
    await on.start({ task: 'two', provider: 'replay', model: id, resume_session_id: again });
    expect(await on.events(again)).toEqual(second);
    expect(on.provider.requests).toHaveLength(3);
  });
  // It took along what the model said and what a person asked after the step, up to the next step's outcome.
  it('a fork knows of its step and nothing of what came after it, also of a run that was taken up again', async () => {
    const reads = callsTool({ name: 'list_directory', input: {} });
    on.provider.script(reads, says('first words'), reads, says('second words'));
    const id = await on.start({ task: 'first task' });
    await on.events(id);
    await on.start({ task: 'second task', resume_session_id: id });
    await on.events(id);
    const fork = async (of: string, step: number): Promise<string> => {
      on.provider.script(reads, says('end'));
      const body = JSON.stringify({ step, task: 'third task' });
      const answer = await on.daemon.request(`/jobs/${of}/fork`, { method: 'POST', body });
      const { session_id } = (await answer.json()) as { session_id: string };
      await on.events(session_id);
      return session_id;
    };
    const told = () => on.provider.requests.at(-2)!.body.messages.map(({ role }: { role: string }) => role);
    const forked = await fork(id, 1);
    expect(told()).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(JSON.stringify(on.provider.requests.at(-2)!.body)).not.toMatch(/first words|second task/);
    await fork(id, 0);
    expect(told()).toEqual(['system', 'user', 'user']);
    await fork(forked, 1);
    expect(told()).toEqual(['system', 'user', 'assistant', 'tool', 'user', 'user']);
  });
  // The fork of a chat had tools, and the fork of a run with a hard wall could grow past it.
  it('a fork runs under the terms of the run it came from', async () => {
    const terms = { mode: 'chat', max_step_extensions: 0, reasoning: 'high', approval: 'auto-edit' };
    const id = await on.start({ task: 'talk', ...terms });
    await on.events(id);
    const response = await on.daemon.request(`/jobs/${id}/fork`, { method: 'POST' });
    const { session_id } = (await response.json()) as { session_id: string };
    await on.events(session_id);
    const { events: log } = (await (await on.daemon.request(`/v1/events?stream=run-${session_id}`)).json()) as {
      events: { type: string; data: unknown }[];
    };
    expect(log.find(({ type }) => type === 'RunRequested')?.data).toMatchObject(terms);
  });
});

describe('harness settings', () => {
  it('reach the next request of a run', async () => {
    await on.daemon.request('/harness/profile?provider=openai&model=fake-model', {
      method: 'PUT',
      body: JSON.stringify({ temperature: 0, system_prompt_suffix: 'Speak like a clerk.' }),
    });
    await on.events(await on.start({ task: 'x' }));
    expect(on.provider.requests[0]!.body).toMatchObject({ temperature: 0 });
    expect(JSON.stringify(on.provider.requests[0]!.body)).toContain('Speak like a clerk.');
  });

  // A budget is reported only where the provider supports one.
  it.each([
    ['anthropic', ['Thinking budget: 2048 tokens (reasoning high).']],
    ['openai', []],
  ] as const)('a run with %s tells of the thinking budget that is sent', async (kind, told) => {
    const { provider, start, events, daemon } = benches[kind];
    const body = JSON.stringify({ thinking_budgets: { high: 2048 } });
    await daemon.request(`/harness/profile?provider=${kind}`, { method: 'PUT', body });
    const seen = await events(await start({ task: 'x', reasoning: 'high' }));
    expect(seen.flatMap((event) => (event.type === 'system' ? [event.content] : []))).toEqual(told);
    expect(JSON.stringify(provider.requests[0]!.body).includes('2048')).toBe(told.length > 0);
  });
});
