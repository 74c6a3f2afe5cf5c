/**
 * Opens index files: checks the workspace of a file, verifies every byte of an unchanged file once, and keeps the most
 * recently searched index open.
 *
 * - A build may replace a file that searches use. The old file is closed after its last search.
 */

import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Mutex } from '../../lib/keyed-mutex.ts';
import {
  EMBEDDING_PROVIDERS,
  type Embedder,
  type EmbeddersPort,
  type EmbeddingChoice,
  recordedChoice,
} from '../../ports/embedder.ts';
import { CHUNKER_VERSION } from '../chunker/pieces.ts';
import { DamagedIndex } from './format.ts';
import { type IndexReader, openIndex } from './reader.ts';
import type { OpenIndex } from './search.ts';

/** How this program would embed with a model. */
export type Recipes = Pick<EmbeddersPort, 'recipe'>;

/** Identifies usable indexes: of this workspace, with the vectors that this program would compute. */
export interface IndexOwner {
  readonly workspace: string;
  readonly recipes: Recipes;
}

export interface IndexVerifier {
  /** Checks every byte of a file, or returns the cached result. Throws the fault that the check finds. */
  check(path: string, reader: IndexReader): Promise<void>;
}

export function createVerifier(): IndexVerifier {
  const checked = new Map<string, { readonly identity: string; readonly fault: Error | null }>();
  return {
    async check(path, reader) {
      const identity = await identityOf(path);
      const before = checked.get(path);
      const fault =
        before?.identity === identity
          ? before.fault
          : await reader.verify().then(
              () => null,
              (error: Error) => error,
            );
      checked.set(path, { identity, fault });
      if (fault !== null) throw fault;
    },
  };
}

/** An open index with the number of searches that use it. */
interface Lease {
  readonly path: string;
  readonly identity: string;
  readonly index: OpenIndex;
  users: number;
  isReplaced: boolean;
}

export interface OpenIndexes {
  /** Calls `work` with the index of a file, which stays open meanwhile. Throws `DamagedIndex` and ENOENT. */
  use<Result>(path: string, work: (index: OpenIndex) => Promise<Result>): Promise<Result>;
  /** Closes the open index after its last search. */
  close(): Promise<void>;
}

export function createOpenIndexes(owner: IndexOwner, verifier: IndexVerifier): OpenIndexes {
  let newest: Lease | null = null;
  // Searches that begin at the same time share one open file.
  const acquiring = new Mutex();

  async function acquire(path: string): Promise<Lease> {
    const identity = await identityOf(path);
    if (newest?.path === path && newest.identity === identity) {
      newest.users += 1;
      return newest;
    }
    const reader = await openIndex(path);
    try {
      checkOwner(path, reader, owner);
      await verifier.check(path, reader);
      const { load } = await import('./search.ts');
      const index = await load(reader);
      await retire(newest);
      newest = { path, identity, index, users: 1, isReplaced: false };
      return newest;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async function retire(lease: Lease | null): Promise<void> {
    if (lease === null) return;
    lease.isReplaced = true;
    if (newest === lease) newest = null;
    if (lease.users === 0) await lease.index.reader.close();
  }

  return {
    async use(path, work) {
      const lease = await acquiring.run(() => acquire(path));
      try {
        return await work(lease.index);
      } finally {
        lease.users -= 1;
        if (lease.isReplaced && lease.users === 0) await lease.index.reader.close();
      }
    },
    close: () => acquiring.run(() => retire(newest)),
  };
}

/** Throws `DamagedIndex` for a copied or renamed file, or when this program would compute other vectors. */
export function checkOwner(path: string, { meta }: IndexReader, { workspace, recipes }: IndexOwner): void {
  const choice = recordedChoice(meta);
  if (meta.workspace !== workspace) throw new DamagedIndex('it was made of another workspace');
  if (indexFileName(choice) !== basename(path)) throw new DamagedIndex('it was made with another model');
  const isKnown = EMBEDDING_PROVIDERS.includes(choice.provider);
  if (isKnown && meta.recipe === indexRecipe({ recipe: recipes.recipe(choice) })) return;
  throw new DamagedIndex('it was made by another version of the program');
}

async function identityOf(path: string): Promise<string> {
  return identityIn(await stat(path));
}

/** Changes when the file is replaced or modified. */
export function identityIn({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

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
