/** Embeddings: which models there are, which one is chosen, and vectors for texts. */
import { z } from 'zod';
import type { EmbeddersPort } from '../../ports/embedder.ts';
import { EMBEDDING_PROVIDERS, EmbedderError, type EmbeddingChoice } from '../../ports/embedder.ts';
import { type Answer, bytes, JSON_TYPE, value } from '../server/answer.ts';
import { HttpError, zError } from '../server/errors.ts';
import { untilHangUp } from '../server/hang-up.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly embedders: EmbeddersPort;
}

/** Texts of one request. */
export const TEXTS_MAX = 2_048;

const zProvider = z.enum(EMBEDDING_PROVIDERS);

export const zChoice = z.object({ provider: z.string(), model: z.string(), dimensions: z.int().optional() });

const zModel = z.object({
  provider: zProvider,
  id: z.string(),
  display_name: z.string(),
  dimension: z.int().nullable(),
  supported_dimensions: z.array(z.int()),
  max_input_tokens: z.int().nullable(),
  document_prefix: z.string(),
  query_prefix: z.string(),
  recommended_for_code: z.boolean(),
  notes: z.string(),
});

const zProviderRow = z.object({
  provider: zProvider,
  id: zProvider,
  display_name: z.string(),
  requires_api_key: z.boolean(),
  is_local: z.boolean(),
  availability: z.object({ state: z.enum(['ready', 'needs_api_key', 'not_compiled_in']) }),
  models: z.array(zModel),
  default_model: z.string().nullable(),
});

const zModels = z.object({
  providers: z.array(zProviderRow),
  selected: zChoice.extend({ base_url: z.string().optional() }).nullable(),
  error: z.string().nullable(),
  ollama_installed: z.union([
    z.object({ status: z.literal('ok'), models: z.array(z.string()) }),
    z.object({ status: z.literal('unreachable'), error: z.string() }),
  ]),
});

/** Both name a model together, or the configured one is meant. */
export const zOverride = z.object({ provider: z.string().nullish(), model: z.string().nullish() });

const zEmbed = zOverride.extend({
  texts: z.array(z.string()).max(TEXTS_MAX, `must have at most ${TEXTS_MAX} texts`),
  kind: z.enum(['document', 'query'], { error: 'must be document or query' }).nullish(),
});

export function embeddingRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/embeddings/models',
      summary: 'Embedding providers with their models and availability, the chosen model, and what Ollama has here.',
      tag: 'embeddings',
      auth: 'bearer',
      withoutViews: true,
      responses: { 200: { description: 'The catalogue; unlisted models can be chosen too.', schema: zModels } },
      handle: async () => value(await models(deps)),
    }),
    route({
      method: 'POST',
      path: '/embeddings/embed',
      summary: 'Vectors for texts, in their order, from the chosen model or the given one.',
      tag: 'embeddings',
      auth: 'bearer',
      withoutViews: true,
      body: zEmbed,
      responses: {
        200: {
          description: 'One vector a text; `dimension` is the length that was really returned, null without texts.',
          schema: z.object({
            model: zChoice,
            dimension: z.int().nullable(),
            embeddings: z.array(z.array(z.number())),
          }),
        },
        400: { description: 'Unknown provider, empty model, bad kind, too many texts, or no key.', schema: zError },
        500: { description: 'The provider failed.', schema: zError },
      },
      handle: (call) => embed(deps, call),
    }),
  ];
}

async function models({ embedders }: Dependencies) {
  const ollama_installed = await embedders.installed();
  const providers = embedders.providers();
  try {
    const selected = embedders.selected();
    return { providers, selected, error: embedders.describe(selected).missing, ollama_installed };
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return { providers, selected: null, error: error.message, ollama_installed };
  }
}

async function embed(
  deps: Dependencies,
  { body, request }: Call<unknown, unknown, z.infer<typeof zEmbed>>,
): Promise<Answer> {
  const { choice, embedder } = openEmbedder(deps, body);
  const kind = body.kind ?? 'document';
  try {
    const embeddings = await untilHangUp(request.raw, (signal) => embedder.embedRaw(body.texts, { kind, signal }));
    const answer = { model: choice, dimension: embeddings[0]?.length ?? null, embeddings };
    // As bytes: megabytes of vectors have no place in the log, which keeps the answers to idempotent requests.
    return bytes(JSON_TYPE, Buffer.from(JSON.stringify(answer)));
  } catch (error) {
    throw embedderFailure(error);
  }
}

/** The model a request means, ready to be asked. Throws 400 with what is wrong. */
export function openEmbedder(deps: Dependencies, { provider, model }: z.infer<typeof zOverride>) {
  const choice = chosen(deps, { provider, model });
  try {
    return { choice, embedder: deps.embedders.open(choice) };
  } catch (error) {
    throw embedderFailure(error);
  }
}

export function chosen(deps: Dependencies, { provider, model }: z.infer<typeof zOverride>): EmbeddingChoice {
  try {
    return deps.embedders.choose(provider, model);
  } catch (error) {
    throw embedderFailure(error);
  }
}

/** The caller’s or the settings’ fault is 400, the provider’s 500; anything else stays what it is. */
export function embedderFailure(error: unknown): unknown {
  if (!(error instanceof EmbedderError)) return error;
  const isOurs = error.reason === 'missing_key' || error.reason === 'unknown';
  return new HttpError(isOurs ? 400 : 500, error.message);
}
