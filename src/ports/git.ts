/**
 * What the delivery metrics need of git: where a path lies, the history behind all branches and tags, who touched which
 * file. A repository is hostile input: reading it runs nothing that it names.
 */

export interface GitPort {
  /**
   * The repository around an absolute path, with its history. Reads it once per state of its refs: requests for the
   * same repository join the reading under way, later ones get what was kept. Throws `GitError`.
   */
  open(path: string): Promise<Repository>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

export interface Repository {
  /** The directory that holds `.git`; of a bare repository its own directory. */
  readonly root: string;
  /** The directory that was asked for; of a file the one it is in. */
  readonly directory: string;
  readonly isBare: boolean;
  readonly history: History;
  /** Which of these paths exist, relative to a directory of it; in a bare repository in the tree of HEAD. */
  existing(paths: readonly string[], directory: string): Promise<ReadonlySet<string>>;
  /** Who touched which file in these commits, merges left out. Commits are indexes, oldest first. */
  touches(commits: readonly number[]): Promise<FileTouches>;
}

/** Bits of `History.traits`. */
export const MERGE = 1;
/** The subject says that something that had shipped was taken back; see `isRemediation`. */
export const REMEDIATION = 2;
/** A line of the message's body begins with `Co-authored-by:`. */
export const CO_AUTHORED = 4;
/** The first commit that a shallow clone has; who changed what in it is not known. */
export const BOUNDARY = 8;

/**
 * All commits behind HEAD, branches and tags, as columns: commit `i` is described by the i-th element of each. Times
 * are Unix seconds as the commit says them; they may run backwards.
 */
export interface History {
  readonly count: number;
  /** When it was written. */
  readonly authored: Float64Array;
  /** When it got its place in this history. */
  readonly committed: Float64Array;
  /** Index in `authors`. */
  readonly author: Int32Array;
  readonly traits: Uint8Array;
  /** The parents of `i` are `parents[parentStart[i]]` up to `parents[parentStart[i + 1] - 1]`. */
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
  /** Tags that lead to a commit, in order of version names. */
  readonly tags: readonly Tag[];
  /** Not everything is here: a shallow clone, or more commits than are read. */
  readonly isShallow: boolean;
  readonly isCut: boolean;
  hash(commit: number): string;
}

export interface Tag {
  /** Without `refs/tags/`. */
  readonly name: string;
  readonly commit: number;
  /** Of an annotated tag when it was made, of a plain one the committer time of its commit; Unix seconds. */
  readonly at: number;
}

export interface FileTouches {
  /** Files touched; one that was renamed without a change counts as one file. */
  readonly files: number;
  /** Files touched by more than one author. */
  readonly shared: number;
  /** More paths than are kept in mind were touched; the numbers describe the first ones. */
  readonly isCut: boolean;
}

/** More commits than these are not read; the newest are. */
export const HISTORY_COMMITS_MAX = 1_000_000;
/** Distinct paths kept in mind when files are counted. */
export const TOUCHED_PATHS_MAX = 200_000;

export type GitFault =
  /** The path is wrong: nothing there, no repository around it, or one that git refuses to read. */
  | 'bad_path'
  /** There is no git program. */
  | 'missing'
  | 'timed_out'
  /** Too many measurements wait already. */
  | 'busy'
  /** git failed on a repository that it opened. */
  | 'failed';

/** The message is a sentence for the caller; it holds no path and nothing of the repository. */
export class GitError extends Error {
  readonly fault: GitFault;

  constructor(fault: GitFault, message: string) {
    super(message);
    this.name = 'GitError';
    this.fault = fault;
  }
}
