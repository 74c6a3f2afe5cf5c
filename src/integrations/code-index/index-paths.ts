/** Paths of index files, and the recipe that decides whether a file is current. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Embedder, EmbeddingChoice } from '../../ports/embedder.ts';
import { CHUNKER_VERSION } from '../chunker/pieces.ts';

const NAME_CHARACTERS_MAX = 80;

export function indexFolder(root: string, workspace: string): string {
  return join(root, hash('sha256', workspace).slice(0, 16));
}

/** File name of a model's index. The digest distinguishes names that are equal after replacing characters. */
export function indexFileName({ provider, model, dimensions }: EmbeddingChoice): string {
  const plain = model.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_CHARACTERS_MAX);
  const digest = hash('sha256', JSON.stringify([provider, model, dimensions ?? null])).slice(0, 8);
  return `${provider}--${plain}--${digest}.idx`;
}

/** Identifies everything besides a text that determines its chunks and vectors. */
export function indexRecipe({ recipe }: Pick<Embedder, 'recipe'>): string {
  return `chunker:${CHUNKER_VERSION} ${recipe}`;
}
