/** Embedding models: texts in, one vector each out, all of one dimension. */

export const EMBEDDING_PROVIDERS = ['ollama', 'openai', 'voyage', 'cohere', 'gemini', 'local'] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** A model, and the dimension that its vectors are reduced to on request. */
export interface EmbeddingChoice {
  readonly provider: EmbeddingProvider;
  readonly model: string;
  readonly dimensions?: number;
}

export interface Embedder extends EmbeddingChoice {
  /** Identifies everything besides the text that determines a document's vector: equal recipes give equal vectors. */
  readonly recipe: string;
  /** Numbers in a vector; null for an unknown model before its first call. */
  readonly dimension: number | null;
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

export interface SelectedModel extends EmbeddingChoice {
  /** Set when the provider's address is overridden. */
  readonly base_url?: string;
}

export interface EmbeddingDescription {
  readonly text: string;
  readonly dimension: number | null;
  readonly isLocal: boolean;
  /** Why the provider cannot be used, or null. */
  readonly missing: string | null;
}

export interface EmbeddingProviderRow {
  readonly provider: EmbeddingProvider;
  readonly id: EmbeddingProvider;
  readonly display_name: string;
  readonly requires_api_key: boolean;
  readonly is_local: boolean;
  readonly availability: { readonly state: 'ready' | 'needs_api_key' | 'not_compiled_in' };
  readonly models: readonly EmbeddingModelRow[];
  readonly default_model: string | null;
}

export interface EmbeddingModelRow {
  readonly provider: EmbeddingProvider;
  readonly id: string;
  readonly display_name: string;
  readonly dimension: number | null;
  readonly supported_dimensions: readonly number[];
  readonly max_input_tokens: number | null;
  readonly document_prefix: string;
  readonly query_prefix: string;
  readonly recommended_for_code: boolean;
  readonly notes: string;
}

export type OllamaInstalled =
  | { readonly status: 'ok'; readonly models: readonly string[] }
  | { readonly status: 'unreachable'; readonly error: string };

export class EmbedderError extends Error {
  /** `missing_key` and `unknown` are errors of the caller or the settings, the others of the provider. */
  readonly reason: 'missing_key' | 'unknown' | 'unreachable' | 'refused' | 'bad_output';

  constructor(reason: EmbedderError['reason'], message: string) {
    super(message);
    this.name = 'EmbedderError';
    this.reason = reason;
  }
}
