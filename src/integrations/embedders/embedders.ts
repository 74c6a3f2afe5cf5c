/**
 * The embedders port: built-in vectors and five providers over HTTP.
 *
 * - A choice is resolved on each call, so a wrong setting fails the request and not the start of the daemon.
 * - The prefixes of models are added here.
 */

import { hash } from 'node:crypto';
import { fetchFault } from '../../lib/fetched.ts';
import { ownTurn } from '../../lib/slices.ts';
import {
  EMBEDDING_PROVIDERS,
  type Embedder,
  EmbedderError,
  type EmbeddersPort,
  type EmbeddingChoice,
  type EmbeddingProvider,
  type EmbedOptions,
  type OllamaInstalled,
  type SelectedModel,
} from '../../ports/embedder.ts';
import { createScrub, type Scrub } from '../models/failures.ts';
import { LIVE_MS_MAX, type OllamaModel, ollamaModels } from '../models/live-models.ts';
import type { Env, Provider } from '../models/providers.ts';
import { embedAll } from './batches.ts';
import { knownModel, MODELS } from './catalogue.ts';
import { addressOf, type EmbeddingHost, HOSTS, lacksKey, nameOf, needsKey } from './providers.ts';
import { WIRES } from './wire.ts';

export interface EmbeddersConfig {
  readonly env: Env;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly dimensions?: number | undefined;
  /** Computes the built-in vectors. */
  readonly localVector: LocalVector;
}

/** Sent for an empty text, which providers refuse. */
const BLANK = ' ';

export function createEmbedders(config: EmbeddersConfig): EmbeddersPort {
  const { env } = config;
  const scrub = createScrub(env);
  const selected = (): EmbeddingChoice => {
    const provider = providerOf((config.provider ?? '').trim() || 'local', 'DAYBOOK_EMBEDDING_PROVIDER');
    const model = (config.model ?? '').trim() || HOSTS[provider].defaultModel;
    return checked({ provider, model, ...(config.dimensions !== undefined && { dimensions: config.dimensions }) });
  };
  return {
    selected: () => withAddress(selected(), env),
    choose(provider, model) {
      if (provider == null || model == null) return selected();
      const choice = { provider: providerOf(provider, 'provider'), model: model.trim() };
      if (choice.model === '') throw new EmbedderError('unknown', 'model: must not be empty.');
      return checked(choice);
    },
    open: (choice) =>
      choice.provider === 'local' ? localEmbedder(choice, config.localVector) : remote(choice, env, scrub),
    recipe: (choice) => (choice.provider === 'local' ? localRecipe(config.localVector) : remoteRecipe(choice)),
    describe: (choice) => describe(choice, env),
    providers: () => EMBEDDING_PROVIDERS.map((id) => providerRow(id, env)),
    installed: () => listOllamaModels(HOSTS.ollama.host!, env, scrub),
  };
}

function providerOf(name: string, where: string): EmbeddingProvider {
  const wanted = name.trim().toLowerCase();
  const found = EMBEDDING_PROVIDERS.find((id) => id === wanted);
  if (found !== undefined) return found;
  const echo = wanted.replace(/[^\p{L}\p{N}\-_.]/gu, '').slice(0, 200);
  throw new EmbedderError(
    'unknown',
    `${where}: unknown embedding provider '${echo}'; it must be one of ${EMBEDDING_PROVIDERS.join(', ')}.`,
  );
}

/** Throws for a dimension that the model is known not to have, and for another name of the built-in model. */
function checked(choice: EmbeddingChoice): EmbeddingChoice {
  const known = knownModel(choice.provider, choice.model);
  if (choice.provider === 'local' && known === undefined) {
    throw new EmbedderError('unknown', `model: the provider local has one model only, ${HOSTS.local.defaultModel}.`);
  }
  const { dimensions } = choice;
  if (dimensions === undefined || known === undefined || known.supported_dimensions.includes(dimensions)) return choice;
  if (dimensions === known.dimension) return { provider: choice.provider, model: choice.model };
  const allowed = known.supported_dimensions.join(', ') || `${known.dimension} only`;
  throw new EmbedderError('unknown', `embedding_dimensions: ${choice.model} has vectors of ${allowed}.`);
}

function withAddress(choice: EmbeddingChoice, env: Env): SelectedModel {
  const { host } = HOSTS[choice.provider];
  if (host === null || (env[host.urlVariable]?.trim() ?? '') === '' || lacksKey(HOSTS[choice.provider], env))
    return choice;
  const { url, custom } = addressOf(host, env);
  return custom ? { ...choice, base_url: url } : choice;
}

function describe(choice: EmbeddingChoice, env: Env) {
  const { provider, model } = choice;
  const dimension = choice.dimensions ?? knownModel(provider, model)?.dimension ?? null;
  const isLocal = !needsKey(HOSTS[provider]);
  const size = dimension === null ? 'dimension not known yet' : `${dimension}d`;
  return {
    text: `${provider}/${model} (${size}, ${isLocal ? 'local' : 'cloud'})`,
    dimension,
    isLocal,
    missing: missing(HOSTS[provider], env),
  };
}

