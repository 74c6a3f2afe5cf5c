/** OpenAI's two streaming formats: chat completions, which many servers implement, and the Responses API. */
import {
  type Answer,
  callText,
  type FakeCall,
  type FakeProvider,
  inHalves,
  sse,
  startFake,
  type WireFormat,
} from './server.ts';

const refusal = (status: number, message: string) => ({
  error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'invalid_request_error', param: null, code: null },
});

const chunk = (delta: object, extra: object = {}): string =>
  sse({
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'fake-model',
    system_fingerprint: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
    ...extra,
  });

const callId = (call: FakeCall, index: number): string => call.id ?? `call_fake_${index}`;

export const chatCompletions: WireFormat = {
  head: () => [chunk({ role: 'assistant', content: '' })],
  content: (answer) => [
    ...(answer.reasoning ?? []).map((text) => chunk({ reasoning_content: text })),
    ...(answer.text ?? []).map((text) => chunk({ content: text })),
    ...(answer.calls ?? []).flatMap((call, index) => [
      chunk({
        tool_calls: [
          { index, id: callId(call, index), type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
      ...inHalves(callText(call)).map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
    ]),
  ],
  tail: (answer) => [
    chunk({}, { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: chatFinish(answer) }] }),
    chunk({}, { choices: [], usage: chatUsage(answer) }),
    sse('[DONE]'),
  ],
  ping: ': keep-alive\n\n',
  error: (type, message) => sse({ error: { message, type, param: null, code: null } }),
  refusal,
};

const responses: WireFormat = {
  head: () => [
    event('response.created', { response: { id: 'resp_fake', created_at: 1_700_000_000, model: 'fake-model' } }),
  ],
  content: (answer) => {
    const items = [
      ...(answer.reasoning ? [reasoningItem(answer)] : []),
      ...(answer.text ? [textItem(answer.text)] : []),
      ...(answer.calls ?? []).map(callItem),
    ];
    return items.flatMap((item, index) => item(index));
  },
  tail: (answer) => {
    const { input, output } = answer.usage ?? { input: 11, output: 7 };
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    const cut = answer.finish === 'length' ? { reason: 'max_output_tokens' } : null;
    return [
      event(cut ? 'response.incomplete' : 'response.completed', { response: { incomplete_details: cut, usage } }),
    ];
  },
  ping: ': keep-alive\n\n',
  error: (type, message) => event('error', { sequence_number: 9, error: { type, code: type, message, param: null } }),
  refusal,
};

export async function startFakeOpenAi(): Promise<FakeProvider> {
  const fake = await startFake({
    format: (path) => ({ '/v1/chat/completions': chatCompletions, '/v1/responses': responses })[path],
    documents: { '/v1/models': { object: 'list', data: [{ id: 'fake-model', object: 'model' }] } },
  });
  return { ...fake, url: `${fake.url}/v1` };
}

type Item = (output_index: number) => readonly string[];

function event(type: string, fields: object): string {
  return sse({ type, ...fields }, type);
}

function textItem(text: readonly string[]): Item {
  return (output_index) => {
    const item = { id: `msg_${output_index}`, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const part = { type: 'output_text', text: text.join(''), annotations: [] };
    return [
      event('response.output_item.added', { output_index, item }),
      ...text.map((delta) =>
        event('response.output_text.delta', { item_id: item.id, output_index, content_index: 0, delta }),
      ),
      event('response.output_item.done', { output_index, item: { ...item, status: 'completed', content: [part] } }),
    ];
  };
}

function callItem(call: FakeCall, index: number): Item {
  return (output_index) => {
    const item = {
      id: `fc_${index}`,
      type: 'function_call',
      call_id: callId(call, index),
      name: call.name,
      arguments: '',
    };
    const done = { ...item, arguments: callText(call), status: 'completed' };
    return [
      event('response.output_item.added', { output_index, item }),
      ...inHalves(done.arguments).map((delta) =>
        event('response.function_call_arguments.delta', { item_id: item.id, output_index, delta }),
      ),
      event('response.output_item.done', { output_index, item: done }),
    ];
  };
}

function reasoningItem(answer: Answer): Item {
  return (output_index) => {
    const item_id = `rs_${output_index}`;
    const item = { id: item_id, type: 'reasoning', summary: [], encrypted_content: null };
    const text = answer.reasoning ?? [];
    const summary = [{ type: 'summary_text', text: text.join('') }];
    const done = { ...item, summary, encrypted_content: answer.signature ?? null };
    return [
      event('response.output_item.added', { output_index, item }),
      event('response.reasoning_summary_part.added', { item_id, output_index, summary_index: 0 }),
      ...text.map((delta) =>
        event('response.reasoning_summary_text.delta', { item_id, output_index, summary_index: 0, delta }),
      ),
      event('response.output_item.done', { output_index, item: done }),
    ];
  };
}

function chatFinish(answer: Answer): string {
  return answer.finish ?? (answer.calls ? 'tool_calls' : 'stop');
}

function chatUsage(answer: Answer) {
  const { input, output } = answer.usage ?? { input: 11, output: 7 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
