/** The search index over the files of a workspace: building, listing and searching. */
import type { Embedder, EmbeddingChoice } from './embedder.ts';

/** Header of an index file, as `GET /index/status` shows it. */
export interface IndexHeader {
  readonly format_version: number;
  readonly model: EmbeddingChoice;
  /** Numbers in a vector; null when the index has no chunk. */
  readonly dimension: number | null;
  readonly chunk_count: number;
  readonly file_count: number;
  /** Unix seconds. */
  readonly built_at: number | null;
}

/** An index file that cannot be used, and why. */
export interface UnusableIndex {
  readonly path: string;
  readonly reason: string;
}

export interface IndexListing {
  readonly available: readonly IndexHeader[];
  readonly unusable: readonly UnusableIndex[];
}

export interface BuildRequest {
  readonly choice: EmbeddingChoice;
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** Time of the build for the header, in Unix milliseconds. */
  readonly at: number;
  readonly progress: (progress: BuildProgress) => void;
}

export interface BuildProgress {
  /** `scanning`: files are listed and split; `embedding`: vectors are requested; `writing`: the file is completed. */
  readonly phase: 'scanning' | 'embedding' | 'writing';
  readonly files_done: number;
  readonly files_total: number;
  readonly chunks_done: number;
  readonly chunks_embedded: number;
}

/** Number of skipped files, by reason. */
export type Skipped = Readonly<
  Record<'binary' | 'generated' | 'secret' | 'too_large' | 'unreadable' | 'over_limit', number>
>;

export interface BuildOutcome {
  readonly chunks: number;
  readonly files: number;
  readonly dimension: number | null;
  readonly path: string;
  /** Chunks that were embedded by this build, and chunks whose vectors come from an earlier index. */
  readonly embedded: number;
  readonly reused: number;
  readonly skipped: Skipped;
  /** Sentences for a person: why everything is embedded again, which files are left out. */
  readonly notes: readonly string[];
}

export interface SearchRequest {
  readonly embedder: Embedder;
  readonly query: string;
  readonly k: number;
  readonly signal?: AbortSignal;
}

export interface SearchHit {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** Counted from 1; both ends are included. */
  readonly start_line: number;
  readonly end_line: number;
  readonly language: string | null;
  readonly symbol: string | null;
  readonly text: string;
  readonly score: number;
  /** Cosine of query and chunk. */
  readonly vector_score: number;
  /** BM25 of the query's words, relative to the best chunk. */
  readonly lexical_score: number;
}

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

export class IndexError extends Error {
  readonly reason: 'absent' | 'unusable' | 'failed';

  constructor(reason: IndexError['reason'], message: string) {
    super(message);
    this.name = 'IndexError';
    this.reason = reason;
  }
}
