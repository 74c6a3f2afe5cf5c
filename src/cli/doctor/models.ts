/** Checks of the model providers and of the embedding model: configured, reachable, selected. No key is ever sent. */
import type { Health } from '../../client/client.ts';
import type { Config } from '../../config.ts';
import { createEmbedders } from '../../integrations/embedders/embedders.ts';
import { endpointOf, serverRoot } from '../../integrations/models/endpoint.ts';
import { createModels } from '../../integrations/models/models.ts';
import {
  type Env,
  findProvider,
  isConfigured,
  isUsable,
  PROVIDERS,
  type Provider,
} from '../../integrations/models/providers.ts';
import { fetchFault } from '../../lib/fetched.ts';
import { EmbedderError, type EmbeddersPort, type EmbeddingChoice } from '../../ports/embedder.ts';
import { localVector } from '../../projections/recall/vector.ts';
import { oneLine } from '../text.ts';
import type { DaemonFindings } from './daemon.ts';
import { type Finding, finding } from './finding.ts';

const REACH_TIMEOUT_MS = 3_000;

export async function modelFindings(
  env: Env,
  config: Config | Error,
  daemon: Pick<DaemonFindings, 'health' | 'provider'> | null,
): Promise<readonly Finding[]> {
  const health = daemon?.health ?? null;
  const rows = await Promise.all(
    PROVIDERS.filter((one) => one.dialect !== 'scripted').map((one) => providerFinding(one, env, health)),
  );
  return [...(config instanceof Error ? [] : [selectedModel(env, config, daemon?.provider ?? null)]), ...rows];
}

/** The model that is used when a request names none: by the daemon, or by one that is started from here. */
function selectedModel(env: Env, config: Config, ofDaemon: string | null): Finding {
  const { provider: id, model } = createModels({ env, provider: config.provider, model: config.model }).configured;
  if (ofDaemon !== null && ofDaemon !== id) {
    return finding('model', 'ok', `one of ${ofDaemon}, as the daemon was started; started from here: ${id}/${model}`);
  }
  const found = findProvider(id);
  if (found === undefined)
    return finding('model', 'broken', `there is no provider '${id}'`, 'set DAYBOOK_PROVIDER to a known one');
  if (!isUsable(found, env)) return finding('model', 'broken', `${found.name} has no key`, `set ${found.keys[0]}`);
  if (model === '') return finding('model', 'broken', `no model is chosen for ${found.name}`, 'set DAYBOOK_MODEL');
  if (found.dialect !== 'scripted') return finding('model', 'ok', `${id}/${model}`);
  const how = 'set a key below, such as ANTHROPIC_API_KEY, or DAYBOOK_PROVIDER=ollama with DAYBOOK_MODEL';
  return finding('model', 'ok', `${id}/${model}: a script that rehearses, no language model`, how);
}

async function providerFinding(one: Provider, env: Env, health: Health | null): Promise<Finding> {
  if (!isConfigured(one, env) && one.dialect !== 'ollama') {
    const needs = one.keyless === true ? one.urlVariable : one.keys[0];
    const known = health?.providers.names.includes(one.id) === true;
    return known
      ? finding(one.id, 'ok', 'configured in the daemon, not here')
      : finding(one.id, 'off', 'not configured', `set ${needs}`);
  }
  const reached = await reach(one, env);
  if (reached.error !== null) {
    if (!isConfigured(one, env))
      return finding(one.id, 'off', 'not running here', `start it, or set ${one.urlVariable}`);
    return finding(one.id, 'warning', reached.error, `check the network and ${one.urlVariable}`);
  }
  if (health !== null && isConfigured(one, env) && !health.providers.names.includes(one.id)) {
    return finding(one.id, 'warning', `${reached.detail}, but the daemon was started without it`, 'restart the daemon');
  }
  return finding(one.id, 'ok', reached.detail);
}

type Reached = { readonly error: null; readonly detail: string } | { readonly error: string };

/** Any response counts as reachable: requests carry no key, so most providers refuse them. */
async function reach(one: Provider, env: Env): Promise<Reached> {
  try {
    const endpoint = endpointOf(one, env);
    const isOllama = one.dialect === 'ollama';
    const url = isOllama ? `${serverRoot(endpoint)}/api/tags` : endpoint.url;
    const response = await fetch(url, { signal: AbortSignal.timeout(REACH_TIMEOUT_MS), redirect: 'manual' });
    const body = isOllama ? ((await response.json()) as { models?: readonly unknown[] }) : null;
    await response.body?.cancel().catch(() => undefined);
    const key = endpoint.key === null ? 'no key needed' : 'key set';
    const models = body === null ? '' : `, ${body.models?.length ?? 0} models installed`;
    return { error: null, detail: `${key}, ${endpoint.url} answers${models}` };
  } catch (error) {
    return { error: `not reachable: ${oneLine(fetchFault(error), 120)}` };
  }
}

/** Whether the embedding model exists, has its key and is pulled. */
export async function embeddingFinding(env: NodeJS.ProcessEnv, config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const { embedding_provider: provider, embedding_model: model, embedding_dimensions: dimensions } = config;
  const embedders = createEmbedders({ env, provider, model, dimensions, localVector });
  try {
    return [await selectedFinding(embedders, embedders.selected())];
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return [
      finding('embeddings', 'warning', error.message, 'set DAYBOOK_EMBEDDING_PROVIDER and DAYBOOK_EMBEDDING_MODEL'),
    ];
  }
}

async function selectedFinding(embedders: EmbeddersPort, selected: EmbeddingChoice): Promise<Finding> {
  const { text, missing } = embedders.describe(selected);
  if (missing !== null) return finding('embeddings', 'warning', `${text}: ${missing}`, 'set the key, or choose local');
  if (selected.provider !== 'ollama') return finding('embeddings', 'ok', text);
  const installed = await embedders.installed();
  if (installed.status === 'unreachable') {
    return finding('embeddings', 'warning', `${text}: Ollama is not reachable: ${installed.error}`, 'ollama serve');
  }
  const { model } = selected;
  const isPulled = installed.models.some((each) => each === model || each === `${model}:latest`);
  return isPulled
    ? finding('embeddings', 'ok', text)
    : finding('embeddings', 'warning', `${text} is not pulled`, `ollama pull ${model}`);
}
