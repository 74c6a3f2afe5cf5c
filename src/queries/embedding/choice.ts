/** Embedding models: the catalogue, the configured model, and the model of a request. */
import { type Embedder, EmbedderError, type EmbeddersPort, type EmbeddingChoice } from '../../ports/embedder.ts';

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

/** Throws `EmbedderError` for a model that does not exist, or whose key is not set. */
export function openEmbedder(
  embedders: EmbeddersPort,
  { provider, model }: ModelOverride,
): { readonly choice: EmbeddingChoice; readonly embedder: Embedder } {
  const choice = embedders.choose(provider, model);
  return { choice, embedder: embedders.open(choice) };
}

export function isSameModel(a: EmbeddingChoice, b: EmbeddingChoice): boolean {
  return a.provider === b.provider && a.model === b.model && a.dimensions === b.dimensions;
}
