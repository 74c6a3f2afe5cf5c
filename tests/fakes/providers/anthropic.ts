/** Anthropic's Messages API: typed events, content blocks that open and close, thinking with signatures, pings. */
import { type Answer, callText, type FakeProvider, inHalves, sse, startFake, type WireFormat } from './server.ts';

const event = (type: string, fields: object = {}): string => sse({ type, ...fields }, type);

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' } as const;

const messages: WireFormat = {
  head: (answer) => [
    event('message_start', {
      message: {
        id: 'msg_fake',
        type: 'message',
        role: 'assistant',
        model: 'fake-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: answer.usage?.input ?? 11, output_tokens: 1 },
      },
    }),
    event('ping'),
  ],
  content: (answer) =>
    blocksOf(answer).flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
  tail: (answer) => {
    const stop_reason = answer.finish ? STOP_REASONS[answer.finish] : answer.calls ? 'tool_use' : 'end_turn';
    const usage = { output_tokens: answer.usage?.output ?? 7 };
    return [event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }), event('message_stop')];
  },
  ping: event('ping'),
  error: (type, message) => event('error', { error: { type, message } }),
  refusal: (status, message) => ({
    type: 'error',
    error: {
      type: status === 429 ? 'rate_limit_error' : status >= 500 ? 'api_error' : 'invalid_request_error',
      message,
    },
  }),
};

export async function startFakeAnthropic(): Promise<FakeProvider> {
  return startFake({ format: (path) => (path === '/v1/messages' ? messages : undefined) });
}

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocksOf(answer: Answer): readonly Block[] {
  const signature = answer.signature === undefined ? [] : [{ type: 'signature_delta', signature: answer.signature }];
  const thinking: Block = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...(answer.reasoning ?? []).map((text) => ({ type: 'thinking_delta', thinking: text })), ...signature],
  };
  const text: Block = {
    start: { type: 'text', text: '' },
    deltas: (answer.text ?? []).map((part) => ({ type: 'text_delta', text: part })),
  };
  const calls = (answer.calls ?? []).map((call, index) => ({
    start: { type: 'tool_use', id: call.id ?? `toolu_fake_${index}`, name: call.name, input: {} },
    deltas: inHalves(callText(call)).map((half) => ({ type: 'input_json_delta', partial_json: half })),
  }));
  return [...(answer.reasoning ? [thinking] : []), ...(answer.text ? [text] : []), ...calls];
}
