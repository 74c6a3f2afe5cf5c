/** What recall and the code index need of embedding models: texts in, one vector each out, all of one dimension. */

export const EMBEDDING_PROVIDERS = ['ollama', 'openai', 'voyage', 'cohere', 'gemini', 'local'] as const;
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number];

/** One model, and the dimension it is asked to reduce its vectors to, if any. */
export interface EmbeddingChoice {
  readonly provider: EmbeddingProvider;
  readonly model: string;
  readonly dimensions?: number;
}

export interface Embedder extends EmbeddingChoice {
  /** Whatever beside the text decides what a document's vector is: equal recipes, equal vectors. */
  readonly recipe: string;
  /** The documented size of its vectors; null when nobody knows before the first call. */
  readonly dimension: number | null;
  /** Runs on this machine: no text leaves it. */
  readonly isLocal: boolean;
  /**
   * One vector of length 1 per text, in order. `document` and `query` get the prefixes their model was trained with.
   * Throws an `EmbedderError` when the provider cannot be reached, refuses, or answers another number or dimension.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** The same vectors exactly as the provider sent them. */
  embedRaw(texts: readonly string[], options: EmbedOptions): Promise<readonly (readonly number[])[]>;
}

export interface EmbedOptions {
  readonly kind: 'document' | 'query';
  readonly signal?: AbortSignal;
}

export interface EmbeddersPort {
  /** The configured model. Throws `EmbedderError` of reason `unknown` when the settings name none that exists. */
  selected(): SelectedModel;
  /** The given pair when both are there, else the configured one. Throws like `selected`. */
  choose(provider: string | null | undefined, model: string | null | undefined): EmbeddingChoice;
  /** Throws `EmbedderError` of reason `missing_key` when it cannot be asked. */
  open(choice: EmbeddingChoice): Embedder;
  /** The recipe of the embedder that `open` gives, also where it cannot be asked. */
  recipe(choice: EmbeddingChoice): string;
  /** `<provider>/<model> (<N>d, local|cloud)`. */
  describe(choice: EmbeddingChoice): EmbeddingDescription;
  /** Every provider in its fixed order. Never a key. */
  providers(): readonly EmbeddingProviderRow[];
  /** What Ollama has on this machine, now. */
  installed(): Promise<OllamaInstalled>;
}

export interface SelectedModel extends EmbeddingChoice {
  /** Only when somebody pointed the provider at another server than its own. */
  readonly base_url?: string;
}

export interface EmbeddingDescription {
  readonly text: string;
  readonly dimension: number | null;
  readonly isLocal: boolean;
  /** Why it cannot be asked at the moment, or null. */
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
  /** `missing_key` and `unknown` are the caller's or the settings' fault, the others the provider's. */
  readonly reason: 'missing_key' | 'unknown' | 'unreachable' | 'refused' | 'bad_output';

  constructor(reason: EmbedderError['reason'], message: string) {
    super(message);
    this.name = 'EmbedderError';
    this.reason = reason;
  }
}
