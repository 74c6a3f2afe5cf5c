/** Checks of the model providers: which one answers, which have a key, which can be reached. No key is ever sent. */
import type { Config } from '../../config.ts';
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
import type { Health } from '../shapes.ts';
import { oneLine } from '../text.ts';
import { type Finding, finding } from './finding.ts';

const REACH_TIMEOUT_MS = 3_000;

export async function modelFindings(
  env: Env,
  config: Config | Error,
  health: Health | null,
): Promise<readonly Finding[]> {
  const rows = await Promise.all(
    PROVIDERS.filter((one) => one.dialect !== 'scripted').map((one) => provider(one, env, health)),
  );
  return [...(config instanceof Error ? [] : [chosen(env, config)]), ...rows];
}

/** The pair that answers when a request names none. */
function chosen(env: Env, config: Config): Finding {
  const { provider: id, model } = createModels({ env, provider: config.provider, model: config.model }).configured;
  const found = findProvider(id);
  if (found === undefined)
    return finding('model', 'broken', `there is no provider '${id}'`, 'set DAYBOOK_PROVIDER to a known one');
  if (!isUsable(found, env)) return finding('model', 'broken', `${found.name} has no key`, `set ${found.keys[0]}`);
  if (model === '') return finding('model', 'broken', `no model is chosen for ${found.name}`, 'set DAYBOOK_MODEL');
  if (found.dialect !== 'scripted') return finding('model', 'ok', `${id}/${model}`);
  const how = 'set a key below, such as ANTHROPIC_API_KEY, or DAYBOOK_PROVIDER=ollama with DAYBOOK_MODEL';
  return finding('model', 'ok', `${id}/${model}: a script that rehearses, no language model`, how);
}

async function provider(one: Provider, env: Env, health: Health | null): Promise<Finding> {
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

/** Any answer counts: without the key a provider can only refuse. */
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
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    return { error: `not reachable: ${oneLine(cause?.code ?? cause?.message ?? (error as Error).message, 120)}` };
  }
}
