/** Asks a server which models it has at this moment. Callers wait for it, so it has little time to answer. */
import { z } from 'zod';
import { readBody } from '../../lib/fetched.ts';

export const LIVE_MS_MAX = 700;
const LIVE_BYTES_MAX = 4 * 1024 * 1024;

/** Throws the errors of `fetch`, and an `Error` for another status than 200 and for a text that is no JSON. */
export async function liveJson(url: string, key: string | null): Promise<unknown> {
  const response = await fetch(url, {
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(LIVE_MS_MAX),
    redirect: 'error',
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`It answered ${response.status}.`);
  }
  return JSON.parse(await readBody(response, LIVE_BYTES_MAX));
}

const zTags = z.object({
  models: z.array(
    z.object({
      name: z.string().min(1),
      size: z.int().nonnegative().optional(),
      details: z.object({ family: z.string().nullish(), families: z.array(z.string()).nullish() }).nullish(),
    }),
  ),
});
export type OllamaModel = z.infer<typeof zTags>['models'][number];

/** The models of the Ollama server with this address. Throws as `liveJson`, and `ZodError` for another answer. */
export async function ollamaModels(root: string, key: string | null): Promise<readonly OllamaModel[]> {
  return zTags.parse(await liveJson(`${root}/api/tags`, key)).models;
}
