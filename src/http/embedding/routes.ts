/** Routes of embeddings: the models, and vectors for texts. */
import { z } from 'zod';
import {
  type EmbeddersPort,
  zEmbeddingChoice,
  zEmbeddingProviderRow,
  zOllamaInstalled,
  zSelectedModel,
} from '../../ports/embedder.ts';
import { embeddingModels, openEmbedder } from '../../queries/embedding/choice.ts';
import { whileConnected } from '../server/disconnect.ts';
import { JSON_TYPE } from '../server/headers.ts';
import { type Answer, bytes, type Call, ok, type RouteSpec, routesOf, value } from '../server/route.ts';

const { get, post } = routesOf({ tag: 'embeddings', withoutViews: true });

const TEXTS_MAX = 2_048;

const zModels = z.object({
  providers: z.array(zEmbeddingProviderRow).describe('Every known provider.'),
  selected: zSelectedModel.nullable().describe('The configured model; null when the settings name none that exists.'),
  error: z.string().nullable().describe('The fault of the settings; null without one.'),
  ollama_installed: zOllamaInstalled.describe('The models that a local Ollama has installed.'),
});

/** Both fields name a model; without both the configured model is meant. */
export const zOverride = z.object({
  provider: z.string().nullish().describe('Counts together with `model` only; absent: the configured one.'),
  model: z.string().nullish().describe('Counts together with `provider` only; absent: the configured one.'),
});

const zEmbed = zOverride.extend({
  texts: z.array(z.string()).max(TEXTS_MAX, `must have at most ${TEXTS_MAX} texts`),
  kind: z
    .enum(['document', 'query'], { error: 'must be document or query' })
    .nullish()
    .describe('Whether the texts are searched in, or search; absent: document.'),
});
z.globalRegistry.add(zEmbed, { examples: [{ texts: ['The parser fails on an empty line.'], kind: 'query' }] });

export function embeddingRoutes({ embedders }: { readonly embedders: EmbeddersPort }): readonly RouteSpec[] {
  return [
    get('/embeddings/models', {
      operation: 'models',
      summary:
        'Embedding providers with their models and availability, the chosen model, and what Ollama has installed.',
      responses: ok('The catalogue; unlisted models can be chosen too.', zModels),
      handle: async () => value(await embeddingModels(embedders)),
    }),
    post('/embeddings/embed', {
      operation: 'embed',
      isLong: true,
      summary: 'Vectors for texts, in their order, from the chosen model or the given one.',
      body: zEmbed,
      responses: ok(
        'One vector for each text; `dimension` is their length, null without texts.',
        {
          model: zEmbeddingChoice.describe('The model that answered.'),
          dimension: z.int().nullable().describe('Numbers in a vector; null without texts.'),
          embeddings: z.array(z.array(z.number())).describe('A vector for each text, in their order.'),
        },
        { 400: 'Unknown provider, empty model, bad kind, too many texts, or no key.', 500: 'The provider failed.' },
      ),
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
  const embeddings = await whileConnected(request, (signal) => embedder.embedRaw(body.texts, { kind, signal }));
  const answer = { model: choice, dimension: embeddings[0]?.length ?? null, embeddings };
  // Sent as bytes, which are not recorded for an idempotent repeat: vectors are megabytes long.
  return bytes(JSON_TYPE, Buffer.from(JSON.stringify(answer)));
}
