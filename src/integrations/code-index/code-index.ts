/**
 * The index over one workspace: builds, one after the other; a listing of what is on disk; searches.
 *
 * - What builds and searches is loaded at the first use: a daemon that does neither pays nothing.
 * - The index that was searched last stays open. A build that replaces it closes it after the searches that use it.
 */
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type BuildRequest,
  type CodeIndexPort,
  IndexError,
  type IndexHeader,
  type IndexListing,
  type SearchRequest,
} from '../../ports/code-index.ts';
import {
  EMBEDDING_PROVIDERS,
  type EmbeddersPort,
  type EmbeddingChoice,
  type EmbeddingProvider,
} from '../../ports/embedder.ts';
import { DamagedIndex, FORMAT_VERSION, type Meta } from './format.ts';
import { fileOf, folderOf, recipeOf } from './places.ts';
import { type IndexReader, openIndex } from './reader.ts';
import type { ScanLimits } from './scan.ts';
import type { OpenIndex } from './search.ts';

export interface CodeIndexConfig {
  readonly workspace: string;
  readonly home: string;
  /** Keep the files only as long as the daemon runs. */
  readonly ephemeral: boolean;
  readonly limits?: ScanLimits;
}

/** What the program would embed with today, model by model. */
export type Recipes = Pick<EmbeddersPort, 'recipe'>;

interface Held {
  readonly path: string;
  /** What the file was when it was opened; another one in its place is another index. */
  readonly identity: string;
  readonly index: OpenIndex;
  users: number;
  isOld: boolean;
}

/** Where an ephemeral daemon’s index is before the first build. */
const NOWHERE = '/nonexistent/daybook-index';

/** Weight of the vectors in a score: a model’s know meanings, the built-in ones repeat the words. */
const VECTOR_SHARE = { model: 0.6, local: 0.3 } as const;

