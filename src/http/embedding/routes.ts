/** Routes of embeddings: the models, and vectors for texts. */
import { z } from 'zod';
import { EMBEDDING_PROVIDERS, type EmbeddersPort } from '../../ports/embedder.ts';
import { embedderRefusal, embeddingModels, openEmbedder } from '../../queries/embedding/choice.ts';
import { type Answer, bytes, JSON_TYPE, value } from '../server/answer.ts';
import { whileConnected } from '../server/disconnect.ts';
import { zError } from '../server/errors.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';

/** Texts of one request. */
export const TEXTS_MAX = 2_048;

const zProvider = z.enum(EMBEDDING_PROVIDERS);

export const zChoice = z.object({ provider: z.string(), model: z.string(), dimensions: z.int().optional() });
z.globalRegistry.add(zChoice, { id: 'EmbeddingChoice' });

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
z.globalRegistry.add(zModel, { id: 'EmbeddingModel' });

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

/** Both fields name a model; without both the configured model is meant. */
export const zOverride = z.object({ provider: z.string().nullish(), model: z.string().nullish() });

const zEmbed = zOverride.extend({
  texts: z.array(z.string()).max(TEXTS_MAX, `must have at most ${TEXTS_MAX} texts`),
  kind: z.enum(['document', 'query'], { error: 'must be document or query' }).nullish(),
});
z.globalRegistry.add(zEmbed, { examples: [{ texts: ['The parser fails on an empty line.'], kind: 'query' }] });

export function embeddingRoutes({ embedders }: { readonly embedders: EmbeddersPort }): readonly RouteSpec[] {
  return [
    route({
      method: 'GET',
      path: '/embeddings/models',
      operation: 'models',
      summary: 'Embedding providers with their models and availability, the chosen model, and what Ollama has here.',
      tag: 'embeddings',
      auth: 'bearer',
      withoutViews: true,
      responses: { 200: { description: 'The catalogue; unlisted models can be chosen too.', schema: zModels } },
      handle: async () => value(await embeddingModels(embedders)),
    }),
    route({
      method: 'POST',
      path: '/embeddings/embed',
      operation: 'embed',
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
      handle: (call) => embed(embedders, call),
    }),
  ];
}

async function embed(
  embedders: EmbeddersPort,
  { body, request }: Call<unknown, unknown, z.infer<typeof zEmbed>>,
): Promise<Answer> {
  const { choice, embedder } = openEmbedder(embedders, body);
  const kind = body.kind ?? 'document';
  try {
    const embeddings = await whileConnected(request.raw, (signal) => embedder.embedRaw(body.texts, { kind, signal }));
    const answer = { model: choice, dimension: embeddings[0]?.length ?? null, embeddings };
    // Bytes are not recorded for an idempotent repeat: megabytes of vectors do not belong into the log.
    return bytes(JSON_TYPE, Buffer.from(JSON.stringify(answer)));
  } catch (error) {
    throw embedderRefusal(error);
  }
}
