/** Lists the embedding models that Ollama has on this machine. */
import { z } from 'zod';
import { fetchFault } from '../../lib/fetch-fault.ts';
import { readBody } from '../../lib/read-body.ts';
import type { OllamaInstalled } from '../../ports/embedder.ts';
import type { Scrub } from '../models/failures.ts';
import type { Env, Provider } from '../models/providers.ts';
import { addressOf } from './providers.ts';

const LOOK_MS_MAX = 700;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const MODELS_MAX = 200;

const zTags = z.object({
  models: z.array(
    z.object({
      name: z.string().min(1),
      details: z.object({ family: z.string().nullish(), families: z.array(z.string()).nullish() }).nullish(),
    }),
  ),
});

/** Ollama's list lacks the purpose of a model, so its family or name decides. */
const EMBEDDING_FAMILY = /bert|embed/i;
const EMBEDDING_NAME = /embed|minilm|(?:^|[/-])(?:bge|gte|e5)(?:[-:]|$)/i;

export async function listOllamaModels(ollama: Provider, env: Env, scrub: Scrub): Promise<OllamaInstalled> {
  try {
    const { url, key } = addressOf(ollama, env);
    const response = await fetch(`${url}/api/tags`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(LOOK_MS_MAX),
      redirect: 'error',
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { status: 'unreachable', error: `It answered ${response.status}.` };
    }
    const { models } = zTags.parse(JSON.parse(await readBody(response, ANSWER_BYTES_MAX)));
    const names = models.filter(isEmbedding).map(({ name }) => name);
    return { status: 'ok', models: names.slice(0, MODELS_MAX) };
  } catch (error) {
    return { status: 'unreachable', error: scrub(reason(error)) };
  }
}

function isEmbedding({ name, details }: z.infer<typeof zTags>['models'][number]): boolean {
  const families = [details?.family ?? '', ...(details?.families ?? [])];
  return EMBEDDING_NAME.test(name) || families.some((family) => EMBEDDING_FAMILY.test(family));
}

function reason(thrown: unknown): string {
  const error = thrown as Error;
  if (error.name === 'TimeoutError') return `It did not answer in ${LOOK_MS_MAX} ms.`;
  if (error.name === 'ZodError' || error instanceof SyntaxError) return 'Its answer is not a list of models.';
  return fetchFault(error);
}