export function createCodeIndex(config: CodeIndexConfig, recipes: Recipes): CodeIndexPort {
  const workspace = realpathSync(config.workspace);
  const owner = { workspace, recipes };
  let temporary: string | null = null;
  let held: Held | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();
  let newest: { readonly stamp: number; readonly listing: Promise<IndexListing> } | null = null;
  /** What reading every byte of a file showed, as long as it is the same file. */
  const checked = new Map<string, { readonly identity: string; readonly fault: Error | null }>();
  /** Numbers in a vector that a search was given where its index has others, by path. */
  const answered = new Map<string, number>();

  function folder(): string {
    return folderOf(config.ephemeral ? (temporary ?? NOWHERE) : join(config.home, 'index'), workspace);
  }

  async function checkOnce(path: string, reader: IndexReader): Promise<void> {
    const identity = await identityOf(path);
    const before = checked.get(path);
    const fault = before?.identity === identity ? before.fault : await reader.verify().then(() => null, toError);
    checked.set(path, { identity, fault });
    if (fault !== null) throw fault;
  }

  async function listed(check: (path: string, reader: IndexReader) => Promise<void>): Promise<IndexListing> {
    const available: IndexHeader[] = [];
    const unusable: IndexListing['unusable'][number][] = [];
    const names = await indexFiles(folder()).catch((error: Error) => {
      unusable.push({ path: folder(), reason: error.message });
      return [];
    });
    for (const name of names) {
      const path = join(folder(), name);
      try {
        available.push(await headerOf(path, owner, check));
      } catch (error) {
        unusable.push({ path, reason: (error as Error).message });
      }
    }
    return { available, unusable };
  }

  /** The open index of a file, with one more user, who takes itself off again. */
  async function hold(path: string): Promise<Held> {
    const identity = await identityOf(path);
    if (held?.path === path && held.identity === identity) {
      held.users += 1;
      return held;
    }
    const reader = await openIndex(path);
    try {
      checkOwner(path, reader, owner);
      await checkOnce(path, reader);
      const { load } = await import('./search.ts');
      const index = await load(reader);
      await retire(held);
      held = { path, identity, index, users: 1, isOld: false };
      return held;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async function retire(old: Held | null): Promise<void> {
    if (old === null) return;
    old.isOld = true;
    if (held === old) held = null;
    if (old.users === 0) await old.index.reader.close();
  }

  async function search({ embedder, query, k, signal }: SearchRequest) {
    const path = join(folder(), fileOf(embedder));
    const using = await hold(path);
    try {
      const { header } = using.index.reader;
      const [vector] = await embedder.embed([query], { kind: 'query', ...(signal && { signal }) });
      if (header.chunks > 0 && vector!.length !== header.dimension) {
        answered.set(path, vector!.length);
        throw new DamagedIndex(`the model answers with ${vector!.length} numbers and did with ${header.dimension}`);
      }
      const vectorShare = embedder.provider === 'local' ? VECTOR_SHARE.local : VECTOR_SHARE.model;
      const { searchIndex } = await import('./search.ts');
      return await searchIndex(using.index, { text: query, vector: vector!, k, vectorShare });
    } finally {
      using.users -= 1;
      if (using.isOld && using.users === 0) await using.index.reader.close();
    }
  }

  return {
    workspace,
    list() {
      // Whatever is written, renamed or deleted here changes the folder; `/health` is asked often and must be cheap.
      const stamp = statSync(folder(), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (newest?.stamp !== stamp) newest = { stamp, listing: listed(async () => undefined) };
      return newest.listing;
    },
    async verify() {
      newest = null;
      return listed(checkOnce);
    },
    build(request: BuildRequest) {
      const signal = AbortSignal.any([request.signal, closing.signal]);
      if (config.ephemeral) temporary ??= mkdtempSync(join(tmpdir(), 'daybook-index-'));
      const path = join(folder(), fileOf(request.choice));
      const place = { workspace, home: realpathSync(config.home), path };
      const limits = config.limits === undefined ? {} : { limits: config.limits };
      const built = turn.then(async () => {
        const { buildIndex } = await import('./build.ts');
        const dimension = answered.get(path) ?? null;
        const outcome = await buildIndex({ ...request, signal }, { ...place, ...limits, dimension });
        answered.delete(path);
        return outcome;
      });
      turn = built.catch(() => undefined);
      return built;
    },
    async search(request) {
      try {
        return await search(request);
      } catch (error) {
        throw searchFailure(error, request.embedder);
      }
    },
    async close() {
      closing.abort(new Error('The daemon was stopped.'));
      await turn;
      await retire(held);
      if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

function searchFailure(error: unknown, { provider, model }: EmbeddingChoice): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    return new IndexError(
      'absent',
      `There is no index of ${provider}/${model} yet; POST /index/build or daybook index build makes one.`,
    );
  }
  if (!(error instanceof DamagedIndex)) return error;
  return new IndexError('unusable', `The index of ${provider}/${model} cannot be used: ${error.message}.`);
}

async function indexFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.idx')).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

interface Owner {
  readonly workspace: string;
  readonly recipes: Recipes;
}

/** A file that was copied here or renamed by hand, or whose vectors this program would make otherwise. */
function checkOwner(path: string, { meta }: IndexReader, { workspace, recipes }: Owner): void {
  const choice = choiceOf(meta);
  if (meta.workspace !== workspace) throw new DamagedIndex('it was made of another workspace');
  if (fileOf(choice) !== basename(path)) throw new DamagedIndex('it was made with another model');
  const isKnown = EMBEDDING_PROVIDERS.includes(choice.provider);
  if (isKnown && meta.recipe === recipeOf({ recipe: recipes.recipe(choice) })) return;
  throw new DamagedIndex('it was made by another version of the program');
}

function choiceOf({ provider, model, dimensions }: Meta): EmbeddingChoice {
  return { provider: provider as EmbeddingProvider, model, ...(dimensions !== null && { dimensions }) };
}

async function headerOf(
  path: string,
  owner: Owner,
  check: (path: string, reader: IndexReader) => Promise<void>,
): Promise<IndexHeader> {
  const reader = await openIndex(path);
  try {
    checkOwner(path, reader, owner);
    await check(path, reader);
    const { header, meta } = reader;
    return {
      format_version: FORMAT_VERSION,
      model: choiceOf(meta),
      dimension: header.chunks === 0 ? null : header.dimension,
      chunk_count: header.chunks,
      file_count: header.files,
      built_at: Math.floor(header.builtAt / 1000),
    };
  } finally {
    await reader.close();
  }
}

async function identityOf(path: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
