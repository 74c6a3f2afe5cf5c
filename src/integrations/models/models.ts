/**
 * The models port over the provider packages, Ollama and the scripted model.
 *
 * - One call to `stream` is one request to one provider.
 * - The connection is closed at once on an abort, and when the reader stops early.
 * - Importing this file loads no provider package.
 */
import { z } from 'zod';
import { normalizeProvider } from '../../events/provider-id.ts';
import {
  type ModelChoice,
  ModelError,
  type ModelFrame,
  type ModelRequest,
  type ModelRow,
  type ModelsPort,
} from '../../ports/models.ts';
import { loadModel, wireDialect } from './adapters.ts';
import { type Endpoint, endpointOf, serverRoot } from './endpoint.ts';
import { createScrub, type Scrub, toModelError } from './failures.ts';
import { toFrames } from './frames.ts';
import { liveJson, ollamaModels } from './live-models.ts';
import { callOptions } from './prompt.ts';
import { nextCallNumber, toProse, withoutMarkup } from './prose.ts';
import { type Env, findProvider, isConfigured, isUsable, PROVIDERS, type Provider } from './providers.ts';
import { scriptedFrames } from './scripted-answer.ts';
import { wellFormed } from './well-formed.ts';

export interface ModelsConfig {
  readonly env: Env;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

interface Call {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly env: Env;
}

export function createModels(config: ModelsConfig): ModelsPort {
  const { env } = config;
  const scrub = createScrub(env);
  const configured = configuredChoice(config);
  return {
    configured,
    choose(provider, model) {
      const pair = { provider: normalizeProvider(provider ?? ''), model: (model ?? '').trim() };
      const found = findProvider(pair.provider);
      return pair.model !== '' && found && isUsable(found, env) ? pair : configured;
    },
    configuredProviders: () =>
      PROVIDERS.filter((provider) => isConfigured(provider, env))
        .map((provider) => provider.id)
        .sort(),
    stream: (request, signal) => abortable(wellFormed(framesOf({ request, signal, env }, scrub)), signal),
    catalogue: () => catalogueRows(configured, env),
  };
}

/** The named provider, else the first that is configured, else the scripted model. */
function configuredChoice({ env, provider, model }: ModelsConfig): ModelChoice {
  const named = normalizeProvider(provider ?? '');
  const found =
    named === '' ? PROVIDERS.find((one) => isConfigured(one, env) && one.models.length > 0) : findProvider(named);
  return { provider: named || found!.id, model: (model ?? '').trim() || (found?.models[0] ?? '') };
}

function unknownProvider(id: string): ModelError {
  const ids = PROVIDERS.map((provider) => provider.id).join(', ');
  return new ModelError('unconfigured', `There is no provider '${id.slice(0, 100).toWellFormed()}'. Known: ${ids}.`);
}

/** The error message if this pair cannot be used with these settings, else null. */
export function modelTrouble(choice: ModelChoice, env: Env): string | null {
  try {
    targetOf(choice, env);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The endpoint of a pair; null for the scripted model. Throws `ModelError`. */
function targetOf({ provider: id, model }: ModelChoice, env: Env): Endpoint | null {
  const provider = findProvider(id);
  if (!provider) throw unknownProvider(id);
  if (provider.dialect === 'scripted') return null;
  const endpoint = endpointOf(provider, env);
  if (model !== '') return endpoint;
  throw new ModelError('unconfigured', `No model is chosen for ${provider.name}: set DAYBOOK_MODEL.`);
}

async function* framesOf({ request, signal, env }: Call, scrub: Scrub): AsyncGenerator<ModelFrame> {
  const endpoint = targetOf(request, env);
  if (endpoint === null) return yield* scriptedFrames(request, signal);
  const prose = request.settings.tool_transport === 'prose';
  const dialect = wireDialect(endpoint, env);
  const sent = prose ? toProse(request) : request;
  const frames = oneAttempt(endpoint, { request: sent, signal, env }, scrub);
  // Providers with an API of their own separate reasoning from text; servers of open models often do not.
  const mixed = prose || dialect === 'compatible' || dialect === 'ollama';
  if (!mixed) return yield* frames;
  yield* withoutMarkup(frames, {
    tools: prose && request.tools.length > 0,
    firstCall: nextCallNumber(request.messages),
  });
}

async function* oneAttempt(endpoint: Endpoint, call: Call, scrub: Scrub): AsyncGenerator<ModelFrame> {
  const { request, signal, env } = call;
  const dialect = wireDialect(endpoint, env);
  try {
    const model = await loadModel(dialect, endpoint, request.model);
    signal.throwIfAborted();
    const { stream } = await model.doStream(callOptions(request, { dialect, provider: endpoint.provider }, signal));
    yield* toFrames(stream);
  } catch (error) {
    throw signal.aborted ? signal.reason : toModelError(error, { endpoint, scrub });
  }
}

/** After an abort the reader gets the signal's reason, not the errors of the layers below. */
async function* abortable(frames: AsyncIterable<ModelFrame>, signal: AbortSignal): AsyncGenerator<ModelFrame> {
  try {
    yield* frames;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const LIVE_ROWS_MAX = 500;

const zModels = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/**
 * The rows of `GET /models`: the active one, models that run on this machine now, then known models of each provider.
 * Servers that are down, slow or give invalid answers are left out.
 */
async function catalogueRows(configured: ModelChoice, env: Env): Promise<readonly ModelRow[]> {
  const name = findProvider(configured.provider)?.name ?? configured.provider;
  const active: ModelRow = { id: name, provider: configured.provider, active: true };
  const live = await Promise.all(
    PROVIDERS.filter((provider) => isQueried(provider, env)).map((one) => liveRows(one, env)),
  );
  const known = PROVIDERS.flatMap((provider) => provider.models.map((model) => row(provider, model)));
  const rows = [active, ...live.flat(), ...known];
  return [...new Map(rows.toReversed().map((each) => [each.id, each])).values()].toReversed();
}

/** Ollama is queried even at its default address; other local servers only when they are configured. */
function isQueried(provider: Provider, env: Env): boolean {
  return (
    provider.dialect === 'ollama' ||
    (provider.dialect === 'compatible' && provider.keyless === true && isConfigured(provider, env))
  );
}

async function liveRows(provider: Provider, env: Env): Promise<readonly ModelRow[]> {
  try {
    const endpoint = endpointOf(provider, env);
    const rows = provider.dialect === 'ollama' ? await installed(endpoint) : await served(endpoint);
    return rows.slice(0, LIVE_ROWS_MAX);
  } catch {
    return [];
  }
}

async function installed(endpoint: Endpoint): Promise<readonly ModelRow[]> {
  const models = await ollamaModels(serverRoot(endpoint), endpoint.key);
  return models.map(({ name, size }) => ({
    ...row(endpoint.provider, name),
    ...(size !== undefined && { size_bytes: size }),
  }));
}

async function served(endpoint: Endpoint): Promise<readonly ModelRow[]> {
  const { data } = zModels.parse(await liveJson(`${endpoint.url}/models`, endpoint.key));
  return data.map(({ id }) => row(endpoint.provider, id));
}

function row(provider: Provider, name: string): ModelRow {
  return { id: `${provider.id}/${name}`, name, provider: provider.id };
}
