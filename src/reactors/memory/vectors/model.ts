/** The configured model for the vectors of memories. */
import { type Embedder, EmbedderError, type EmbeddersPort } from '../../../ports/embedder.ts';
import type { VectorIdentity } from '../../../ports/vector-files.ts';
import { TEXT_CHARACTERS_MAX } from './backlog.ts';

export type VectorModel =
  /** The built-in vectors, which need no background work. */
  | { readonly kind: 'built_in'; readonly provider: string; readonly model: string }
  | { readonly kind: 'misconfigured'; readonly provider: string | null; readonly model: string | null; error: string }
  | ProviderModel;

export interface ProviderModel {
  readonly kind: 'provider';
  readonly provider: string;
  readonly model: string;
  readonly embedder: Embedder;
  readonly identity: VectorIdentity;
}

export function configuredModel(embedders: EmbeddersPort): VectorModel {
  let [provider, model]: (string | null)[] = [null, null];
  try {
    const choice = embedders.selected();
    ({ provider, model } = choice);
    if (choice.provider === 'local') return { kind: 'built_in', provider: choice.provider, model: choice.model };
    const embedder = embedders.open(choice);
    const { recipe, dimensions = null } = embedder;
    const identity = { provider: choice.provider, model: choice.model, recipe: recipeOf(recipe, dimensions) };
    return { kind: 'provider', provider: choice.provider, model: choice.model, embedder, identity };
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return { kind: 'misconfigured', provider: provider ?? null, model: model ?? null, error: error.message };
  }
}

/** A changed text limit or a changed requested dimension gives other vectors. */
function recipeOf(recipe: string, dimensions: number | null): string {
  return JSON.stringify({ recipe, dimensions, characters: TEXT_CHARACTERS_MAX });
}
