/**
 * Reads all commits behind HEAD, branches and tags in one pass, as columns.
 *
 * - Fields end in NUL, which names and messages cannot contain, so a commit cannot forge another.
 * - Author names are distinguished by their bytes, even if those are not UTF-8.
 */
import { ownTurn } from '../../lib/slices.ts';
import {
  BOUNDARY,
  CO_AUTHORED,
  type FileTouches,
  GitError,
  HISTORY_COMMITS_MAX,
  type History,
  MERGE,
  REMEDIATION,
  type Tag,
  TOUCHED_PATHS_MAX,
} from '../../ports/git.ts';
import { createFieldReader } from './fields.ts';
import type { LocatedRepository } from './locate.ts';
import { type GitRunner, tooOld } from './process.ts';
import type { Refs } from './refs.ts';

/** Exit code of git for an option that it does not know. */
const USAGE_CODE = 129;
const FIELDS = ['%H', '%P', '%at', '%ct', '%an', '%s', '%b'];
const FORMAT = `--format=${FIELDS.map((field) => `${field}%x00`).join('')}`;
/** The last second of the year 9999. Later times are lowered to it, so that they are valid dates. */
const SECONDS_MAX = 253_402_300_799;
/** Length limit of author names and merge subjects: there may be a million of them. */
const TEXT_BYTES_MAX = 1_024;
const COMMITS_PER_TURN = 10_000;
const CO_AUTHOR = /^co-authored-by:/im;

export interface HistoryRequest {
  readonly place: LocatedRepository;
  readonly refs: Refs;
  /** The oldest commits of a shallow clone. */
  readonly boundary: ReadonlySet<string>;
}

export async function readHistory(runner: GitRunner, { place, refs, boundary }: HistoryRequest): Promise<History> {
  const tips = new Set([...(refs.head === null ? [] : [refs.head]), ...refs.branches.map(([, commit]) => commit)]);
  for (const { commit } of refs.tags) tips.add(commit);
  const columns = createColumns(boundary);
  if (tips.size > 0) {
    const fields = createFieldReader(FIELDS.length, columns.add);
    const { code } = await runner.run({
      args: ['rev-list', '--stdin', '--no-commit-header', `--max-count=${HISTORY_COMMITS_MAX + 1}`, FORMAT],
      cwd: place.gitDir,
      env: place.env,
      input: `${[...tips].join('\n')}\n`,
      output: fields.push,
    });
    if (code === USAGE_CODE) throw tooOld();
    if (code !== 0) throw new GitError('bad_path', 'git could not read the history: objects are missing or damaged.');
  }
  return historyOf(columns, refs, place.isShallow);
}

interface Columns {
  /** Index of each commit by its hash, in the order of reading. */
  readonly index: Map<string, number>;
  readonly authors: string[];
  readonly authored: number[];
  readonly committed: number[];
  readonly author: number[];
  readonly traits: number[];
  /** Parents of each commit, separated by spaces. */
  readonly parentHashes: string[];
  readonly mergeSubjects: Map<number, string>;
  isCut: boolean;
  readonly add: (fields: readonly Buffer[]) => void;
}

function createColumns(boundary: ReadonlySet<string>): Columns {
  const authorIndex = new Map<string, number>();
  const nameIndex = (name: Buffer): number => {
    const bytes = name.toString('latin1');
    const known = authorIndex.get(bytes);
    if (known !== undefined) return known;
    authorIndex.set(bytes, columns.authors.length);
    return columns.authors.push(name.toString('utf8')) - 1;
  };
  const columns: Columns = {
    index: new Map(),
    authors: [],
    authored: [],
    committed: [],
    author: [],
    traits: [],
    parentHashes: [],
    mergeSubjects: new Map(),
    isCut: false,
    add([hash, parents, at, ct, name, subject, body]) {
      const commit = columns.index.size;
      columns.isCut ||= commit >= HISTORY_COMMITS_MAX;
      if (columns.isCut) return;
      // git ends a record with a line break.
      const hex = hash!.toString('latin1').trim();
      const above = parents!.toString('latin1');
      const isMerge = above.includes(' ');
      columns.index.set(hex, commit);
      columns.parentHashes.push(above);
      columns.authored.push(seconds(at!));
      columns.committed.push(seconds(ct!));
      columns.author.push(nameIndex(name!.subarray(0, TEXT_BYTES_MAX)));
      if (isMerge) columns.mergeSubjects.set(commit, subject!.toString('utf8', 0, TEXT_BYTES_MAX));
      columns.traits.push(
        (isMerge ? MERGE : 0) |
          (isRemediation(subject!.toString('latin1')) ? REMEDIATION : 0) |
          (body!.length > 0 && CO_AUTHOR.test(body!.toString('latin1')) ? CO_AUTHORED : 0) |
          (boundary.has(hex) ? BOUNDARY : 0),
      );
    },
  };
  return columns;
}

