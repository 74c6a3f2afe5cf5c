/** Gemini's streamGenerateContent: whole response objects as events, thoughts and signatures in their parts. */
import { type Answer, type FakeProvider, sse, startFake, type WireFormat } from './server.ts';

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' } as const;
const STATUS: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
};

/** Gemini says in the body, not in a header, how long to wait. */
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' };

const candidates = (parts: readonly object[], extra: object = {}): string =>
  sse({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...extra }], modelVersion: 'fake-model' });

const generateContent: WireFormat = {
  head: () => [],
  content: (answer) => [
    ...(answer.reasoning ?? []).map((text) => candidates([{ text, thought: true }])),
    ...(answer.text ?? []).map((text) => candidates([{ text }])),
    ...callParts(answer).map((part) => candidates([part])),
  ],
  tail: (answer) => {
    const { input, output } = answer.usage ?? { input: 11, output: 7 };
    const finishReason = FINISH[answer.finish ?? 'stop'];
    const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
    return [
      sse({
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason, index: 0 }],
        usageMetadata,
      }),
    ];
  },
  ping: ': keep-alive\n\n',
  error: (type, message) => sse({ error: { code: type === 'INVALID_ARGUMENT' ? 400 : 503, message, status: type } }),
  refusal: (status, message) => ({
    error: {
      code: status,
      message,
      status: STATUS[status] ?? 'INTERNAL',
      ...(status === 429 && { details: [RETRY_INFO] }),
    },
  }),
};

export async function startFakeGoogle(): Promise<FakeProvider> {
  return startFake({
    format: (path) => (/^\/v1beta\/models\/[^/]+:streamGenerateContent$/.test(path) ? generateContent : undefined),
  });
}

/** Gemini signs the first call of an answer only. */
function callParts(answer: Answer): readonly object[] {
  return (answer.calls ?? []).map((call, index) => ({
    functionCall: { name: call.name, args: call.input },
    ...(index === 0 && answer.signature !== undefined && { thoughtSignature: answer.signature }),
  }));
}
