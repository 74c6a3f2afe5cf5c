/** Resolves the address and the key of a provider from environment variables. */
import { isIP } from 'node:net';
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
  const others = url && [url.username, url.password, url.search, url.hash].join('');
  if (url && /^https?:$/.test(url.protocol) && others === '') return url;
  throw new ModelError(
    'unconfigured',
    `${provider.urlVariable} must be an http(s) address without a user, a password and a query.`,
  );
}

/**
 * `OLLAMA_HOST` may also be the listening address of the Ollama server: a bare host or port, or all interfaces. Other
 * texts stay as they are.
 */
function ollamaUrl(text: string): string {
  const address = isIP(text) === 6 ? `[${text}]` : text;
  const parts = /^(\[.*\]|[^[/:]*)(?::(\d+))?(\/.*)?$/.exec(address);
  if (parts === null) return text;
  const [, host = '', port = OLLAMA_PORT, path = ''] = parts;
  const reachable = ['', '0.0.0.0', '[::]'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable}:${port}${path}`;
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
