/**
 * The scripted model: deterministic, says that it is no language model, the same through both transports, and
 * controlled by `rehearse:` lines.
 */
import { describe, expect, test } from 'vitest';
import { createModels } from '../../src/integrations/models/models.ts';
import type { ModelMessage, ModelTool } from '../../src/ports/models.ts';
import { ask, type Collected, NATIVE, PROSE, user } from './support.ts';

const models = createModels({ env: {} });
const HONEST = /^[^.]*no language model[^.]*\./;

const tool = (name: string): ModelTool => ({ name, description: name, input_schema: { type: 'object' } });
const ALL = ['list_directory', 'read_file', 'write_file', 'bash', 'update_plan', 'finish'].map(tool);
const WITHOUT_PLAN = ALL.filter(({ name }) => name !== 'update_plan');

type Outcome = { readonly output: string; readonly is_error: boolean };
const fine = (): Outcome => ({ output: 'first line\nsecond line', is_error: false });

interface Played {
  readonly answers: readonly Collected[];
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly messages: readonly ModelMessage[];
}

async function play(
  task: string,
  options: { tools?: readonly ModelTool[]; settings?: typeof NATIVE; outcome?: (name: string) => Outcome } = {},
): Promise<Played> {
  const messages: ModelMessage[] = [user(task)];
  const answers: Collected[] = [];
  while (answers.length < 50) {
    const answer = await ask(models, {
      messages,
      tools: options.tools ?? WITHOUT_PLAN,
      settings: options.settings ?? PROSE,
    });
    answers.push(answer);
    messages.push({
      role: 'assistant',
      content: answer.text,
      tool_calls: answer.calls.map((call) => ({ ...call, input: call.input as object & ModelTool['input_schema'] })),
    });
    if (answer.calls.length === 0) break;
    for (const call of answer.calls) {
      messages.push({ role: 'tool', call_id: call.id, name: call.name, ...(options.outcome ?? fine)(call.name) });
    }
  }
  const calls = answers.flatMap((answer) => answer.calls.map(({ name, input }) => ({ name, input })));
  return { answers, calls, messages };
}

describe('chat', () => {
  test('an honest short answer in several frames', async () => {
    const answer = await ask(models, { messages: [user('What is the capital of France?')] });
    expect(answer.text).toMatch(HONEST);
    expect(answer.text).toContain('What is the capital of France?');
    expect(answer.frames.filter((frame) => frame.type === 'text').length).toBeGreaterThan(3);
    expect(answer.finish).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { input_tokens: null, output_tokens: null },
    });
  });
  test('nothing asked is answered too, and no frame splits a character', async () => {
    expect((await ask(models, { messages: [] })).text).toMatch(HONEST);
    const answer = await ask(models, { messages: [user('🌍'.repeat(100))] });
    for (const frame of answer.frames) if (frame.type === 'text') expect(frame.text.isWellFormed()).toBe(true);
  });
});

describe.each([
  ['prose', PROSE],
  ['native', NATIVE],
])('an agent task over %s', (_name, settings) => {
  test('looks, reads what is named, writes what is asked, sums up', async () => {
    const { answers, calls } = await play('Read README.md and docs/a.md, then write notes.md with a summary.', {
      settings,
    });
    expect(calls.map(({ name }) => name)).toEqual(['list_directory', 'read_file', 'read_file', 'write_file']);
    expect(calls.map(({ input }) => (input as { path: string }).path)).toEqual([
      '.',
      'README.md',
      'docs/a.md',
      'notes.md',
    ]);
    expect(calls[3]?.input).toMatchObject({ content: expect.stringContaining('> first line') });
    expect(answers[0]?.text).toMatch(HONEST);
    expect(answers.at(-1)?.text).toMatch(HONEST);
    expect(answers.at(-1)?.text).toContain('README.md');
    expect(answers.map((answer) => answer.text).join('')).not.toContain('tool_call');
  });

  test.each([
    ['create hello.txt containing "hi"', 'hello.txt', 'hi'],
    ['Please write a file named out/x.json with the content \'{"a": 1}\'.', 'out/x.json', '{"a": 1}'],
    ['Create a new file `greeting.md` that says “Hello, world”', 'greeting.md', 'Hello, world'],
    ["create a.txt with 'it's <think>fine</think>'", 'a.txt', "it's <think>fine</think>"],
    ['Add notes.md with the text: "two\nlines"', 'notes.md', 'two\nlines'],
  ])('%s', async (task, path, content) => {
    const { calls } = await play(task, { settings });
    expect(calls.filter(({ name }) => name !== 'list_directory')).toEqual([
      { name: 'write_file', input: { path, content } },
    ]);
  });

  test('says so when a tool is rejected, and goes on', async () => {
    const outcome = (name: string): Outcome =>
      name === 'write_file' ? { output: 'needs approval', is_error: true } : fine();
    const { answers, calls } = await play('create hello.txt containing "hi", then create b.txt containing "b"', {
      settings,
      outcome,
    });
    expect(calls.map(({ name }) => name)).toEqual(['list_directory', 'write_file', 'write_file']);
    expect(answers[2]?.text).toContain('That did not work (needs approval)');
    expect(answers.at(-1)?.text).toMatch(/hello\.txt: it did not work \(needs approval\)/);
  });

  test('keeps a plan when it can, and closes every step of it', async () => {
    const outcome = (name: string): Outcome =>
      name === 'read_file' ? { output: 'no such file', is_error: true } : fine();
    const { calls, answers } = await play('Read a.md', { settings, tools: ALL, outcome });
    const plans = calls
      .filter(({ name }) => name === 'update_plan')
      .map(({ input }) => input as { steps: { status: string }[] });
    expect(plans.map(({ steps }) => steps.map(({ status }) => status))).toEqual([
      ['in_progress', 'pending'],
      ['done', 'failed'],
    ]);
    expect(answers[0]?.text).toMatch(HONEST);
  });

  test('a task taken up again starts over, with new ids', async () => {
    const first = await play('Read a.md', { settings });
    const again = await ask(models, {
      messages: [...first.messages, user('Read b.md')],
      tools: WITHOUT_PLAN,
      settings,
    });
    expect(again.calls).toEqual([{ id: 'call-3', name: 'list_directory', input: { path: '.' } }]);
  });

  test('the same conversation gives the same frames', async () => {
    const once = await play('Read a.md and create b.md containing "b"', { settings });
    const twice = await play('Read a.md and create b.md containing "b"', { settings });
    expect(twice).toEqual(once);
  });
});

