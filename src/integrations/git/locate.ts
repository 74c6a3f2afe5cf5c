/**
 * Finds the repository around a path by asking git, so that git's check of the owner applies: the repository of another
 * user is refused unless the daemon's user lists it in `safe.directory`.
 *
 * - A result is cached for `LOCATED_MS_MAX` while `.git` and its configuration are unchanged.
 */
import { constants } from 'node:fs';
import { access, lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createCoalescer } from '../../lib/coalesce.ts';
import { repositoryTop } from '../../lib/paths.ts';
import { GitError } from '../../ports/git.ts';
import { scrubbedEnvironment } from '../tools/process.ts';
import { type GitRunner, tooOld } from './process.ts';
import { configurationVariables, SAFE_CONFIGURATION, SAFE_VARIABLES } from './safe-configuration.ts';
import { whyNotOpened } from './why-not-opened.ts';

export interface LocatedRepository {
  /** See `Repository`. */
  readonly root: string;
  readonly directory: string;
  readonly isBare: boolean;
  readonly isShallow: boolean;
  readonly gitDir: string;
  /** Directory of refs and objects; differs from `gitDir` in a linked worktree. */
  readonly commonDir: string;
  /** Environment for all further commands: this repository and its own configuration only. */
  readonly env: Readonly<Record<string, string>>;
}

export interface LocateOptions {
  readonly runner: GitRunner;
  readonly env: NodeJS.ProcessEnv;
}

const LOCATED_MAX = 64;
const LOCATED_MS_MAX = 60_000;

export function createLocator({ runner, env }: LocateOptions): (path: string) => Promise<LocatedRepository> {
  const common = { ...scrubbedEnvironment(env), ...SAFE_VARIABLES, ...configurationVariables(MEASURING) };
  const known = new Map<string, Located>();
  const coalesced = createCoalescer<LocatedRepository>();
  const cachedOrLocated = async (directory: string): Promise<LocatedRepository> => {
    const cached = known.get(directory);
    const isFresh = cached !== undefined && performance.now() < cached.until;
    if (isFresh && cached.signature === (await signatureOf(cached.place))) return cached.place;
    const until = performance.now() + LOCATED_MS_MAX;
    const place = await locate(directory, runner, common);
    known.delete(directory);
    known.set(directory, { place, until, signature: await signatureOf(place) });
    if (known.size > LOCATED_MAX) known.delete(known.keys().next().value!);
    return place;
  };
  return async (path) => {
    const directory = await directoryOf(path);
    return coalesced(directory, () => cachedOrLocated(directory));
  };
}

interface Located {
  readonly place: LocatedRepository;
  /** Of `performance.now()`. */
  readonly until: number;
  readonly signature: string;
}

/** Changes when another repository is created around the directory, and when the repository's configuration changes. */
async function signatureOf({ directory, gitDir, commonDir, isBare, root }: LocatedRepository): Promise<string> {
  const top = isBare ? root : (repositoryTop(directory) ?? gitDir);
  const files = [join(top, '.git'), gitDir, join(commonDir, 'config'), join(commonDir, 'shallow')];
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => null)));
  return [top, ...stats.map((of) => of && [of.ino, of.uid, of.isDirectory() || [of.size, of.ctimeMs]])].join();
}

async function locate(
  directory: string,
  runner: GitRunner,
  common: Readonly<Record<string, string>>,
): Promise<LocatedRepository> {
  const printed: Buffer[] = [];
  // The only call with the user's configuration, which holds `safe.directory`.
  const { code, stderr } = await runner.run({
    args: ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir', ...FLAGS],
    cwd: directory,
    env: common,
    output: (chunk) => printed.push(chunk),
  });
  if (code !== 0) throw new GitError('bad_path', whyNotOpened(stderr));
  const lines = Buffer.concat(printed).toString('utf8').trimEnd().split('\n');
  // It prints options that it does not know.
  if (lines[0]?.startsWith('--') === true) throw tooOld();
  const [isBare, isShallow] = lines.splice(-FLAGS.length).map((flag) => flag === 'true');
  // A path may contain line breaks; both paths have equally many then.
  const gitDir = lines.slice(0, lines.length / 2).join('\n');
  const commonDir = lines.slice(lines.length / 2).join('\n');
  // The folder that contains `.git`, whatever work tree the repository claims.
  const root = isBare === true ? gitDir : (repositoryTop(directory) ?? gitDir);
  const alone = { ...common, ...ONLY_ITS_OWN, GIT_DIR: gitDir, GIT_WORK_TREE: root };
  return { root, directory, isBare: isBare === true, isShallow: isShallow === true, gitDir, commonDir, env: alone };
}

const FLAGS = ['--is-bare-repository', '--is-shallow-repository'];

/** Settings that could change the reported history, in addition to those that could run programs. */
const MEASURING = [
  ...SAFE_CONFIGURATION,
  ['core.commitGraph', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['gpg.program', 'false'],
  ['log.showSignature', 'false'],
  ['log.mailmap', 'false'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['submodule.recurse', 'false'],
] as const;

const ONLY_ITS_OWN: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
};

async function directoryOf(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    const directory = (await stat(real)).isDirectory() ? real : dirname(real);
    await access(directory, constants.X_OK);
    return directory;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const gone = code === 'ENOENT' || code === 'ENOTDIR';
    throw new GitError(
      'bad_path',
      gone ? 'There is nothing at this path, so it is not inside a git repository.' : 'This path cannot be read.',
    );
  }
}
