/** Resolves the address and the key of a provider from environment variables. */
import { ModelError } from '../../ports/models.ts';
import { type Env, keyOf, type Provider } from './providers.ts';

export interface Endpoint {
  readonly provider: Provider;
  /** Without a trailing slash; request paths are appended. */
  readonly url: string;
  /** Null when none is set; only local servers need none. */
  readonly key: string | null;
  /** Whether the address is not the provider's own. */
  readonly custom: boolean;
}

const OLLAMA_PORT = '11434';

/** Throws a `ModelError` of kind `unconfigured` that names the variable to set. */
export function endpointOf(provider: Provider, env: Env): Endpoint {
  const key = keyOf(provider, env) ?? null;
  if (key === null && !provider.keyless) {
    throw new ModelError(
      'unconfigured',
      `${provider.name} needs a key: set ${provider.keys[0]} and start the daemon again.`,
    );
  }
  const configured = env[provider.urlVariable]?.trim() ?? '';
  const url = configured === '' ? new URL(provider.url) : parsedUrl(provider, configured);
  return {
    provider,
    url: versioned(provider, url).href.replace(/\/+$/, ''),
    key,
    custom: url.host !== new URL(provider.url).host,
  };
}

/** The address of an Ollama server itself, without the `/v1` of its OpenAI-compatible half. */
export function serverRoot(endpoint: Endpoint): string {
  return endpoint.url.replace(/\/v1$/, '');
}

function parsedUrl(provider: Provider, text: string): URL {
  const url = URL.parse(provider.dialect === 'ollama' ? ollamaUrl(text) : text);
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new ModelError(
    'unconfigured',
    `${provider.urlVariable} must be an http(s) address without a user or password in it.`,
  );
}

/** `OLLAMA_HOST` may also be the listening address of the Ollama server: a bare host or port, or all interfaces. */
function ollamaUrl(text: string): string {
  if (/^https?:\/\//.test(text)) return text;
  const [, host = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  const reachable = host === '' || host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host;
  return `http://${reachable}:${port || OLLAMA_PORT}`;
}

/**
 * Adds the version to an address that lacks it, because the vendors' SDKs differ: always for Anthropic, Gemini and
 * Ollama; for OpenAI-style addresses only when they have no path.
 */
function versioned(provider: Provider, url: URL): URL {
  const path = url.pathname.replace(/\/+$/, '');
  const always = provider.dialect === 'anthropic' || provider.dialect === 'google' || provider.dialect === 'ollama';
  const missing = always ? !/\/v\d+\w*$/.test(path) : path === '' && provider.url !== url.href.replace(/\/$/, '');
  const full = new URL(url);
  full.pathname = missing ? `${path}/${provider.dialect === 'google' ? 'v1beta' : 'v1'}` : path;
  return full;
}
