/** Check of the embedding model: is it one that exists, has it its key, is it pulled. */
import type { Config } from '../../config.ts';
import { createEmbedders } from '../../integrations/embedders/embedders.ts';
import { EmbedderError, type EmbeddersPort, type EmbeddingChoice } from '../../ports/embedder.ts';
import { localVector } from '../../projections/recall/vector.ts';
import { type Finding, finding } from './finding.ts';

const NAME = 'embeddings';

export async function embeddingFinding(env: NodeJS.ProcessEnv, config: Config | Error): Promise<readonly Finding[]> {
  if (config instanceof Error) return [];
  const { embedding_provider: provider, embedding_model: model, embedding_dimensions: dimensions } = config;
  const embedders = createEmbedders({ env, provider, model, dimensions, localVector });
  try {
    return [await selectedFinding(embedders, embedders.selected())];
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error;
    return [finding(NAME, 'warning', error.message, 'set DAYBOOK_EMBEDDING_PROVIDER and DAYBOOK_EMBEDDING_MODEL')];
  }
}

async function selectedFinding(embedders: EmbeddersPort, selected: EmbeddingChoice): Promise<Finding> {
  const { text, missing } = embedders.describe(selected);
  if (missing !== null) return finding(NAME, 'warning', `${text}: ${missing}`, 'set the key, or choose local');
  if (selected.provider !== 'ollama') return finding(NAME, 'ok', text);
  const installed = await embedders.installed();
  if (installed.status === 'unreachable') {
    return finding(NAME, 'warning', `${text}: Ollama is not reachable: ${installed.error}`, 'ollama serve');
  }
  const { model } = selected;
  const isPulled = installed.models.some((each) => each === model || each === `${model}:latest`);
  return isPulled
    ? finding(NAME, 'ok', text)
    : finding(NAME, 'warning', `${text} is not pulled`, `ollama pull ${model}`);
}