test.each(['Read a.md', 'rehearse: tools 3', 'rehearse: bash echo "<tool_call>{}</tool_call>"'])(
  'both transports do the same: %s',
  async (task) => {
    const prose = await play(task, { settings: PROSE });
    const native = await play(task, { settings: NATIVE });
    expect(prose.calls).toEqual(native.calls);
    expect(prose.answers.map((answer) => answer.text.trim())).toEqual(
      native.answers.map((answer) => answer.text.trim()),
    );
  },
);

describe('steering', () => {
  const callsOf = async (task: string) => (await play(task, { tools: ALL })).calls;

  test('bash, read and write', async () => {
    expect(
      await callsOf(
        'Do this:\nrehearse: bash sleep 1 && echo done\n  rehearse: read a b.md\nrehearse: write x.txt some text',
      ),
    ).toEqual([
      { name: 'bash', input: { command: 'sleep 1 && echo done' } },
      { name: 'read_file', input: { path: 'a b.md' } },
      { name: 'write_file', input: { path: 'x.txt', content: 'some text' } },
    ]);
  });
  test('tools makes as many answers, parallel as many calls in one', async () => {
    const tools = await play('rehearse: tools 4');
    expect([tools.calls.length, tools.answers.length]).toEqual([4, 5]);
    const parallel = await play('rehearse: parallel 4');
    expect([parallel.calls.length, parallel.answers.length]).toEqual([4, 2]);
    expect(new Set(parallel.answers[0]?.calls.map(({ id }) => id)).size).toBe(4);
  });
  test('slow frames come before the call that follows, or at the end', async () => {
    const { answers } = await play('rehearse: slow 1\nrehearse: bash ls\nrehearse: slow 2');
    expect(answers[0]?.text).toContain('Slowly, 1 of 1.');
    expect(answers[1]?.text).toContain('Slowly, 2 of 2.');
    expect(answers[0]?.text).toMatch(HONEST);
    const chat = await ask(models, { messages: [user('rehearse: slow 2')] });
    expect(chat.text).toContain('Slowly, 2 of 2.');
  });
  test('plan leaves its steps open', async () => {
    expect(await callsOf('rehearse: plan first; second')).toEqual([
      {
        name: 'update_plan',
        input: {
          steps: [
            { description: 'first', status: 'pending' },
            { description: 'second', status: 'pending' },
          ],
        },
      },
    ]);
  });
  test('a tool that is not on offer is not called', async () => {
    expect((await play('rehearse: bash ls', { tools: [tool('list_directory')] })).calls).toEqual([]);
  });
});

test('an abort ends a slow answer with the reason of the signal', async () => {
  const stop = new AbortController();
  const reason = new Error('stop');
  const reading = (async () => {
    for await (const frame of models.stream({ ...requestSlow }, stop.signal)) {
      if (frame.type === 'text' && frame.text.includes('Slowly, 1 ')) stop.abort(reason);
    }
  })();
  await expect(reading).rejects.toBe(reason);
});

const requestSlow = {
  provider: 'rehearsal',
  model: 'rehearsal-1',
  system: '',
  messages: [user('rehearse: slow 10000')],
  tools: [],
  settings: NATIVE,
  thinking_budget: null,
};
