/** The `embedding` block of `GET /health`: the configured model and its index on disk. Never a key. */
import type { CodeIndexPort } from '../../ports/code-index.ts';
import { EmbedderError, type EmbeddersPort, type EmbeddingChoice } from '../../ports/embedder.ts';
import { isSameModel } from './choice.ts';

export async function embeddingHealth(embedders: EmbeddersPort, codeIndex: CodeIndexPort) {
  try {
    const { provider, model, dimensions } = embedders.selected();
    const selected: EmbeddingChoice = { provider, model, ...(dimensions !== undefined && { dimensions }) };
    const about = embedders.describe(selected);
    const { available } = await codeIndex.list();
    const current = available.find((each) => isSameModel(each.model, selected));
    return {
      status: current === undefined ? 'not_indexed' : 'indexed',
      provider,
      model,
      dimensions: current?.dimension ?? about.dimension,
      local: about.isLocal,
      description: about.text,
      chunks: current?.chunk_count ?? null,
      files: current?.file_count ?? null,
      other_indexes: available.filter((each) => each !== current).map((each) => nameOf(each.model)),
    } as const;
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return { status: 'misconfigured', error: error.message } as const;
  }
}

function nameOf({ provider, model, dimensions }: EmbeddingChoice): string {
  return `${provider}/${model}${dimensions === undefined ? '' : ` (${dimensions}d)`}`;
}