async function historyOf(columns: Columns, refs: Refs, isShallow: boolean): Promise<History> {
  const { index, authors, mergeSubjects, isCut } = columns;
  const tags = refs.tags.flatMap(({ name, commit, at }): Tag[] => {
    const found = index.get(commit);
    return found === undefined ? [] : [{ name, commit: found, at: bounded(at) }];
  });
  const branches = refs.branches.flatMap(([name, commit]): [string, number][] => {
    const found = index.get(commit);
    return found === undefined ? [] : [[name, found]];
  });
  return {
    count: index.size,
    authored: Float64Array.from(columns.authored),
    committed: Float64Array.from(columns.committed),
    author: Int32Array.from(columns.author),
    traits: Uint8Array.from(columns.traits),
    ...(await linkParents(columns.parentHashes, index)),
    authors,
    mergeSubjects,
    head: refs.head === null ? -1 : (index.get(refs.head) ?? -1),
    branches: new Map(branches),
    tags,
    isShallow,
    isCut,
    hash: packed(index.keys(), index.size),
  };
}

/** Parents by index; a shallow clone or the limit leaves some out. Yields to the event loop from time to time. */
async function linkParents(parentHashes: readonly string[], index: ReadonlyMap<string, number>) {
  const parentStart = new Int32Array(parentHashes.length + 1);
  const parents: number[] = [];
  for (const [commit, hashes] of parentHashes.entries()) {
    if (commit % COMMITS_PER_TURN === 0) await ownTurn();
    for (const hash of hashes === '' ? [] : hashes.split(' ')) {
      const found = index.get(hash);
      if (found !== undefined) parents.push(found);
    }
    parentStart[commit + 1] = parents.length;
  }
  return { parentStart, parents: Int32Array.from(parents) };
}

/** Stores hashes as bytes, an eighth of the size of strings. */
function packed(hashes: Iterable<string>, count: number): (commit: number) => string {
  let bytes = Buffer.alloc(0);
  let width = 0;
  let at = 0;
  for (const hash of hashes) {
    if (width === 0) {
      width = hash.length / 2;
      bytes = Buffer.alloc(width * count);
    }
    at += bytes.write(hash, at, 'hex');
  }
  return (commit) => bytes.toString('hex', commit * width, (commit + 1) * width);
}

const REMEDIATION_SUBJECT = /^(?:revert |revert:|emergency fix)|hotfix|rollback|roll back/i;

/**
 * Whether the subject names a rollback or an urgent patch of a release. An ordinary `fix:` does not count: most of
 * those repair unreleased code, so every team would seem to fail.
 */
export function isRemediation(subject: string): boolean {
  return REMEDIATION_SUBJECT.test(subject);
}

function seconds(digits: Buffer): number {
  return bounded(Number(digits.toString('latin1')));
}

function bounded(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, value), SECONDS_MAX) : 0;
}

interface TouchesRequest {
  readonly place: LocatedRepository;
  readonly history: History;
  /** Oldest first, so that a renamed file is found under its old name. */
  readonly commits: readonly number[];
}

/** Counts the files that commits touched, and those that several authors touched. */
export async function readTouches(
  runner: GitRunner,
  { place, history, commits }: TouchesRequest,
): Promise<FileTouches> {
  // The oldest commits of a shallow clone appear to create every file.
  const compared = commits.filter((commit) => (history.traits[commit]! & (BOUNDARY | MERGE)) === 0);
  const count = createCount(new Map(compared.map((commit) => [history.hash(commit), history.author[commit]!])));
  if (compared.length > 0) {
    const { code } = await runner.run({
      args: ['diff-tree', '--stdin', '--root', '-r', '-z', '--raw', '--find-renames=100%', '-l0', ...NO_PROGRAMS],
      cwd: place.gitDir,
      env: place.env,
      input: `${compared.map(history.hash).join('\n')}\n`,
      output: createFieldReader(1, ([field]) => count.add(field!)).push,
    });
    if (code !== 0) throw new GitError('bad_path', 'git could not compare commits: objects are missing or damaged.');
  }
  return count.result();
}

const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color'];

const SEVERAL = -1;

/**
 * Folds git's output: a commit's hash, then per file a line that begins with a colon and one path, or two after a
 * rename. A renamed file keeps its authors.
 */
function createCount(authorOf: ReadonlyMap<string, number>) {
  const owners = new Map<string, number>();
  let author = SEVERAL;
  let expected = 0;
  let old: string | null = null;
  let files = 0;
  let shared = 0;
  let isCut = false;

  const touch = (path: string, before: string): void => {
    const owner = owners.get(before);
    if (owner === undefined && owners.size >= TOUCHED_PATHS_MAX) {
      isCut = true;
      return;
    }
    if (owner === undefined) files += 1;
    else if (owner !== author && owner !== SEVERAL) shared += 1;
    if (before !== path) owners.delete(before);
    owners.set(path, owner === undefined || owner === author ? author : SEVERAL);
  };

  return {
    add(field: Buffer): void {
      const text = field.toString('latin1');
      if (expected === 0) {
        if (text.startsWith(':')) {
          expected = /[RC]\d*$/.test(text) ? 2 : 1;
        } else author = authorOf.get(text) ?? author;
        return;
      }
      expected -= 1;
      if (expected === 1) old = text;
      else {
        touch(text, old ?? text);
        old = null;
      }
    },
    result: (): FileTouches => ({ files, shared, isCut }),
  };
}
