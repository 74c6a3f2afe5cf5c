/** Embedding models: the catalogue, the configured model, and the model of a request. */
import { refused } from '../../commands/refusal.ts';
import {
  type Embedder,
  EmbedderError,
  type EmbeddersPort,
  type EmbeddingChoice,
  type SelectedModel,
} from '../../ports/embedder.ts';

/** Every provider with its models, the configured model, and the models installed in Ollama. */
export async function embeddingModels(embedders: EmbeddersPort) {
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

/** Both fields together select a model; otherwise the configured model is used. */
export interface ModelOverride {
  readonly provider?: string | null | undefined;
  readonly model?: string | null | undefined;
}

export function chosenModel(embedders: EmbeddersPort, { provider, model }: ModelOverride): EmbeddingChoice {
  return orRefuse(() => embedders.choose(provider, model));
}

export function openEmbedder(
  embedders: EmbeddersPort,
  override: ModelOverride,
): { readonly choice: EmbeddingChoice; readonly embedder: Embedder } {
  const choice = chosenModel(embedders, override);
  return { choice, embedder: orRefuse(() => embedders.open(choice)) };
}

export function selectedModel(embedders: EmbeddersPort): SelectedModel {
  return orRefuse(() => embedders.selected());
}

export function isSameModel(a: EmbeddingChoice, b: EmbeddingChoice): boolean {
  return a.provider === b.provider && a.model === b.model && a.dimensions === b.dimensions;
}

/** An `EmbedderError` as a refusal: `invalid` for a fault of the request or the settings, else `failed`. */
export function embedderRefusal(error: unknown): unknown {
  if (!(error instanceof EmbedderError)) return error;
  const isInvalid = error.reason === 'missing_key' || error.reason === 'unknown';
  return refused(isInvalid ? 'invalid' : 'failed', error.message);
}

function orRefuse<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw embedderRefusal(error);
  }
}
