/** Embedding models: texts in, one vector each out, all of one dimension. */
import { z } from 'zod';
import { PortError } from './port-error.ts';

export const EMBEDDING_PROVIDERS = ['ollama', 'openai', 'voyage', 'cohere', 'gemini', 'local'] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** A model, and the dimension that its vectors are reduced to on request. */
export const zEmbeddingChoice = z.object({
  provider: z.string(),
  model: z.string(),
  dimensions: z.int().exactOptional().describe('Numbers that a vector is reduced to; absent: all.'),
});
z.globalRegistry.add(zEmbeddingChoice, { id: 'EmbeddingChoice' });
export interface EmbeddingChoice extends Readonly<z.infer<typeof zEmbeddingChoice>> {
  readonly provider: EmbeddingProvider;
}

/** The model that an event, a row or an index file names; `dimensions` null: all numbers of the model. */
export interface RecordedModel {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number | null;
}

/** The choice that is recorded. Its provider may be one that this program does not know. */
export function recordedChoice({ provider, model, dimensions }: RecordedModel): EmbeddingChoice {
  return { provider: provider as EmbeddingProvider, model, ...(dimensions !== null && { dimensions }) };
}

export interface Embedder extends EmbeddingChoice {
  /** Identifies everything besides the text that determines a document's vector: equal recipes give equal vectors. */
  readonly recipe: string;
  /** Whether it runs on this machine, so that no text leaves it. */
  readonly isLocal: boolean;
  /**
   * One vector of length 1 per text, in order. `kind` selects the prefix that the model was trained with. Throws
   * `EmbedderError` when the provider cannot be reached, refuses, or sends a wrong number of vectors or dimensions, and
   * the signal's reason.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Like `embed`, with the numbers as the provider sent them. */
  embedRaw(texts: readonly string[], options: EmbedOptions): Promise<readonly (readonly number[])[]>;
}

export interface EmbedOptions {
  readonly kind: 'document' | 'query';
  readonly signal?: AbortSignal;
}

export interface EmbeddersPort {
  /** The configured model. Throws `EmbedderError` with reason `unknown` when the settings name none that exists. */
  selected(): SelectedModel;
  /** The given pair when both parts are given, else the configured model. Throws like `selected`. */
  choose(provider: string | null | undefined, model: string | null | undefined): EmbeddingChoice;
  /** Throws `EmbedderError` with reason `missing_key` when the model needs a key that is not set. */
  open(choice: EmbeddingChoice): Embedder;
  /** The recipe of the embedder that `open` returns; works without a key. */
  recipe(choice: EmbeddingChoice): string;
  /** `<provider>/<model> (<N>d, local|cloud)`. */
  describe(choice: EmbeddingChoice): EmbeddingDescription;
  /** All providers in a fixed order, without keys. */
  providers(): readonly EmbeddingProviderRow[];
  /** The embedding models that Ollama has on this machine. Asks Ollama on each call. */
  installed(): Promise<OllamaInstalled>;
}

/** `base_url` is set when the provider's address is overridden. */
export const zSelectedModel = zEmbeddingChoice.extend({ base_url: z.string().exactOptional() });
export type SelectedModel = EmbeddingChoice & Readonly<z.infer<typeof zSelectedModel>>;

export interface EmbeddingDescription {
  readonly text: string;
  readonly dimension: number | null;
  readonly isLocal: boolean;
  /** Why the provider cannot be used, or null. */
  readonly missing: string | null;
}

const zProvider = z.enum(EMBEDDING_PROVIDERS);

const zEmbeddingModelRow = z.object({
  provider: zProvider,
  id: z.string().describe('Name of the model at its provider.'),
  display_name: z.string().describe('Name for people.'),
  dimension: z.int().nullable().describe('Numbers in a vector; null when it is not known beforehand.'),
  supported_dimensions: z.array(z.int()).describe('Numbers that a vector can be reduced to; empty: none.'),
  max_input_tokens: z.int().nullable().describe('Most tokens of a text; null when the provider does not say.'),
  document_prefix: z.string().describe('Stands before a text that is searched in; may be empty.'),
  query_prefix: z.string().describe('Stands before a question; may be empty.'),
  recommended_for_code: z.boolean().describe('Whether it is made for program text.'),
  notes: z.string().describe('A sentence for a person.'),
});
z.globalRegistry.add(zEmbeddingModelRow, { id: 'EmbeddingModel' });
export type EmbeddingModelRow = Readonly<z.infer<typeof zEmbeddingModelRow>>;

export const zEmbeddingProviderRow = z.object({
  provider: zProvider,
  id: zProvider.describe('The same as `provider`.'),
  display_name: z.string().describe('Name for people.'),
  requires_api_key: z.boolean().describe('Whether it answers only with a key of its provider.'),
  is_local: z.boolean().describe('Whether texts stay on this machine.'),
  availability: z
    .object({
      state: z
        .enum(['ready', 'needs_api_key', 'not_compiled_in'])
        .describe('`not_compiled_in`: this build has no such provider.'),
    })
    .describe('Whether it can be asked.'),
  models: z.array(zEmbeddingModelRow).describe('Those of its models that are known.'),
  default_model: z.string().nullable().describe('The model that is meant when none is named; null without one.'),
});
export type EmbeddingProviderRow = Readonly<z.infer<typeof zEmbeddingProviderRow>>;

export const zOllamaInstalled = z.union([
  z.object({
    status: z.literal('ok').describe('Ollama answers.'),
    models: z.array(z.string()).describe('Names of the installed models.'),
  }),
  z.object({ status: z.literal('unreachable').describe('Ollama does not answer.'), error: z.string() }),
]);
export type OllamaInstalled = Readonly<z.infer<typeof zOllamaInstalled>>;

/** Why a text has no vector. */
export class EmbedderError extends PortError {
  override readonly name = 'EmbedderError';
  /** `missing_key` and `unknown` are errors of the caller or the settings, the others of the provider. */
  readonly reason: 'missing_key' | 'unknown' | 'unreachable' | 'refused' | 'bad_output';

  constructor(reason: EmbedderError['reason'], message: string) {
    super(reason === 'missing_key' || reason === 'unknown' ? 'invalid' : 'failed', message);
    this.reason = reason;
  }
}
