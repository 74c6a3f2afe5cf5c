/** Where the index of a model is, and what decides whether it still fits. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Embedder, EmbeddingChoice } from '../../ports/embedder.ts';
import { CHUNKER_VERSION } from '../chunker/pieces.ts';

const NAME_CHARACTERS_MAX = 80;

export function indexFolder(root: string, workspace: string): string {
  return join(root, sha256(workspace).slice(0, 16));
}

/** A model’s name may hold anything; the digest keeps names apart that look alike afterwards. */
export function indexFileName({ provider, model, dimensions }: EmbeddingChoice): string {
  const plain = model.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_CHARACTERS_MAX);
  const digest = sha256(JSON.stringify([provider, model, dimensions ?? null])).slice(0, 8);
  return `${provider}--${plain}--${digest}.idx`;
}

/** Everything beside a text that decides what its vector is. */
export function indexRecipe({ recipe }: Pick<Embedder, 'recipe'>): string {
  return `chunker:${CHUNKER_VERSION} ${recipe}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
