/**
 * Opens repositories and caches their history per state of their refs.
 *
 * - Reads of a repository are coalesced: a caller never gets a history whose read began before its call.
 * - The cache has at most `KEPT_REPOSITORIES_MAX` histories with `KEPT_COMMITS_MAX` commits in total; the least
 *   recently used one is dropped first.
 */

import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createCoalescer } from '../../lib/coalesce.ts';
import { ownTurn } from '../../lib/slices.ts';
import {
  type FileTouches,
  GitError,
  type GitPort,
  HISTORY_COMMITS_MAX,
  type History,
  type Repository,
} from '../../ports/git.ts';
import { readHistory, readTouches } from './history.ts';
import { createLocator, type LocatedRepository } from './locate.ts';
import { createGitRunner, type GitRunner } from './process.ts';
import { readRefs } from './refs.ts';

const KEPT_REPOSITORIES_MAX = 8;
const KEPT_COMMITS_MAX = HISTORY_COMMITS_MAX;

export function createReader(env: NodeJS.ProcessEnv): GitPort {
  const runner = createGitRunner();
  const locate = createLocator({ runner, env });
  const kept = new Map<string, Kept>();
  const coalesced = createCoalescer<Kept>();

  async function current(place: LocatedRepository): Promise<Kept> {
    const before = kept.get(place.gitDir);
    const fingerprint = await refFingerprint(place);
    if (before?.stamp?.isSettled === true && before.stamp.text === fingerprint?.text) return before;
    const boundary = await boundaryOf(place);
    const refs = await readRefs(runner, place, boundary);
    const isSame = before?.refs === refs.state;
    const history = isSame ? before.history : await readHistory(runner, { place, refs, boundary });
    const reusable = isSame ? before : { touches: null, trees: new WeakMap() };
    return { stamp: fingerprint, refs: refs.state, history, touches: reusable.touches, trees: reusable.trees };
  }

  return {
    async open(path) {
      const place = await locate(path);
      const now = await coalesced(place.gitDir, async () => {
        const entry = await current(place);
        keep(kept, place.gitDir, entry);
        return entry;
      });
      return repository(runner, place, now);
    },
    close: () => runner.close(),
  };
}

interface Kept {
  readonly stamp: RefFingerprint | null;
  readonly refs: string;
  readonly history: History;
  /** The last count of touched files, running or done. */
  touches: { readonly commits: readonly number[]; readonly result: Promise<FileTouches> } | null;
  /** Existing paths in the tree of HEAD, by the requested list. */
  readonly trees: WeakMap<readonly string[], Promise<ReadonlySet<string>>>;
}

function repository(runner: GitRunner, place: LocatedRepository, entry: Kept): Repository {
  const { history } = entry;
  return {
    root: place.root,
    directory: place.directory,
    isBare: place.isBare,
    history,
    existing(paths, directory) {
      if (!place.isBare) return onDisk(directory, paths);
      const found = entry.trees.get(paths) ?? inTree(runner, { place, history, paths });
      entry.trees.set(paths, found);
      found.catch(() => entry.trees.delete(paths));
      return found;
    },
    touches(commits) {
      const last = entry.touches;
      if (last !== null && isEqual(last.commits, commits)) return last.result;
      const result = readTouches(runner, { place, history, commits });
      entry.touches = { commits, result };
      // A failed count is not cached.
      result.catch(() => {
        if (entry.touches?.result === result) entry.touches = null;
      });
      return result;
    },
  };
}

function keep(kept: Map<string, Kept>, key: string, entry: Kept): void {
  kept.delete(key);
  kept.set(key, entry);
  let commits = 0;
  for (const { history } of kept.values()) commits += history.count;
  for (const [oldest, { history }] of kept) {
    if (kept.size <= 1 || (kept.size <= KEPT_REPOSITORIES_MAX && commits <= KEPT_COMMITS_MAX)) return;
    kept.delete(oldest);
    commits -= history.count;
  }
}

/** About 400 000 commits. */
const SHALLOW_BYTES_MAX = 16 * 2 ** 20;

/** The oldest commits of a shallow clone. */
async function boundaryOf({ isShallow, commonDir }: LocatedRepository): Promise<ReadonlySet<string>> {
  if (!isShallow) return new Set();
  const file = join(commonDir, 'shallow');
  const { size } = await stat(file);
  if (size > SHALLOW_BYTES_MAX) throw new GitError('bad_path', 'The clone ends at too many commits to measure it.');
  return new Set((await readFile(file, 'latin1')).split('\n'));
}

async function onDisk(directory: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(join(directory, path)).then(
        () => path,
        () => null,
      ),
    ),
  );
  return new Set(found.filter((path) => path !== null));
}

interface TreeQuestion {
  readonly place: LocatedRepository;
  readonly history: History;
  readonly paths: readonly string[];
}

/** A bare repository has no work tree, so this looks into the tree of HEAD. */
async function inTree(runner: GitRunner, { place, history, paths }: TreeQuestion): Promise<ReadonlySet<string>> {
  if (history.head < 0) return new Set();
  const tree = history.hash(history.head);
  const printed: Buffer[] = [];
  await runner.run({
    args: ['cat-file', '--batch-check=%(objecttype)'],
    cwd: place.gitDir,
    env: place.env,
    input: paths.map((path) => `${tree}:${path}\n`).join(''),
    output: (chunk) => printed.push(chunk),
  });
  const lines = Buffer.concat(printed).toString('utf8').split('\n');
  return new Set(paths.filter((_, index) => lines[index] === 'blob' || lines[index] === 'tree'));
}

function isEqual(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((commit, at) => commit === right[at]);
}

interface RefFingerprint {
  readonly text: string;
  /** No file changed recently. */
  readonly isSettled: boolean;
}

/** For more loose refs, asking git is as fast. */
const LOOSE_REFS_MAX = 5_000;
const SETTLED_AFTER_MS = 2_000;
const ENTRIES_PER_TURN = 500;

/**
 * A cheap fingerprint of the refs: the metadata of the files that git keeps them in.
 *
 * - Equal fingerprints mean equal refs once the files are older than the resolution of the file system's clock
 *   (`isSettled`). Before that, and where refs are stored in another way (null), git must be asked.
 */
async function refFingerprint(place: LocatedRepository): Promise<RefFingerprint | null> {
  if (statOf(join(place.commonDir, 'reftable')) !== null) return null;
  const hash = createHash('sha1');
  let newest = 0;
  let entries = 0;
  const note = (path: string): void => {
    const stats = statOf(path);
    hash.update(`${path}\0${stats === null ? '' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join()}\n`);
    newest = Math.max(newest, stats?.mtimeMs ?? 0, stats?.ctimeMs ?? 0);
  };
  note(join(place.gitDir, 'HEAD'));
  for (const name of ['packed-refs', 'shallow']) note(join(place.commonDir, name));
  const folders = [join(place.commonDir, 'refs')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    note(folder);
    for (const entry of listOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else note(path);
      entries += 1;
      if (entries > LOOSE_REFS_MAX) return null;
      if (entries % ENTRIES_PER_TURN === 0) await ownTurn();
    }
  }
  return { text: hash.digest('hex'), isSettled: newest < Date.now() - SETTLED_AFTER_MS };
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** At most `LOOSE_REFS_MAX` + 1 entries. */
function listOf(folder: string): readonly Dirent[] {
  const found: Dirent[] = [];
  try {
    const directory = opendirSync(folder, { bufferSize: 256 });
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        found.push(entry);
        if (found.length > LOOSE_REFS_MAX) break;
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    // The folder is gone; its own metadata shows that.
  }
  return found;
}
