/**
 * Walks a workspace for files that may be evidence.
 *
 * - Each folder is opened relative to its parent and no link is followed, so a walk never leaves its root.
 * - Entries are visited in the order of their names, so equal trees give equal walks.
 * - Credential stores are neither entered nor visited.
 * - A limit is reported in `cutShort`.
 */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Visitor, Walk, WalkedFile } from '../../ports/evidence-files.ts';
import { forbiddenName, type OpenDirectory, openChild, openDirectory, realDirectory } from '../tools/confine.ts';

export interface WalkLimits {
  /** Levels of folders below the root. */
  readonly depth: number;
  readonly files: number;
  readonly folders: number;
}

export const WALK_LIMITS: WalkLimits = { depth: 7, files: 40_000, folders: 40_000 };

const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  'node_modules',
  'target',
  'dist',
  'build',
  'out',
  'vendor',
  '.venv',
  'venv',
  '__pycache__',
  '.next',
  '.nuxt',
  '.gradle',
  '.idea',
  '.mypy_cache',
  '.pytest_cache',
  'pods',
  'deriveddata',
]);

const tooDeep = (max: number): string => `Folders more than ${max} levels below the root were not entered.`;
const tooMany = (max: number, what: string): string => `The scan stopped after ${max} ${what}.`;
const UNREADABLE = 'Some entries could not be read and were left out.';

interface Progress {
  readonly root: string;
  readonly visit: Visitor;
  readonly limits: WalkLimits;
  readonly taken: WalkedFile[];
  readonly cutShort: Set<string>;
  files: number;
  folders: number;
  stopped: boolean;
}

interface Folder {
  readonly handle: OpenDirectory;
  /** Relative to the root; empty or ending with `/`. */
  readonly prefix: string;
  readonly depth: number;
}

export async function walk(root: string, visit: Visitor, limits = WALK_LIMITS): Promise<Walk | undefined> {
  const real = await realDirectory(root);
  if (real === undefined) return undefined;
  const progress: Progress = {
    root: real,
    visit,
    limits,
    taken: [],
    cutShort: new Set(),
    files: 0,
    folders: 0,
    stopped: false,
  };
  await enter(progress, () => openDirectory(real), { prefix: '', depth: 0 });
  return {
    filesScanned: progress.files,
    taken: progress.taken,
    cutShort: [...progress.cutShort],
  };
}

/** Opens, walks and closes a folder. A folder that cannot be opened is left out and reported. */
async function enter(
  progress: Progress,
  open: () => Promise<OpenDirectory>,
  place: Omit<Folder, 'handle'>,
): Promise<void> {
  try {
    await using handle = await open();
    await walkFolder(progress, { handle, ...place });
  } catch {
    progress.cutShort.add(UNREADABLE);
  }
}

async function walkFolder(progress: Progress, folder: Folder): Promise<void> {
  const { folders } = progress.limits;
  if (progress.folders >= folders) return stop(progress, tooMany(folders, 'folders'));
  progress.folders += 1;
  for (const { name, kind } of await entriesOf(progress, folder.handle)) {
    if (kind === 'file') await visitFile(progress, folder, name);
    else await enterFolder(progress, folder, name);
    if (progress.stopped) return;
  }
}

interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** Regular files and folders by name; credential stores and other entries, such as links, are left out. */
async function entriesOf(progress: Progress, { path }: OpenDirectory): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    if (forbiddenName(entry.name, 'read') !== undefined) continue;
    if (entry.isFile()) entries.push({ name: entry.name, kind: 'file' });
    else if (entry.isDirectory()) entries.push({ name: entry.name, kind: 'folder' });
    if (entries.length <= progress.limits.files) continue;
    progress.cutShort.add(tooMany(progress.limits.files, 'files'));
    break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function enterFolder(progress: Progress, { handle, prefix, depth }: Folder, name: string): Promise<void> {
  if (SKIPPED_FOLDERS.has(name.toLowerCase())) return;
  if (depth >= progress.limits.depth) {
    progress.cutShort.add(tooDeep(progress.limits.depth));
    return;
  }
  await enter(progress, () => openChild(handle, name), { prefix: `${prefix}${name}/`, depth: depth + 1 });
}

async function visitFile(progress: Progress, { handle, prefix }: Folder, name: string): Promise<void> {
  const { files } = progress.limits;
  if (progress.files >= files) return stop(progress, tooMany(files, 'files'));
  const relative = prefix + name;
  const verdict = progress.visit(relative);
  if (verdict === 'stop') {
    progress.stopped = true;
    return;
  }
  progress.files += 1;
  if (verdict === 'skip') return;
  try {
    const { size: bytes } = await lstat(join(handle.path, name));
    progress.taken.push({ path: join(progress.root, relative), relative, bytes });
  } catch {
    progress.cutShort.add(UNREADABLE);
  }
}

function stop(progress: Progress, why: string): void {
  progress.cutShort.add(why);
  progress.stopped = true;
}
