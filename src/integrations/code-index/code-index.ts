/**
 * The code indexes of one workspace: builds, one at a time; a listing of the indexes on disk; searches.
 *
 * - The code for building and searching is loaded at its first use.
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mutex } from '../../lib/keyed-mutex.ts';
import {
  type BuildOutcome,
  type BuildRequest,
  type CodeIndexPort,
  IndexError,
  type IndexHeader,
  type IndexListing,
  type SearchHit,
  type SearchRequest,
} from '../../ports/code-index.ts';
import { type EmbeddingChoice, recordedChoice } from '../../ports/embedder.ts';
import { DamagedIndex, FORMAT_VERSION } from './format.ts';
import {
  checkOwner,
  createOpenIndexes,
  createVerifier,
  type IndexOwner,
  identityIn,
  indexFileName,
  indexFolder,
  type Recipes,
} from './open-index.ts';
import { type IndexReader, openIndex } from './reader.ts';

export interface CodeIndexConfig {
  readonly workspace: string;
  readonly home: string;
  /** Delete the files when the daemon stops. */
  readonly ephemeral: boolean;
}

/** Folder of an ephemeral daemon's indexes before the first build. */
const NOWHERE = '/nonexistent/daybook-index';

/**
 * Share of the cosine in a score. Vectors of a model capture meaning; the built-in ones only hash the words, which BM25
 * already scores.
 */
const VECTOR_SHARE = { model: 0.6, local: 0.3 } as const;

/** `config.workspace` and `config.home` must exist. */
export function createCodeIndex(config: CodeIndexConfig, recipes: Recipes): CodeIndexPort {
  return new CodeIndex(config, recipes);
}

class CodeIndex implements CodeIndexPort {
  readonly workspace: string;
  readonly #config: CodeIndexConfig;
  readonly #owner: IndexOwner;
  readonly #verifier = createVerifier();
  readonly #indexes;
  readonly #builds = new Mutex();
  readonly #closing = new AbortController();
  #temporary: string | null = null;
  /** The last listing and the state of the files that it describes. */
  #newest: { readonly state: string; readonly listing: Promise<IndexListing> } | null = null;
  /** Dimension of a model's answers, by path of the index, where the index has another dimension. */
  readonly #newDimensions = new Map<string, number>();

  constructor(config: CodeIndexConfig, recipes: Recipes) {
    this.#config = config;
    this.workspace = realpathSync(config.workspace);
    this.#owner = { workspace: this.workspace, recipes };
    this.#indexes = createOpenIndexes(this.#owner, this.#verifier);
  }

  list(): Promise<IndexListing> {
    // `/health` lists often.
    const state = stateOf(this.#folder());
    if (this.#newest?.state !== state) this.#newest = { state, listing: this.#listing(async () => undefined) };
    return this.#newest.listing;
  }

  async verify(): Promise<IndexListing> {
    this.#newest = null;
    return this.#listing(this.#verifier.check);
  }

  build(request: BuildRequest): Promise<BuildOutcome> {
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    if (this.#config.ephemeral) this.#temporary ??= mkdtempSync(join(tmpdir(), 'daybook-index-'));
    const path = join(this.#folder(), indexFileName(request.choice));
    const home = realpathSync(this.#config.home);
    return this.#builds.run(async () => {
      const { buildIndex } = await import('./build.ts');
      const dimension = this.#newDimensions.get(path) ?? null;
      const place = { workspace: this.workspace, home, path, dimension };
      const outcome = await buildIndex({ ...request, signal }, place);
      this.#newDimensions.delete(path);
      return outcome;
    });
  }

  async search(request: SearchRequest): Promise<readonly SearchHit[]> {
    const path = join(this.#folder(), indexFileName(request.embedder));
    try {
      return await this.#search(path, request);
    } catch (error) {
      throw searchFailure(error, request.embedder);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The daemon was stopped.'));
    await this.#builds.idle();
    await this.#indexes.close();
    if (this.#temporary !== null) rmSync(this.#temporary, { recursive: true, force: true });
  }

  #folder(): string {
    const root = this.#config.ephemeral ? (this.#temporary ?? NOWHERE) : join(this.#config.home, 'index');
    return indexFolder(root, this.workspace);
  }

  #search(path: string, { embedder, query, k, signal }: SearchRequest): Promise<readonly SearchHit[]> {
    return this.#indexes.use(path, async (index) => {
      const { header } = index.reader;
      const [vector] = await embedder.embed([query], { kind: 'query', ...(signal && { signal }) });
      if (header.chunks > 0 && vector!.length !== header.dimension) {
        this.#newDimensions.set(path, vector!.length);
        throw new DamagedIndex(`the model answers with ${vector!.length} numbers and did with ${header.dimension}`);
      }
      const vectorShare = embedder.provider === 'local' ? VECTOR_SHARE.local : VECTOR_SHARE.model;
      const { searchIndex } = await import('./search.ts');
      return searchIndex(index, { text: query, vector: vector!, k, vectorShare });
    });
  }

  async #listing(check: Check): Promise<IndexListing> {
    const folder = this.#folder();
    const available: IndexHeader[] = [];
    const unusable: IndexListing['unusable'][number][] = [];
    const names = await indexFiles(folder).catch((error: Error) => {
      unusable.push({ path: folder, reason: error.message });
      return [];
    });
    for (const name of names) {
      const path = join(folder, name);
      try {
        available.push(await headerOf(path, this.#owner, check));
      } catch (error) {
        unusable.push({ path, reason: (error as Error).message });
      }
    }
    return { available, unusable };
  }
}

/** Changes with every write, rename and deletion of an index, and with the rights to read it. */
function stateOf(folder: string): string {
  try {
    return readdirSync(folder)
      .filter(isIndexFile)
      .map((name) => [name, identityIn(statSync(join(folder, name)))].join())
      .join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

function isIndexFile(name: string): boolean {
  return name.endsWith('.idx');
}

type Check = (path: string, reader: IndexReader) => Promise<void>;

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
    return (await readdir(folder)).filter(isIndexFile).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function headerOf(path: string, owner: IndexOwner, check: Check): Promise<IndexHeader> {
  const reader = await openIndex(path);
  try {
    checkOwner(path, reader, owner);
    await check(path, reader);
    const { header, meta } = reader;
    return {
      format_version: FORMAT_VERSION,
      model: recordedChoice(meta),
      dimension: header.chunks === 0 ? null : header.dimension,
      chunk_count: header.chunks,
      file_count: header.files,
      built_at: Math.floor(header.builtAt / 1000),
    };
  } finally {
    await reader.close();
  }
}
