/**
 * The embedding providers: names, keys and addresses. Providers that also chat share the row of the models integration.
 */
import { EmbedderError, type EmbeddingProvider } from '../../ports/embedder.ts';
import { ModelError } from '../../ports/models.ts';
import { type Endpoint, endpointOf, serverRoot } from '../models/endpoint.ts';
import { compatible, type Env, findProvider, keyOf, type Provider } from '../models/providers.ts';

export interface EmbeddingHost {
  readonly defaultModel: string;
  /** Null for the built-in provider. */
  readonly host: Provider | null;
  /** Texts and characters of a request, below the limits of the provider. */
  readonly batchTexts: number;
  readonly batchCharacters: number;
  /** Concurrent requests. */
  readonly lanes: number;
}

const VOYAGE = compatible('voyage', 'Voyage AI', 'https://api.voyageai.com/v1');
const COHERE: Provider = {
  ...compatible('cohere', 'Cohere', 'https://api.cohere.com/v2'),
  keys: ['COHERE_API_KEY', 'CO_API_KEY'],
};

const GOOGLE = findProvider('google')!;
const GEMINI: Provider = { ...GOOGLE, keys: [...GOOGLE.keys, 'GOOGLE_API_KEY'] };

export const HOSTS: Readonly<Record<EmbeddingProvider, EmbeddingHost>> = {
  ollama: {
    defaultModel: 'nomic-embed-text',
    host: findProvider('ollama')!,
    batchTexts: 32,
    batchCharacters: 100_000,
    lanes: 1,
  },
  openai: {
    defaultModel: 'text-embedding-3-small',
    host: findProvider('openai')!,
    batchTexts: 256,
    batchCharacters: 400_000,
    lanes: 3,
  },
  voyage: {
    defaultModel: 'voyage-code-3',
    host: VOYAGE,
    batchTexts: 128,
    batchCharacters: 200_000,
    lanes: 3,
  },
  cohere: {
    defaultModel: 'embed-v4.0',
    host: COHERE,
    batchTexts: 96,
    batchCharacters: 200_000,
    lanes: 3,
  },
  gemini: {
    defaultModel: 'gemini-embedding-001',
    host: GEMINI,
    batchTexts: 100,
    batchCharacters: 200_000,
    lanes: 3,
  },
  local: {
    defaultModel: 'hashed-512',
    host: null,
    batchTexts: 64,
    batchCharacters: 100_000,
    lanes: 1,
  },
};

export function nameOf({ host }: EmbeddingHost): string {
  return host?.name ?? 'Built in';
}

export function needsKey({ host }: EmbeddingHost): boolean {
  return host !== null && host.keyless !== true;
}

export function lacksKey(embedding: EmbeddingHost, env: Env): boolean {
  return needsKey(embedding) && keyOf(embedding.host!, env) === undefined;
}

/**
 * The address below which the wire format has its path. Throws `EmbedderError` with reason `missing_key`, or `unknown`
 * for an invalid address.
 */
export function addressOf(host: Provider, env: Env): Endpoint {
  try {
    const endpoint = endpointOf(host, env);
    const root = host.id === 'ollama' ? serverRoot(endpoint) : endpoint.url;
    return { ...endpoint, url: host.id === 'cohere' ? `${root.replace(/\/v\d+$/, '')}/v2` : root };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    throw new EmbedderError(keyOf(host, env) === undefined ? 'missing_key' : 'unknown', error.message);
  }
}
