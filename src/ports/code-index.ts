/** The search index over the files of a workspace: building, listing and searching. */
import { z } from 'zod';
import type { IndexOutcome } from '../events/code-index.ts';
import { type Embedder, type EmbeddingChoice, zEmbeddingChoice } from './embedder.ts';
import { PortError } from './port-error.ts';

/** Header of an index file. */
export const zIndexHeader = z.object({
  format_version: z.int().describe('Version of the format of the index file.'),
  model: zEmbeddingChoice.describe('The model of its vectors.'),
  dimension: z.int().nullable().describe('Numbers in a vector; null for an index without vectors.'),
  chunk_count: z.int(),
  file_count: z.int(),
  built_at: z.int().nullable().describe('Unix time in seconds.'),
});
z.globalRegistry.add(zIndexHeader, { id: 'IndexHeader' });
export interface IndexHeader extends Readonly<z.infer<typeof zIndexHeader>> {
  readonly model: EmbeddingChoice;
}

export const zUnusableIndex = z.object({
  path: z.string().describe('The file.'),
  reason: z.string().describe('Why it cannot be read.'),
});

export interface IndexListing {
  readonly available: readonly IndexHeader[];
  readonly unusable: readonly Readonly<z.infer<typeof zUnusableIndex>>[];
}

export interface BuildRequest {
  readonly choice: EmbeddingChoice;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Time of the build for the header, in Unix milliseconds. */
  readonly at: number;
  readonly progress: (progress: BuildProgress) => void;
}

export const zBuildProgress = z.object({
  phase: z.enum(['scanning', 'embedding', 'writing']).describe('What is done at this moment.'),
  files_done: z.int().nonnegative().describe('Files that are read.'),
  files_total: z.int().nonnegative().describe('Files to read.'),
  chunks_done: z.int().nonnegative().describe('Pieces of text that have their vector.'),
  chunks_embedded: z.int().nonnegative().describe('Of those, pieces that the model was asked for.'),
});
export type BuildProgress = Readonly<z.infer<typeof zBuildProgress>>;

/** Number of skipped files, by reason. */
export type Skipped = Readonly<
  Record<'binary' | 'generated' | 'secret' | 'too_large' | 'unreadable' | 'over_limit', number>
>;

export type BuildOutcome = IndexOutcome;

export interface SearchRequest {
  readonly embedder: Embedder;
  readonly query: string;
  readonly k: number;
  readonly signal?: AbortSignal;
}

export const zSearchHit = z.object({
  path: z.string().describe('File, relative to the workspace.'),
  start_line: z.int().describe('First line of the piece, from 1.'),
  end_line: z.int().describe('Last line of the piece, from 1.'),
  language: z.string().nullable().describe('Programming language of the file; null when it is not known.'),
  symbol: z.string().nullable().describe('Function, class or heading that the piece belongs to; null without one.'),
  text: z.string().describe('The piece.'),
  score: z.number(),
  vector_score: z.number().describe('Part of the score that comes of vectors.'),
  lexical_score: z.number().describe('Part of the score that comes of words.'),
});
z.globalRegistry.add(zSearchHit, { id: 'SearchHit' });
export type SearchHit = Readonly<z.infer<typeof zSearchHit>>;

export interface CodeIndexPort {
  /** Real path of the indexed folder. */
  readonly workspace: string;
  /** The indexes on disk, from their headers. */
  list(): Promise<IndexListing>;
  /** The same after a check of every byte; an unchanged file is checked once. */
  verify(): Promise<IndexListing>;
  /**
   * Builds an index and replaces the earlier one of the same model. Throws `EmbedderError`, `IndexError` or the
   * signal's reason; the earlier index stays then.
   */
  build(request: BuildRequest): Promise<BuildOutcome>;
  /** The `k` best chunks, best first. Throws `IndexError` with reason `absent` or `unusable`, and `EmbedderError`. */
  search(request: SearchRequest): Promise<readonly SearchHit[]>;
  /** Aborts builds and closes files. */
  close(): Promise<void>;
}

/** Why the index gives no answer: there is none, it cannot be used, or the work on it failed. */
export class IndexError extends PortError {
  override readonly name = 'IndexError';
  readonly reason: 'absent' | 'unusable' | 'failed';

  constructor(reason: IndexError['reason'], message: string) {
    super(reason === 'absent' ? 'not_found' : 'failed', message);
    this.reason = reason;
  }
}
