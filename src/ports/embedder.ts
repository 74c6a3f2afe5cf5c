/** What recall and the code index need of an embedding model: texts in, one vector each out, all of one dimension. */

export interface Embedder {
  /** `local`, `ollama`, `openai`, `voyage`, `cohere` or `gemini`. */
  readonly provider: string;
  readonly model: string;
  /**
   * One vector of length 1 per text, in order. `document` and `query` get the prefixes their model was trained with.
   * Throws an `EmbedderError` when the provider cannot be reached, refuses, or answers another number or dimension.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  readonly kind: 'document' | 'query';
  readonly signal?: AbortSignal;
}

export class EmbedderError extends Error {
  /** What the caller can do about it decides the status: `missing_key` and `unknown` 400, the others 502 or 503. */
  readonly reason: 'missing_key' | 'unknown' | 'unreachable' | 'refused' | 'bad_output';

  constructor(reason: EmbedderError['reason'], message: string) {
    super(message);
    this.name = 'EmbedderError';
    this.reason = reason;
  }
}
