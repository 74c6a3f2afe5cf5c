/**
 * An embedding provider on loopback for each of the five wire formats, as their public references define them. It
 * counts requests, refuses what the real provider would refuse, and can be told to fail.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listening } from '../support/ports.ts';

export type WireName = 'ollama' | 'openai' | 'voyage' | 'cohere' | 'gemini';

export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the body is whatever the client sent; assertions say what it should be.
  readonly body: any;
  readonly texts: readonly string[];
}

/** What happens instead of an answer. */
export type Trouble =
  /** An answer as usual. */
  | { readonly kind: 'none' }
  | { readonly kind: 'refuse'; readonly status: number; readonly message: string; readonly retryAfter?: string }
  | { readonly kind: 'drop' }
  | { readonly kind: 'raw'; readonly text: string; readonly status?: number }
  | { readonly kind: 'vectors'; readonly vectors: readonly (readonly unknown[])[] }
  | { readonly kind: 'hang' };

export interface FakeEmbedder {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly seen: readonly Seen[];
  /** Every text that was asked for, in order. */
  texts(): readonly string[];
  /** The next requests meet these. */
  trouble(...troubles: readonly Trouble[]): void;
  dimension: number;
  /** More texts in one request are refused as too large. */
  batchMax: number;
  /** Waits so long before each answer. */
  delayMs: number;
  /** Each answer waits until it has resolved. */
  held: Promise<unknown> | null;
  /** Names of the models that Ollama has. */
  installed: readonly string[];
  /** As it was at the start. */
  reset(): void;
  close(): Promise<void>;
}

/** Has no shape by which it could be recognised: only knowing it keeps it out of errors. */
export const KEY = 'plain-0123456789abcdef';

interface Format {
  readonly path: RegExp;
  readonly isKey: (headers: IncomingHttpHeaders) => boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly texts: (body: any) => readonly string[];
  readonly dimension: string;
  readonly answer: (vectors: readonly unknown[], model: string) => unknown;
  readonly refusal: (message: string, status: number) => unknown;
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const isBearer = (headers: IncomingHttpHeaders): boolean => headers.authorization === `Bearer ${KEY}`;

/** Out of order on purpose: the index of each says where it belongs. */
const list = (vectors: readonly unknown[], model: string): unknown => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
  model,
  usage: { prompt_tokens: 8, total_tokens: 8 },
});

const FORMATS: Readonly<Record<WireName, Format>> = {
  ollama: {
    path: /^\/api\/embed$/,
    isKey: () => true,
    texts: (body) => body.input,
    dimension: 'dimensions',
    answer: (embeddings, model) => ({ model, embeddings, total_duration: 14143917, load_duration: 1019500 }),
    refusal: (message) => ({ error: message }),
    env: (url) => ({ OLLAMA_HOST: url, OLLAMA_API_KEY: KEY }),
  },
  openai: {
    path: /^\/v1\/embeddings$/,
    isKey: isBearer,
    texts: (body) => body.input,
    dimension: 'dimensions',
    answer: list,
    refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY }),
  },
  voyage: {
    path: /^\/v1\/embeddings$/,
    isKey: isBearer,
    texts: (body) => body.input,
    dimension: 'output_dimension',
    answer: list,
    refusal: (message) => ({ detail: message }),
    env: (url) => ({ VOYAGE_BASE_URL: url, VOYAGE_API_KEY: KEY }),
  },
  cohere: {
    path: /^\/v2\/embed$/,
    isKey: isBearer,
    texts: (body) => body.texts,
    dimension: 'output_dimension',
    answer: (float) => ({
      id: '3198467e-399f-4d4a-aa2c-58af93bd6dc4',
      embeddings: { float },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 2 } },
      response_type: 'embeddings_by_type',
    }),
    refusal: (message) => ({ id: 'x', message }),
    env: (url) => ({ COHERE_BASE_URL: url, COHERE_API_KEY: KEY }),
  },
  gemini: {
    path: /^\/v1beta\/models\/[^/:]+:batchEmbedContents$/,
    isKey: (headers) => headers['x-goog-api-key'] === KEY,
    texts: (body) =>
      body.requests.map((each: { content: { parts: { text: string }[] } }) => each.content.parts[0]!.text),
    dimension: '',
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
    refusal: (message, code) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
    env: (url) => ({ GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY }),
  },
};

export const WIRE_NAMES = Object.keys(FORMATS) as readonly WireName[];

export async function startFakeEmbedder(name: WireName): Promise<FakeEmbedder> {
  const format = FORMATS[name];
  const seen: Seen[] = [];
  const troubles: Trouble[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const path = new URL(request.url ?? '/', 'http://fake').pathname;
      const send = (status: number, body: unknown, headers = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      if (request.method === 'GET' && path === '/api/tags') {
        return send(200, {
          models: fake.installed.map((model) => ({ name: model, model, size: 1, details: { family: 'x' } })),
        });
      }
      if (request.method !== 'POST' || !format.path.test(path))
        return send(404, format.refusal(`no route ${path}`, 404));
      if (!format.isKey(request.headers))
        return send(401, format.refusal(`bad key ${request.headers.authorization}`, 401));
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const texts = format.texts(body);
      seen.push({ path, headers: request.headers, body, texts });
      const trouble = troubles.shift();
      await fake.held;
      if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs));
      switch (trouble?.kind) {
        case 'refuse': {
          const headers = trouble.retryAfter === undefined ? {} : { 'retry-after': trouble.retryAfter };
          return send(trouble.status, format.refusal(trouble.message, trouble.status), headers);
        }
        case 'drop':
          return response.destroy();
        case 'raw':
          return send(trouble.status ?? 200, trouble.text);
        case 'vectors':
          return send(200, format.answer(trouble.vectors, body.model));
        case 'hang':
          return;
      }
      if (texts.some((text) => text === '')) return send(400, format.refusal('input cannot be an empty string', 400));
      if (texts.length > fake.batchMax)
        return send(400, format.refusal('Too many texts: the maximum allowed is smaller', 400));
      const dimension: number = body[format.dimension] ?? body.requests?.[0]?.outputDimensionality ?? fake.dimension;
      send(
        200,
        format.answer(
          texts.map((text) => vectorOf(text, dimension)),
          body.model,
        ),
      );
    });
  });
  const url = `http://127.0.0.1:${await listening(server)}`;
  const fake: FakeEmbedder = {
    url,
    env: format.env(url),
    seen,
    texts: () => seen.flatMap(({ texts }) => texts),
    trouble: (...next) => void troubles.push(...next),
    dimension: 8,
    batchMax: 10_000,
    delayMs: 0,
    held: null,
    installed: [],
    reset() {
      seen.length = 0;
      troubles.length = 0;
      Object.assign(fake, { dimension: 8, batchMax: 10_000, delayMs: 0, held: null, installed: [] });
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

/** The same text has the same vector; not of length 1, as real ones may be. */
export function vectorOf(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0.125);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
    vector[hash % dimension]! += 1;
  }
  return vector;
}
