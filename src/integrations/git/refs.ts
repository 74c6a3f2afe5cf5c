/** Reads the commits of HEAD, branches and tags, and a digest of them. */
import { createHash } from 'node:crypto';
import { GitError } from '../../ports/git.ts';
import type { LocatedRepository } from './locate.ts';
import type { GitRunner } from './process.ts';

export interface Refs {
  /** Equal if and only if no ref moved, and a shallow clone ends at the same commits. */
  readonly state: string;
  /** Commit of HEAD; null before the first commit. */
  readonly head: string | null;
  /** Full ref name and commit. */
  readonly branches: readonly (readonly [name: string, commit: string])[];
  readonly tags: readonly RefTag[];
}

export interface RefTag {
  readonly name: string;
  readonly commit: string;
  readonly at: number;
}

/** Limit of names and hashes: about 400 000 refs. */
const REFS_BYTES_MAX = 64 * 2 ** 20;
const TAGS = 'refs/tags/';

/** `boundary`: the oldest commits of a shallow clone. */
export async function readRefs(
  runner: GitRunner,
  place: LocatedRepository,
  boundary: ReadonlySet<string>,
): Promise<Refs> {
  const [head, list] = await Promise.all([
    ask(runner, place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    ask(runner, place, ['for-each-ref', '--sort=version:refname', `--format=${FORMAT}`, ...SPACES]),
  ]);
  if (list.code !== 0) throw new GitError('bad_path', 'git could not list the branches and tags of the repository.');
  if (head.code !== 0) await requireUnborn(runner, place);
  const branches: [string, string][] = [];
  const tags: RefTag[] = [];
  const deep: Omit<RefTag, 'commit'>[] = [];
  const objects: string[] = [];
  for (const line of list.text.split('\n')) {
    if (line === '') continue;
    const fields = line.split('\0') as [string, string, string, string, string, string];
    const [name, type, object, innerType, inner, digits] = fields;
    const at = creatorSeconds(digits);
    const commit = type === 'commit' ? object : innerType === 'commit' ? inner : null;
    if (commit === null) {
      if (innerType !== 'tag') continue;
      deep.push({ name: name.slice(TAGS.length), at });
      objects.push(object);
    } else if (name.startsWith(TAGS)) tags.push({ name: name.slice(TAGS.length), commit, at });
    else branches.push([name, commit]);
  }
  const commits = deep.length === 0 ? [] : await commitsOf(runner, place, objects);
  for (const [index, tag] of deep.entries()) {
    const commit = commits[index];
    if (commit != null) tags.push({ ...tag, commit });
  }
  const hash = head.code === 0 ? head.text.trim() : null;
  const ends = `${place.isShallow} ${[...boundary].join(' ')}`;
  const state = createHash('sha256').update(`${hash} ${ends}\n${list.text}`).digest('hex');
  return { state, head: hash, branches, tags };
}

/**
 * A HEAD without a commit names a branch that does not exist yet. git names no branch for a file of a ref that a power
 * cut emptied, and for a detached HEAD, whose commit is missing then.
 */
async function requireUnborn(runner: GitRunner, place: LocatedRepository): Promise<void> {
  const { code } = await ask(runner, place, ['symbolic-ref', '--quiet', 'HEAD']);
  if (code !== 0) throw new GitError('bad_path', 'git could not find the commit of HEAD: it is missing or damaged.');
}

const SPACES = ['refs/heads', 'refs/remotes', 'refs/tags'];
const FORMAT = [
  ...['%(refname)', '%(objecttype)', '%(objectname)', '%(*objecttype)', '%(*objectname)', '%(creatordate:unix)'],
].join('%00');

/** The commits to which tags of tags lead; null for other objects and missing ones. */
async function commitsOf(runner: GitRunner, place: LocatedRepository, tags: readonly string[]) {
  const input = tags.map((tag) => `${tag}^{commit}\n`).join('');
  const { text } = await ask(runner, place, ['cat-file', '--batch-check=%(objectname)'], input);
  return text.split('\n').map((line) => (/^[0-9a-f]+$/.test(line) ? line : null));
}

/** git prints times before 1970 as unsigned numbers; they become 0, as in commits. */
function creatorSeconds(digits: string): number {
  return Math.max(0, Number(BigInt.asIntN(64, BigInt(digits))));
}

async function ask(runner: GitRunner, { env, gitDir }: LocatedRepository, args: readonly string[], input?: string) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const output = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= REFS_BYTES_MAX) chunks.push(chunk);
  };
  const { code } = await runner.run({ args, cwd: gitDir, env, output, ...(input !== undefined && { input }) });
  if (bytes > REFS_BYTES_MAX)
    throw new GitError('bad_path', 'The repository has too many branches and tags to measure.');
  return { code, text: Buffer.concat(chunks).toString('utf8') };
}
