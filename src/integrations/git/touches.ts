/** Counts the files that commits touched, and those that several authors touched. */
import { BOUNDARY, type FileTouches, GitError, type History, MERGE, TOUCHED_PATHS_MAX } from '../../ports/git.ts';
import { createFieldReader } from './fields.ts';
import type { LocatedRepository } from './locate.ts';
import type { GitRunner } from './process.ts';

export interface TouchesRequest {
  readonly place: LocatedRepository;
  readonly history: History;
  /** Oldest first, so that a renamed file is found under its old name. */
  readonly commits: readonly number[];
}

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
