/**
 * The embedders port: built-in vectors and five providers over HTTP.
 *
 * - A choice is resolved on each call, so a wrong setting fails the request and not the start of the daemon.
 * - The prefixes of models are added here.
 */
import {
  EMBEDDING_PROVIDERS,
  type Embedder,
  EmbedderError,
  type EmbeddersPort,
  type EmbeddingChoice,
  type EmbeddingProvider,
  type EmbedOptions,
  type SelectedModel,
} from '../../ports/embedder.ts';
import { createScrub, type Scrub } from '../models/failures.ts';
import type { Env } from '../models/providers.ts';
import { embedAll } from './batches.ts';
import { knownModel, modelsOf } from './catalogue.ts';
import { type LocalVector, localEmbedder, localRecipe } from './local.ts';
import { listOllamaModels } from './ollama-models.ts';
import { addressOf, type EmbeddingHost, HOSTS, lacksKey, needsKey } from './providers.ts';
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
    providers: () => EMBEDDING_PROVIDERS.map((id) => providerRow(HOSTS[id], env)),
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
  return `${host.name} needs a key: set ${host.host!.keys[0]} and start the daemon again.`;
}

function providerRow(host: EmbeddingHost, env: Env) {
  return {
    provider: host.id,
    id: host.id,
    display_name: host.name,
    requires_api_key: needsKey(host),
    is_local: !needsKey(host),
    availability: { state: lacksKey(host, env) ? ('needs_api_key' as const) : ('ready' as const) },
    models: [...modelsOf(host.id)],
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
    dimension: choice.dimensions ?? known?.dimension ?? null,
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
