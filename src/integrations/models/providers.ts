/**
 * The model providers, as data: wire format, address, keys and models worth listing. A new OpenAI-compatible provider
 * is one row, and a row of docs/models.md.
 */
import { normalizeProvider } from '../../events/provider-id.ts';

export type Env = { readonly [name: string]: string | undefined };

/** The wire format: Anthropic Messages, Gemini generateContent, OpenAI Responses, chat completions, Ollama, or none. */
export type Dialect = 'anthropic' | 'google' | 'openai' | 'compatible' | 'ollama' | 'scripted';

export interface Provider {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly name: string;
  readonly dialect: Dialect;
  /** Environment variables of the key, the preferred one first. */
  readonly keys: readonly string[];
  /** A local server: it needs no key, but is sent one that is set. */
  readonly keyless?: true;
  readonly urlVariable: string;
  readonly url: string;
  /** The first is the default. */
  readonly models: readonly string[];
  /** Requires the reasoning of earlier answers with tool calls as `reasoning_content`. */
  readonly wantsReasoningBack?: true;
  /** Always reports usage, and refuses the field that requests it. */
  readonly refusesStreamOptions?: true;
}

const SCRIPTED: Provider = {
  id: 'rehearsal',
  aliases: [],
  name: 'Rehearsal (no model)',
  dialect: 'scripted',
  keys: [],
  keyless: true,
  urlVariable: '',
  url: '',
  models: ['rehearsal-1'],
};

const FIRST_PARTY: readonly Provider[] = [
  {
    id: 'anthropic',
    aliases: ['claude'],
    name: 'Anthropic',
    dialect: 'anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    urlVariable: 'ANTHROPIC_BASE_URL',
    url: 'https://api.anthropic.com/v1',
    models: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-sonnet-4-6'],
  },
  {
    id: 'openai',
    aliases: [],
    name: 'OpenAI',
    dialect: 'openai',
    keys: ['OPENAI_API_KEY'],
    urlVariable: 'OPENAI_BASE_URL',
    url: 'https://api.openai.com/v1',
    models: ['gpt-5.5', 'gpt-5.4-mini', 'gpt-5.4-nano', 'gpt-4.1'],
  },
  {
    id: 'google',
    aliases: ['gemini'],
    name: 'Google Gemini',
    dialect: 'google',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    urlVariable: 'GEMINI_BASE_URL',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    models: ['gemini-3.8-flash', 'gemini-3.1-pro-preview', 'gemini-2.5-pro', 'gemini-2.5-flash'],
  },
];

const HOSTED: readonly Provider[] = [
  compatible('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', ['openrouter/auto']),
  compatible('groq', 'Groq', 'https://api.groq.com/openai/v1', ['llama-3.3-70b-versatile', 'openai/gpt-oss-120b']),
  {
    ...compatible('mistral', 'Mistral', 'https://api.mistral.ai/v1', ['mistral-large-latest', 'codestral-latest']),
    refusesStreamOptions: true,
  },
  {
    ...compatible('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', ['deepseek-chat', 'deepseek-reasoner']),
    wantsReasoningBack: true,
  },
  { ...compatible('xai', 'xAI', 'https://api.x.ai/v1', ['grok-4']), aliases: ['grok'] },
  compatible('together', 'Together', 'https://api.together.xyz/v1', ['meta-llama/Llama-3.3-70B-Instruct-Turbo']),
  compatible('fireworks', 'Fireworks', 'https://api.fireworks.ai/inference/v1', [
    'accounts/fireworks/models/kimi-k2-instruct',
  ]),
  compatible('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', ['gpt-oss-120b']),
  compatible('sambanova', 'SambaNova', 'https://api.sambanova.ai/v1', ['Meta-Llama-3.3-70B-Instruct']),
  compatible('perplexity', 'Perplexity', 'https://api.perplexity.ai', ['sonar-pro', 'sonar']),
];

const LOCAL: readonly Provider[] = [
  { ...compatible('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'), keyless: true },
  { ...compatible('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1'), keyless: true },
  {
    ...compatible('ollama', 'Ollama', 'http://127.0.0.1:11434'),
    keyless: true,
    dialect: 'ollama',
    urlVariable: 'OLLAMA_HOST',
  },
];

/** In the order of preference when no provider is named. */
export const PROVIDERS: readonly Provider[] = [...FIRST_PARTY, ...HOSTED, ...LOCAL, SCRIPTED];

export function findProvider(id: string): Provider | undefined {
  const wanted = normalizeProvider(id);
  return PROVIDERS.find((provider) => provider.id === wanted || provider.aliases.includes(wanted));
}

export function keyOf(provider: Provider, env: Env): string | undefined {
  return provider.keys.map((name) => env[name]?.trim()).find(Boolean);
}

/** A key is set, or none is needed. */
export function isUsable(provider: Provider, env: Env): boolean {
  return provider.keyless === true || keyOf(provider, env) !== undefined;
}

/** A key or an address is set. The scripted model is always configured. */
export function isConfigured(provider: Provider, env: Env): boolean {
  if (provider.dialect === 'scripted') return true;
  return (
    keyOf(provider, env) !== undefined || (provider.keyless === true && Boolean(env[provider.urlVariable]?.trim()))
  );
}

/** A provider whose variables are its id in upper case with `_API_KEY` and `_BASE_URL`. */
export function compatible(id: string, name: string, url: string, models: readonly string[] = []): Provider {
  return {
    id,
    aliases: [],
    name,
    dialect: 'compatible',
    keys: [`${id.toUpperCase()}_API_KEY`],
    urlVariable: `${id.toUpperCase()}_BASE_URL`,
    url,
    models,
  };
}
