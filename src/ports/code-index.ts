/** What Daybook needs of the index over a workspace's files: build it, list what is on disk, search it. */
import type { Embedder, EmbeddingChoice } from './embedder.ts';

/** Header of an index on disk, as `GET /index/status` shows it. */
export interface IndexHeader {
  readonly format_version: number;
  readonly model: EmbeddingChoice;
  /** As measured; null when the index holds no chunk. */
  readonly dimension: number | null;
  readonly chunk_count: number;
  readonly file_count: number;
  /** Unix seconds. */
  readonly built_at: number | null;
}

/** A file that is there and cannot be used. */
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
  /** Unix milliseconds; what the header will say. */
  readonly at: number;
  readonly progress: (progress: BuildProgress) => void;
}

export interface BuildProgress {
  /** `scanning`: the files are being found and cut; `embedding`: vectors are made; `writing`: nearly done. */
  readonly phase: 'scanning' | 'embedding' | 'writing';
  readonly files_done: number;
  readonly files_total: number;
  readonly chunks_done: number;
  readonly chunks_embedded: number;
}

/** Files that were seen and not taken, by reason. */
export type Skipped = Readonly<
  Record<'binary' | 'generated' | 'secret' | 'too_large' | 'unreadable' | 'over_limit', number>
>;

export interface BuildOutcome {
  readonly chunks: number;
  readonly files: number;
  readonly dimension: number | null;
  readonly path: string;
  /** Chunks whose vectors were made now, and those whose vectors were taken over. */
  readonly embedded: number;
  readonly reused: number;
  readonly skipped: Skipped;
  /** Sentences a person should read: why everything was embedded again, what was left out. */
  readonly notes: readonly string[];
}

export interface SearchRequest {
  readonly embedder: Embedder;
  readonly query: string;
  readonly k: number;
  readonly signal?: AbortSignal;
}

export interface SearchHit {
  /** From the workspace, with `/`. */
  readonly path: string;
  /** Counted from 1, both inclusive. */
  readonly start_line: number;
  readonly end_line: number;
  readonly language: string | null;
  readonly symbol: string | null;
  readonly text: string;
  readonly score: number;
  /** Cosine of query and chunk. */
  readonly vector_score: number;
  /** BM25 of the query's words, as a share of the best. */
  readonly lexical_score: number;
}

export interface CodeIndexPort {
  /** Folder of the workspace that is indexed. */
  readonly workspace: string;
  /** Reads the headers; cheap. */
  list(): Promise<IndexListing>;
  /** Also checks every byte of every index, once as long as its file stays the same. */
  verify(): Promise<IndexListing>;
  /** Throws `EmbedderError`, `IndexError`, or the signal's reason; what was there before stays. */
  build(request: BuildRequest): Promise<BuildOutcome>;
  /** Throws `IndexError`: `absent` or `unusable`; and `EmbedderError`. */
  search(request: SearchRequest): Promise<readonly SearchHit[]>;
  /** Ends builds and frees files. */
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