function missing(host: EmbeddingHost, env: Env): string | null {
  if (!lacksKey(host, env)) return null;
  return `${nameOf(host)} needs a key: set ${host.host!.keys[0]} and start the daemon again.`;
}

function providerRow(id: EmbeddingProvider, env: Env) {
  const host = HOSTS[id];
  return {
    provider: id,
    id,
    display_name: nameOf(host),
    requires_api_key: needsKey(host),
    is_local: !needsKey(host),
    availability: { state: lacksKey(host, env) ? ('needs_api_key' as const) : ('ready' as const) },
    models: [...MODELS[id]],
    default_model: host.defaultModel,
  };
}

function remote(choice: EmbeddingChoice, env: Env, scrub: Scrub): Embedder {
  const host = HOSTS[choice.provider];
  const endpoint = addressOf(host.host!, env);
  const wire = WIRES[choice.provider as keyof typeof WIRES];
  const known = knownModel(choice.provider, choice.model);
  const prefix = { document: known?.document_prefix ?? '', query: known?.query_prefix ?? '' };
  const embedRaw = (texts: readonly string[], { kind, signal }: EmbedOptions) => {
    const prefixed = texts.map((text) => prefix[kind] + text || BLANK);
    const target = { endpoint, wire, scrub };
    return embedAll({ target, host, choice, kind, signal: signal ?? new AbortController().signal }, prefixed);
  };
  return {
    ...choice,
    recipe: remoteRecipe(choice),
    isLocal: !needsKey(host),
    embedRaw,
    embed: async (texts, options) => (await embedRaw(texts, options)).map(unit),
  };
}

function remoteRecipe({ provider, model }: EmbeddingChoice): string {
  return `prefix:${knownModel(provider, model)?.document_prefix ?? ''}`;
}

/** Scales to length 1; zeros stay zeros. */
function unit(numbers: readonly number[]): Float32Array {
  const length = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0));
  return Float32Array.from(numbers, (each) => (length === 0 ? 0 : each / length));
}

const MODELS_MAX = 200;

/** Ollama's list lacks the purpose of a model, so its family or name decides. */
const EMBEDDING_FAMILY = /bert|embed/i;
const EMBEDDING_NAME = /embed|minilm|(?:^|[/-])(?:bge|gte|e5)(?:[-:]|$)/i;

/** Lists the embedding models that Ollama has on this machine. */
async function listOllamaModels(ollama: Provider, env: Env, scrub: Scrub): Promise<OllamaInstalled> {
  try {
    const { url, key } = addressOf(ollama, env);
    const models = await ollamaModels(url, key);
    const names = models.filter(isEmbedding).map(({ name }) => name);
    return { status: 'ok', models: names.slice(0, MODELS_MAX) };
  } catch (error) {
    return { status: 'unreachable', error: scrub(reason(error)) };
  }
}

function isEmbedding({ name, details }: OllamaModel): boolean {
  const families = [details?.family ?? '', ...(details?.families ?? [])];
  return EMBEDDING_NAME.test(name) || families.some((family) => EMBEDDING_FAMILY.test(family));
}

function reason(thrown: unknown): string {
  const error = thrown as Error;
  if (error.name === 'TimeoutError') return `It did not answer in ${LIVE_MS_MAX} ms.`;
  if (error.name === 'ZodError' || error instanceof SyntaxError) return 'Its answer is not a list of models.';
  return fetchFault(error);
}

/** Returns a vector of length 1, or zeros, always of the same dimension. */
type LocalVector = (text: string) => Float32Array;

/** Characters between two yields: a few milliseconds. */
const TURN_CHARACTERS = 50_000;
/** The vector of this text identifies the version of the function: vectors of different versions are never mixed. */
const PROBE = 'The quick brown fox: jumps(over, 13) lazy_dogs! Übermut tut selten gut.';

function localRecipe(localVector: LocalVector): string {
  const { buffer, byteOffset, byteLength } = localVector(PROBE);
  const digest = hash('sha256', new Uint8Array(buffer, byteOffset, byteLength));
  return `local:${digest.slice(0, 16)}`;
}

/** The built-in embedder: computes vectors in the daemon, and yields to the event loop between texts. */
function localEmbedder(choice: EmbeddingChoice, localVector: LocalVector): Embedder {
  const embed: Embedder['embed'] = async (texts, { signal }) => {
    const vectors: Float32Array[] = [];
    let characters = 0;
    for (const text of texts) {
      signal?.throwIfAborted();
      vectors.push(localVector(text));
      characters += text.length;
      if (characters < TURN_CHARACTERS) continue;
      characters = 0;
      await ownTurn();
    }
    return vectors;
  };
  return {
    ...choice,
    recipe: localRecipe(localVector),
    isLocal: true,
    embed,
    embedRaw: async (texts, options) => (await embed(texts, options)).map((vector) => [...vector]),
  };
}
