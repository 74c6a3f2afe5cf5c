/** Lists the embedding models that Ollama has on this machine. */
import { fetchFault } from '../../lib/fetch-fault.ts';
import type { OllamaInstalled } from '../../ports/embedder.ts';
import type { Scrub } from '../models/failures.ts';
import { LIVE_MS_MAX, type OllamaModel, ollamaModels } from '../models/live-models.ts';
import type { Env, Provider } from '../models/providers.ts';
import { addressOf } from './providers.ts';

const MODELS_MAX = 200;

/** Ollama's list lacks the purpose of a model, so its family or name decides. */
const EMBEDDING_FAMILY = /bert|embed/i;
const EMBEDDING_NAME = /embed|minilm|(?:^|[/-])(?:bge|gte|e5)(?:[-:]|$)/i;

export async function listOllamaModels(ollama: Provider, env: Env, scrub: Scrub): Promise<OllamaInstalled> {
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
