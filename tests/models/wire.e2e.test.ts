/** Real provider packages over real sockets: the requests they send, and the frames made from the answers. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../src/integrations/models/models.ts';
import type { ModelMessage, ModelsPort } from '../../src/ports/models.ts';
import { startFakeOllama } from '../fakes/providers/ollama.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { callsTool, type FakeProvider, says } from '../fakes/providers/server.ts';
import { until } from '../support/until.ts';
import { ask, type Collected, connect, KEY, NATIVE, READ_FILE, user, WIRES, type Wire } from './support.ts';

const SIGNED = WIRES.filter((wire) => ['Messages', 'generateContent', 'Responses'].includes(wire.name));

describe.each(WIRES)('$name', (wire) => {
  let fake: FakeProvider;
  let models: ModelsPort;
  beforeEach(async () => {
    ({ fake, models } = await connect(wire));
  });

  const send = (messages: readonly ModelMessage[], more = {}): Promise<Collected> =>
    ask(models, { provider: wire.provider, messages, ...more });

  test('text arrives in its pieces, with usage and finish', async () => {
    fake.script({ kind: 'answer', text: ['Hel', 'lo ', 'wörld 🌍'], usage: { input: 21, output: 5 } });
    const answer = await send([user('Hi')]);
    expect(answer.frames).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo ' },
      { type: 'text', text: 'wörld 🌍' },
      { type: 'finish', reason: 'stop', usage: { input_tokens: 21, output_tokens: 5 } },
    ]);
    expect(fake.requests).toHaveLength(1);
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('Be brief.');
  });

  test('an answer that hit its limit says so', async () => {
    fake.script({ kind: 'answer', text: ['Cut'], finish: 'length' });
    expect((await send([user('Hi')])).finish?.reason).toBe('length');
  });

  test('tool calls arrive complete, and their results are sent back', async () => {
    fake.script(
      callsTool({ name: 'read_file', input: { path: 'a.md' } }, { name: 'read_file', input: { path: 'b.md' } }),
      says('Done.'),
    );
    const first = await send([user('Read')], { tools: [READ_FILE] });
    expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'read_file', input: { path: 'a.md' } },
      { name: 'read_file', input: { path: 'b.md' } },
    ]);
    expect(first.finish?.reason).toBe('tool_calls');
    expect(new Set(first.calls.map((call) => call.id)).size).toBe(2);
    const second = await send(conversation(first), { tools: [READ_FILE] });
    expect(second.text).toBe('Done.');
    const sent = JSON.stringify(fake.requests[1]?.body);
    for (const word of ['a.md', 'b.md', 'content of a', 'no such file']) expect(sent).toContain(word);
  });

  test('reasoning is kept apart from text', async () => {
    fake.script({ kind: 'answer', reasoning: ['Let me ', 'see.'], text: ['Yes.'] });
    const answer = await send([user('Hi')]);
    expect([answer.reasoning, answer.text]).toEqual(['Let me see.', 'Yes.']);
  });

  test('an instruction in the middle of a conversation reaches the provider', async () => {
    await send([
      user('Hi'),
      { role: 'assistant', content: 'Hello.', tool_calls: [] },
      { role: 'system', content: 'Now in French.' },
    ]);
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('Now in French.');
  });

  test('an aborted call closes its connection and ends with the reason of the signal', async () => {
    fake.script({ kind: 'answer', text: ['One', 'two'], ending: 'hang' });
    const stop = new AbortController();
    const reason = new Error('the person pressed stop');
    const stream = models.stream({ ...requestFor(wire) }, stop.signal);
    const reading = (async () => {
      for await (const frame of stream) if (frame.type === 'text') stop.abort(reason);
    })();
    await expect(reading).rejects.toBe(reason);
    await fake.requests[0]?.abandoned;
  });

  test('an abort before the first byte of the answer closes the connection too', async () => {
    fake.script({ kind: 'silence' });
    const stop = new AbortController();
    const reading = ask(models, { provider: wire.provider }, stop.signal);
    reading.catch(() => {});
    await until(() => fake.requests.length > 0);
    stop.abort(new Error('stop'));
    await expect(reading).rejects.toThrow('stop');
    await fake.requests[0]?.abandoned;
  });

  test('a reader that stops early closes the connection', async () => {
    fake.script({ kind: 'answer', text: ['One', 'two'], ending: 'hang' });
    for await (const frame of models.stream(requestFor(wire), new AbortController().signal)) {
      if (frame.type === 'text') break;
    }
    await fake.requests[0]?.abandoned;
  });

  test('a call with the prose transport has no tools on the wire, only in the text', async () => {
    fake.script(says('I will look.\n<tool', '_call>{"name":"read_file","input":{"path":"a.md"}}</tool_', 'call>'));
    const settings = { ...NATIVE, tool_transport: 'prose' as const };
    const answer = await send([user('Read')], { tools: [READ_FILE], settings });
    expect(answer.text).toBe('I will look.\n');
    expect(answer.calls).toEqual([{ id: 'call-1', name: 'read_file', input: { path: 'a.md' } }]);
    expect(answer.finish?.reason).toBe('tool_calls');
    expect(fake.requests[0]?.body).not.toHaveProperty('tools');
    expect(JSON.stringify(fake.requests[0]?.body)).toContain('Reads a file.');
  });
});

test.each(SIGNED)('signatures of $name go back as they came', async (wire) => {
  const { fake, models } = await connect(wire);
  fake.script(
    {
      kind: 'answer',
      reasoning: ['Hm, ', 'yes.'],
      signature: 'c2lnbmF0dXJl',
      calls: [{ name: 'read_file', input: { path: 'a.md' } }],
    },
    says('Done.'),
  );
  const ask1 = await ask(models, { provider: wire.provider, tools: [READ_FILE] });
  expect(ask1.signatures).toHaveLength(1);
  await ask(models, { provider: wire.provider, messages: conversation(ask1), tools: [READ_FILE] });
  expect(JSON.stringify(fake.requests[1]?.body)).toContain('c2lnbmF0dXJl');
});

test('Anthropic gets its complete thinking block, and no signature of another provider', async () => {
  const { fake, models } = await connect(WIRES[2]!);
  const messages: ModelMessage[] = [
    user('Hi'),
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'toolu_1', name: 'read_file', input: 'not JSON' }],
      reasoning: [
        { text: 'Hm, ', signature: null },
        { text: 'yes.', signature: null },
        { text: '', signature: 'anthropic:abc' },
        { text: '', signature: 'anthropic-redacted:xyz' },
        { text: 'other', signature: 'google:foreign' },
        { text: 'unsigned', signature: null },
      ],
    },
    { role: 'tool', call_id: 'toolu_1', name: 'read_file', output: 'x', is_error: true },
  ];
  await ask(models, { provider: 'anthropic', messages, tools: [READ_FILE] });
  expect(fake.requests[0]?.body.messages[1].content).toEqual([
    { type: 'thinking', thinking: 'Hm, yes.', signature: 'abc' },
    { type: 'redacted_thinking', data: 'xyz' },
    { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { unreadable_input: 'not JSON' } },
  ]);
  expect(fake.requests[0]?.body.messages[2].content[0]).toMatchObject({ type: 'tool_result', is_error: true });
});

describe('ids of calls that another provider gave, and that repeat,', () => {
  const answered = (call_id: string): ModelMessage[] => [
    { role: 'assistant', content: '', tool_calls: [{ id: call_id, name: 'read_file', input: {} }] },
    { role: 'tool', call_id, name: 'read_file', output: 'x', is_error: false },
  ];
  const messages = [user('Hi'), ...['functions.read_file:0', 'call-1', 'call-1', 'aB3xK9mP2'].flatMap(answered)];

  test('have the form that Anthropic takes, and are unique there', async () => {
    const { fake, models } = await connect(WIRES[2]!);
    await ask(models, { provider: 'anthropic', messages, tools: [READ_FILE] });
    const blocks = fake.requests[0]!.body.messages.flatMap(({ content }: { content: object[] }) => content);
    const ids = blocks.flatMap(({ type, id }: { type: string; id: string }) => (type === 'tool_use' ? [id] : []));
    expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), 'call-1', expect.stringMatching(/^[\w-]+$/), 'aB3xK9mP2']);
    expect(new Set(ids).size).toBe(4);
    expect(blocks.flatMap(({ tool_use_id = [] }) => tool_use_id)).toEqual(ids);
  });

  test.each([
    ['mistral', /^[A-Za-z0-9]{9}$/],
    ['fireworks', /^(?:functions\.read_file:0|call-1|aB3xK9mP2)$/],
  ])('have the form that %s takes', async (provider, form) => {
    const fake = await startFakeOpenAi();
    onTestFinished(() => fake.close());
    const prefix = provider.toUpperCase();
    const models = createModels({ env: { [`${prefix}_API_KEY`]: KEY, [`${prefix}_BASE_URL`]: fake.url } });
    await ask(models, { provider, messages, tools: [READ_FILE] });
    const sent = fake.requests[0]!.body.messages;
    const ids = sent.flatMap(({ tool_calls = [] }) => tool_calls).map(({ id }: { id: string }) => id);
    expect(ids).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(form)));
    expect(ids.at(-1)).toBe('aB3xK9mP2');
    expect(sent.flatMap(({ tool_call_id = [] }) => tool_call_id)).toEqual(ids);
  });
});

test('Gemini gets the results of calls made together in one turn', async () => {
  const { fake, models } = await connect(WIRES[3]!);
  fake.script(
    callsTool({ name: 'read_file', input: { path: 'a.md' } }, { name: 'read_file', input: { path: 'b.md' } }),
    says('Done.'),
  );
  const answer = await ask(models, { provider: 'google', tools: [READ_FILE] });
  await ask(models, { provider: 'google', messages: conversation(answer), tools: [READ_FILE] });
  const turns = fake.requests[1]?.body.contents;
  expect(turns.map((turn: { role: string }) => turn.role)).toEqual(['user', 'model', 'user']);
  expect(turns[2].parts).toHaveLength(2);
});

test('another server behind OPENAI_BASE_URL gets chat completions', async () => {
  const { fake, models } = await connect(WIRES[0]!);
  await ask(models, { provider: 'openai' });
  expect(fake.requests[0]?.path).toBe('/v1/chat/completions');
});

test.each([
  ['groq', { include_usage: true }],
  ['mistral', undefined],
])('%s is asked for usage with %j, and tells it', async (provider, options) => {
  const fake = await startFakeOpenAi();
  onTestFinished(() => fake.close());
  const prefix = provider.toUpperCase();
  const models = createModels({ env: { [`${prefix}_API_KEY`]: KEY, [`${prefix}_BASE_URL`]: fake.url } });
  const answer = await ask(models, { provider });
  expect(fake.requests[0]?.body.stream_options).toEqual(options);
  expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(answer.finish?.usage).toEqual({ input_tokens: 11, output_tokens: 7 });
});

test('a local server without a key is asked without one', async () => {
  const fake = await startFakeOllama();
  onTestFinished(() => fake.close());
  await ask(createModels({ env: { OLLAMA_HOST: fake.url } }), { provider: 'ollama' });
  expect(fake.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('DeepSeek gets the reasoning of a tool-calling answer back, others do not', async () => {
  for (const [provider, wanted] of [
    ['deepseek', true],
    ['groq', false],
  ] as const) {
    const fake = await startFakeOpenAi();
    onTestFinished(() => fake.close());
    const prefix = provider.toUpperCase();
    const models = createModels({ env: { [`${prefix}_API_KEY`]: KEY, [`${prefix}_BASE_URL`]: fake.url } });
    fake.script({ kind: 'answer', reasoning: ['Hm.'], calls: [{ name: 'read_file', input: { path: 'a.md' } }] });
    const answer = await ask(models, { provider, tools: [READ_FILE] });
    await ask(models, { provider, messages: conversation(answer), tools: [READ_FILE] });
    expect(fake.requests[1]?.body.messages[2].reasoning_content === 'Hm.').toBe(wanted);
  }
});

test('nothing is kept at OpenAI, and an unreadable tool input comes back as the string it was', async () => {
  const { fake, models } = await connect(WIRES[1]!);
  fake.script(callsTool({ name: 'read_file', input: '{"path": ' }));
  const answer = await ask(models, { provider: 'openai', tools: [READ_FILE] });
  expect(answer.calls[0]?.input).toBe('{"path": ');
  expect(fake.requests[0]?.path).toBe('/v1/responses');
  expect(fake.requests[0]?.body.store).toBe(false);
});

test('reasoning that an open model mixes into its text is taken out', async () => {
  const { fake, models } = await connect(WIRES[4]!);
  fake.script(says('<thi', 'nk>secret</th', 'ink>\n\nVisi', 'ble <b>'));
  const answer = await ask(models, { provider: 'ollama' });
  expect([answer.text, answer.reasoning]).toEqual(['Visible <b>', 'secret']);
});

test('a model that writes a long tool input gives signs of life', async () => {
  const { fake, models } = await connect(WIRES[2]!);
  fake.script(callsTool({ name: 'write_file', input: { content: 'x'.repeat(9_000) } }));
  const answer = await ask(models, { provider: 'anthropic', tools: [READ_FILE] });
  expect(answer.frames.filter((frame) => frame.type === 'text' && frame.text === '').length).toBeGreaterThan(0);
  expect(answer.text).toBe('');
});

function requestFor(wire: Wire) {
  return {
    provider: wire.provider,
    model: 'fake-model',
    system: '',
    messages: [user('Hi')],
    tools: [],
    settings: NATIVE,
    thinking_budget: null,
  };
}

/** The conversation after `answer`, as a run would send it: the first call worked, the second did not. */
function conversation(answer: Collected): ModelMessage[] {
  const reasoning = answer.frames.flatMap((frame) =>
    frame.type === 'reasoning' ? [{ text: frame.text, signature: frame.signature }] : [],
  );
  const tool_calls = answer.calls.map(({ id, name, input }) => ({ id, name, input: input as { path: string } }));
  const results = tool_calls.map(
    (call, index): ModelMessage => ({
      role: 'tool',
      call_id: call.id,
      name: call.name,
      output: index === 0 ? 'content of a' : 'no such file',
      is_error: index > 0,
    }),
  );
  return [user('Read'), { role: 'assistant', content: answer.text, tool_calls, reasoning }, ...results];
}
