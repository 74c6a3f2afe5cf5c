/** Which model makes the vectors of memories, as far as the settings can say. */
import { type Embedder, EmbedderError, type EmbeddersPort } from '../../../ports/embedder.ts';
import type { VectorIdentity } from '../../../ports/vector-files.ts';
import { TEXT_CHARACTERS_MAX } from './backlog.ts';

export type VectorModel =
  /** The built-in vectors do; they need no background. */
  | { readonly kind: 'built_in'; readonly provider: string; readonly model: string }
  | { readonly kind: 'misconfigured'; readonly provider: string | null; readonly model: string | null; error: string }
  | {
      readonly kind: 'provider';
      readonly provider: string;
      readonly model: string;
      readonly embedder: Embedder;
      readonly identity: VectorIdentity;
    };

export function modelOf(embedders: EmbeddersPort): VectorModel {
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

/** Vectors of whole texts and of cut ones are not the same; nor are those of another asked dimension. */
function recipeOf(recipe: string, dimensions: number | null): string {
  return JSON.stringify({ recipe, dimensions, characters: TEXT_CHARACTERS_MAX });
}
