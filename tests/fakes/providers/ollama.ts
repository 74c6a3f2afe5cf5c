/** An Ollama server: the list of installed models, and the OpenAI-compatible API through which it is called. */
import { chatCompletions } from './openai.ts';
import { type FakeProvider, startFake } from './server.ts';

export interface FakeOllamaOptions {
  readonly models?: readonly { readonly name: string; readonly size: number }[];
}

export async function startFakeOllama(options: FakeOllamaOptions = {}): Promise<FakeProvider> {
  const models = (options.models ?? [{ name: 'qwen3:8b', size: 5_200_000_000 }]).map(({ name, size }) => ({
    name,
    model: name,
    modified_at: '2026-01-01T00:00:00Z',
    size,
    digest: 'fake',
    details: { format: 'gguf', family: name.split(':')[0] },
  }));
  return startFake({
    format: (path) => (path === '/v1/chat/completions' ? chatCompletions : undefined),
    documents: { '/api/tags': { models } },
  });
}
