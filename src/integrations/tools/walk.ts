/**
 * Lists every file below a directory of a workspace in a fixed order. Synchronous, for worker processes.
 *
 * - Links are never followed, and left out by default. Each directory is opened relative to its parent's descriptor where
 *   the system supports that, so a directory that is swapped for a link during the walk is not entered.
 * - `.git`, `node_modules`, credentials, Daybook's home and, by default, what Git ignores are skipped.
 */
import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECTORY_ONLY, forbiddenName, handlePath, NO_FOLLOW, NON_BLOCKING } from './confine.ts';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from './ignore.ts';

export interface WalkRequest {
  /** Real path of the workspace. */
  readonly root: string;
  /** Real directory or file to start from, relative to `root`; `.` for all. */
  readonly from: string;
  /** Real path of DAYBOOK_HOME. */
  readonly home: string;
  readonly includeIgnored: boolean;
  /** Also yields symbolic links. */
  readonly withLinks?: boolean;
  /** Ignore rules from above the workspace, outermost first. */
  readonly inherited?: readonly IgnoreFile[];
  /** Called for a directory that cannot be opened. */
  readonly unread?: () => void;
}

export interface WalkedFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** Path to open it; valid only until the walk continues. */
  readonly at: string;
}

export function* walkFiles(request: WalkRequest): Generator<WalkedFile> {
  const names = request.from === '.' ? [] : request.from.split('/');
  yield* below({ request, names, at: request.root, base: '', ignores: request.inherited ?? [] });
}

/** Closed at the end of the block: `using file = openWalked(walked)`. */
interface OpenWalked extends Disposable {
  readonly fd: number;
}

/** Opens a walked file for reading; `undefined` when it is not a regular file any more. */
export function openWalked({ at }: WalkedFile): OpenWalked | undefined {
  const file = openOrSkip(at, NON_BLOCKING);
  try {
    if (file !== undefined && fstatSync(file.fd).isFile()) return file;
  } catch {
    // Gone since then, as on a network drive.
  }
  file?.[Symbol.dispose]();
  return undefined;
}

interface Level {
  readonly request: WalkRequest;
  /** Path components from here to the start of the walk. */
  readonly names: readonly string[];
  readonly at: string;
  readonly base: string;
  readonly ignores: readonly IgnoreFile[];
}

const DEPTH_MAX = 100;
const IGNORE_FILE_BYTES_MAX = 1024 * 1024;
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

function* below(level: Level): Generator<WalkedFile> {
  using folder = openOrSkip(level.at, DIRECTORY_ONLY);
  if (folder === undefined) return level.request.unread?.();
  const at = handlePath(folder.fd, level.at);
  const inner = { ...level, at, ignores: [...level.ignores, ...readIgnoreFile(at, level)] };
  const [next, ...names] = level.names;
  if (next === undefined) yield* entriesOf(inner);
  else if (names.length === 0 && isRegularFile(join(at, next))) yield { path: level.base + next, at: join(at, next) };
  else yield* below({ ...inner, names, at: join(at, next), base: `${level.base}${next}/` });
}

function* entriesOf(level: Level): Generator<WalkedFile> {
  for (const entry of sortedEntries(level.at)) {
    const path = level.base + entry.name;
    if (isSkipped(level, entry, path)) continue;
    const at = join(level.at, entry.name);
    if (entry.isFile() || (level.request.withLinks && entry.isSymbolicLink())) yield { path, at };
    else if (entry.isDirectory() && path.split('/').length < DEPTH_MAX)
      yield* below({ ...level, at, base: `${path}/` });
  }
}

function isSkipped(level: Level, entry: Dirent, path: string): boolean {
  if (SKIPPED.has(entry.name) || forbiddenName(entry.name, 'read') !== undefined) return true;
  if (join(level.request.root, path) === level.request.home) return true;
  return !level.request.includeIgnored && isIgnored(level.ignores, path, entry.isDirectory());
}

function sortedEntries(at: string): readonly Dirent[] {
  try {
    return readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isRegularFile(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** `undefined` for what is gone, was replaced or cannot be read. */
function openOrSkip(at: string, flags: number): OpenWalked | undefined {
  try {
    const fd = openSync(at, constants.O_RDONLY | NO_FOLLOW | flags);
    return { fd, [Symbol.dispose]: () => closeSync(fd) };
  } catch {
    return undefined;
  }
}

function readIgnoreFile(at: string, level: Level): readonly IgnoreFile[] {
  using file = openWalked({ path: '.gitignore', at: join(at, '.gitignore') });
  if (file === undefined || fstatSync(file.fd).size > IGNORE_FILE_BYTES_MAX) return [];
  return [parseIgnoreFile(readFileSync(file.fd, 'utf8'), level.base)];
}
