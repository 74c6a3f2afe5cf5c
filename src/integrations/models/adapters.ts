/**
 * Loads the provider packages, used at their language-model interface: one call is one HTTP request, without retries. A
 * package is loaded by the first call that needs it.
 */
import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type { Endpoint } from './endpoint.ts';
import { providerFetch } from './provider-fetch.ts';
import type { Dialect, Env } from './providers.ts';

export type CallOptions = Parameters<OpenAICompatibleChatLanguageModel['doStream']>[0];
type StreamResult = Awaited<ReturnType<OpenAICompatibleChatLanguageModel['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type Prompt = CallOptions['prompt'];
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>;

export interface LanguageModel {
  doStream(options: CallOptions): PromiseLike<StreamResult>;
}

export type WireDialect = Exclude<Dialect, 'scripted'>;

/** For a server without a key; the packages require some text. */
const NO_KEY = 'none';

/**
 * The wire format of an endpoint. OpenAI's own service gets the Responses API. Any other address in OPENAI_BASE_URL
 * gets chat completions, which all compatible servers support.
 */
export function wireDialect(endpoint: Endpoint, env: Env): WireDialect {
  const { dialect } = endpoint.provider;
  if (dialect === 'scripted') throw new TypeError('The scripted model has no wire format.');
  if (dialect !== 'openai') return dialect;
  const api = env.DAYBOOK_OPENAI_API?.trim();
  const responses = api === 'responses' || (api !== 'chat' && !endpoint.custom);
  return responses ? 'openai' : 'compatible';
}

export async function loadModel(dialect: WireDialect, endpoint: Endpoint, model: string): Promise<LanguageModel> {
  const { provider, url: baseURL } = endpoint;
  const apiKey = endpoint.key ?? NO_KEY;
  switch (dialect) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL, fetch: providerFetch }).languageModel(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ apiKey, baseURL, fetch: providerFetch }).languageModel(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ apiKey, baseURL, fetch: providerFetch }).responses(model);
    }
    case 'compatible':
    case 'ollama': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const includeUsage = !provider.refusesStreamOptions;
      const key = endpoint.key === null ? {} : { apiKey: endpoint.key };
      const settings = { name: provider.id, baseURL, includeUsage, fetch: providerFetch, ...key };
      return createOpenAICompatible(settings).chatModel(model);
    }
  }
}
