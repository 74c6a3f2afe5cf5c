/**
 * The rows of `GET /models`: the active one, models that run on this machine now, then known models of each provider.
 * Servers that are down, slow or give invalid answers are left out.
 */
import { z } from 'zod';
import type { ModelChoice, ModelRow } from '../../ports/models.ts';
import { type Endpoint, endpointOf, serverRoot } from './endpoint.ts';
import { liveJson, ollamaModels } from './live-models.ts';
import { type Env, findProvider, isConfigured, PROVIDERS, type Provider } from './providers.ts';

const LIVE_ROWS_MAX = 500;

const zModels = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

export async function catalogueRows(configured: ModelChoice, env: Env): Promise<readonly ModelRow[]> {
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
