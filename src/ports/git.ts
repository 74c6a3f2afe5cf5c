/**
 * The reader of git for the delivery metrics: the repository around a path, the history behind all branches and tags,
 * and the authors of files.
 *
 * - Repositories are hostile input: reading one runs no program that it names.
 */

export interface GitPort {
  /**
   * The repository around an absolute path, with its history. Requests for the same repository share a read; later ones
   * get the cached history while the refs are unchanged. Throws `GitError`.
   */
  open(path: string): Promise<Repository>;
  /** Aborts reads. */
  close(): Promise<void>;
}

export interface Repository {
  /** The directory that holds `.git`; of a bare repository its own directory. */
  readonly root: string;
  /** The given directory, or the directory of the given file. */
  readonly directory: string;
  readonly isBare: boolean;
  readonly history: History;
  /** Those of the paths that exist relative to a directory; in a bare repository those in the tree of HEAD. */
  existing(paths: readonly string[], directory: string): Promise<ReadonlySet<string>>;
  /**
   * Counts the files that these commits touched, without merges. Commits are indexes into the history, oldest first.
   */
  touches(commits: readonly number[]): Promise<FileTouches>;
}

/** Bits of `History.traits`. */
export const MERGE = 1;
/** The subject announces a rollback or an emergency fix; see `isRemediation`. */
export const REMEDIATION = 2;
/** A line of the message's body begins with `Co-authored-by:`. */
export const CO_AUTHORED = 4;
/** The oldest commit of a shallow clone; its changes are not known. */
export const BOUNDARY = 8;

/**
 * All commits behind HEAD, branches and tags as columns: element i of each describes commit i. Times are Unix seconds
 * as written in the commit; they may run backwards.
 */
export interface History {
  readonly count: number;
  /** Author time. */
  readonly authored: Float64Array;
  /** Committer time. */
  readonly committed: Float64Array;
  /** Index in `authors`. */
  readonly author: Int32Array;
  readonly traits: Uint8Array;
  /** Commit i has the parents `parents[parentStart[i]]` up to, not including, `parents[parentStart[i + 1]]`. */
  readonly parentStart: Int32Array;
  readonly parents: Int32Array;
  /** Distinct author names. */
  readonly authors: readonly string[];
  /** Subjects of merge commits only. */
  readonly mergeSubjects: ReadonlyMap<number, string>;
  /** The commit of HEAD; -1 when it has none yet. */
  readonly head: number;
  /** Commits of branches by full ref name. */
  readonly branches: ReadonlyMap<string, number>;
  /** Tags of commits, sorted by version. */
  readonly tags: readonly Tag[];
  /** Whether commits are missing: in a shallow clone, or beyond `HISTORY_COMMITS_MAX`. */
  readonly isShallow: boolean;
  readonly isCut: boolean;
  hash(commit: number): string;
}

export interface Tag {
  /** Without `refs/tags/`. */
  readonly name: string;
  readonly commit: number;
  /** Unix seconds: when an annotated tag was created, or the committer time of a plain tag's commit. */
  readonly at: number;
}

export interface FileTouches {
  /** Files touched; a file renamed without a change counts once. */
  readonly files: number;
  /** Files touched by more than one author. */
  readonly shared: number;
  /** More than `TOUCHED_PATHS_MAX` paths were touched; the counts cover the first ones. */
  readonly isCut: boolean;
}

/** Commits read at most, the newest ones. */
export const HISTORY_COMMITS_MAX = 1_000_000;
/** Distinct paths counted at most. */
export const TOUCHED_PATHS_MAX = 200_000;

export type GitFault =
  /** The path does not exist, no repository is around it, or git refuses to read that repository. */
  | 'bad_path'
  /** git is not installed. */
  | 'missing'
  | 'timed_out'
  /** Too many requests wait. */
  | 'busy'
  /** git failed on a repository that it opened. */
  | 'failed';

/** Git could not be read. The message is a sentence for the caller without paths or content of the repository. */
export class GitError extends Error {
  readonly fault: GitFault;

  constructor(fault: GitFault, message: string) {
    super(message);
    this.name = 'GitError';
    this.fault = fault;
  }
}
