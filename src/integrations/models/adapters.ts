/**
 * Loads the provider packages, used at their language-model interface: one call is one HTTP request, without retries. A
 * package is loaded by the first call that needs it.
 */
import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import type { Endpoint } from './endpoint.ts';
import { NoStreamError } from './failures.ts';
import type { Dialect, Env, Provider } from './providers.ts';

export type CallOptions = Parameters<OpenAICompatibleChatLanguageModel['doStream']>[0];
type StreamResult = Awaited<ReturnType<OpenAICompatibleChatLanguageModel['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
export type Prompt = CallOptions['prompt'];
export type ProviderOptions = NonNullable<CallOptions['providerOptions']>;

export interface LanguageModel {
  doStream(options: CallOptions): PromiseLike<StreamResult>;
}

export type WireDialect = Exclude<Dialect, 'scripted'>;

/** A provider, and the wire format of its endpoint. */
export interface Target {
  readonly provider: Provider;
  readonly dialect: WireDialect;
}

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

/** `data: [DONE]` of OpenAI's formats, `message_stop` of Anthropic's. JSON contains no literal line break. */
const LAST_MESSAGE = /(?:^|\n)(?:data: ?\[DONE\]|event: ?message_stop\r?\ndata:[^\n]*)\r?\n\r?\n/;
/** The last message is not longer. */
const TAIL_CHARACTERS = 256;
const LINE_FEED = 0x0a;
/** The longest line is a whole answer in one frame with every character escaped. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_BYTES_MAX = 1024 * 1024;
/** Neither a field nor a comment of a stream of events begins so. */
const DOCUMENT = /^\s*[<{[]/;

/**
 * The `fetch` of the provider packages.
 *
 * - It follows no redirect, so a key is only sent to its configured address.
 * - A stream ends with its last message, even if the server keeps the connection open: the packages wait for the end of
 *   the stream.
 * - A document in place of a stream, such as the page of a gateway, is an error with its message.
 * - Lines of a stream and bodies of error responses are limited in size.
 */
const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const body = response.ok
    ? response.body.pipeThrough(untilLastMessage()).pipeThrough(refusingDocuments())
    : response.body.pipeThrough(firstBytes(ERROR_BYTES_MAX));
  return new Response(body, { status, statusText, headers });
};

type Bytes = Uint8Array<ArrayBuffer>;

function firstBytes(bytesMax: number): TransformStream<Bytes, Bytes> {
  let room = bytesMax;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) controller.terminate();
    },
  });
}

function untilLastMessage(): TransformStream<Bytes, Bytes> {
  let tail = '';
  let line = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const lineEnd = bytes.lastIndexOf(LINE_FEED);
      line = lineEnd < 0 ? line + bytes.length : bytes.length - lineEnd - 1;
      if (line > LINE_BYTES_MAX) throw new Error('a line of its stream has no end');
      controller.enqueue(bytes);
      // latin1 has one character per byte; the pattern is ASCII.
      const text = tail + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      if (LAST_MESSAGE.test(text)) controller.terminate();
      tail = text.slice(-TAIL_CHARACTERS);
    },
  });
}

/** Ends with `NoStreamError` for a document. */
function refusingDocuments(): TransformStream<Bytes, Bytes> {
  const decoder = new TextDecoder();
  /** The text so far; null when it is a stream. */
  let document: string | null = '';
  return new TransformStream({
    transform(bytes, controller) {
      if (document !== null) {
        document = (document + decoder.decode(bytes, { stream: true })).slice(0, ERROR_BYTES_MAX);
        if (DOCUMENT.test(document)) return;
        if (document.trim() !== '') document = null;
      }
      controller.enqueue(bytes);
    },
    flush() {
      if (document !== null && document.trim() !== '') throw new NoStreamError(document);
    },
  });
}
