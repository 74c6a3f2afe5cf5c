/**
 * Path confinement: resolves a path from a model or a client to a real path inside a workspace, or refuses it.
 *
 * - Links are resolved before the check, even in parents of a file that does not exist yet.
 * - A refusal names only the given path, never the workspace or the target of a link.
 * - The file system may change after the check. `openFile` and `openDirectory` compare after opening: a path that was
 *   replaced by a link meanwhile is an error.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { withEllipsis } from '../../lib/characters.ts';
import { isInside, realOrAbsolute } from '../../lib/paths.ts';
import { CREDENTIAL_NAMES, foldFileName, PSEUDO_FILE_SYSTEMS } from '../../lib/sensitive-paths.ts';

export interface ConfinementScope {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Absolute DAYBOOK_HOME, forbidden even inside the workspace. */
  readonly home: string;
}

export type Intent = 'read' | 'write';

export interface ConfinedPath {
  readonly ok: true;
  /** Real path of the workspace. */
  readonly root: string;
  /** Real path: the existing part contains no link. */
  readonly absolute: string;
  /** The same relative to the workspace, with `/`; `.` for the workspace itself. */
  readonly relative: string;
  readonly exists: boolean;
  /** Real path of the deepest existing directory, and the missing directories between it and `name`. */
  readonly parent: string;
  readonly missing: readonly string[];
  readonly name: string;
}

export type Confined = ConfinedPath | { readonly ok: false; readonly reason: string };

export async function confine(place: ConfinementScope, path: string, intent: Intent): Promise<Confined> {
  const malformed = malformedPath(path);
  if (malformed !== undefined) return { ok: false, reason: malformed };
  const shown = showPath(path);
  const refuse = (why: string): Confined => ({ ok: false, reason: `${shown} ${why}.` });

  const root = await realDirectory(place.workspace);
  if (root === undefined) return { ok: false, reason: 'The workspace does not exist or is not a directory.' };
  const inside = insideLexically(place.workspace, root, path);
  if (inside === undefined) return refuse('is outside the workspace');
  const found = await resolveLinks(join(root, inside));
  if (typeof found === 'string') return refuse(found);
  const absolute = join(found.real, ...found.rest);
  if (!isInside(root, absolute)) return refuse('leads outside the workspace');
  const forbidden = forbiddenName(inside, intent) ?? forbiddenName(absolute, intent);
  if (forbidden !== undefined) return refuse(forbidden);
  if (await isDaybookHome(place.home, absolute)) return refuse("is part of Daybook's own home");

  const exists = found.rest.length === 0;
  return {
    ok: true,
    root,
    absolute,
    relative: relative(root, absolute).split(sep).join('/') || '.',
    exists,
    parent: exists ? dirname(absolute) : found.real,
    missing: found.rest.slice(0, -1),
    name: basename(absolute),
  };
}

/** A confined path could not be opened. The message names no path. */
export class ConfinementError extends Error {
  override readonly name = 'ConfinementError';
}

/**
 * Opens a regular file for reading. Throws `ConfinementError` for a FIFO, a device, a directory or a link that replaced
 * the file, without blocking on it.
 */
export async function openFile(absolute: string): Promise<FileHandle> {
  requireFile(await lstat(absolute));
  const handle = await open(absolute, constants.O_RDONLY | NO_FOLLOW | NON_BLOCKING);
  try {
    requireFile(await handle.stat());
    await requireSame(handle, absolute);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Disposing closes it. */
export interface OpenDirectory extends AsyncDisposable {
  /** Path for entries. On Linux it names the open directory itself, so renaming a parent has no effect. */
  readonly path: string;
  readonly handle: FileHandle;
}

export async function openDirectory(absolute: string): Promise<OpenDirectory> {
  const handle = await open(absolute, constants.O_RDONLY | DIRECTORY_ONLY | NO_FOLLOW).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? new ConfinementError('is not a directory') : error;
  });
  try {
    await requireSame(handle, absolute);
    return opened(handle, absolute);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens an entry of an open directory as a directory; a symbolic link is an error. */
export async function openChild(parent: OpenDirectory, name: string): Promise<OpenDirectory> {
  const path = join(parent.path, name);
  const handle = await open(path, constants.O_RDONLY | DIRECTORY_ONLY | NO_FOLLOW);
  return opened(handle, path);
}

/** As `openChild`; creates a missing entry. */
export async function makeChild(parent: OpenDirectory, name: string): Promise<OpenDirectory> {
  await mkdir(join(parent.path, name)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return openChild(parent, name);
}

/** Some file systems and Windows cannot sync a directory; its files are synced already. */
export async function syncDirectory({ handle }: OpenDirectory): Promise<void> {
  await handle.sync().catch(() => undefined);
}

function opened(handle: FileHandle, path: string): OpenDirectory {
  return { handle, path: handlePath(handle.fd, path), [Symbol.asyncDispose]: () => handle.close() };
}

/** The path of an open directory by its descriptor, where the system supports that. */
export function handlePath(fd: number, absolute: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : absolute;
}

// Windows has none of these flags; there only the comparison after opening catches links.
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
export const DIRECTORY_ONLY = constants.O_DIRECTORY ?? 0;
export const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/** A path for messages: one line, limited length. */
export function showPath(path: string): string {
  const line = path.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\ufffd');
  return `"${withEllipsis(line, 200)}"`;
}

const PATH_BYTES_MAX = 4_096;
const NAME_BYTES_MAX = 255;

function malformedPath(path: string): string | undefined {
  if (path.trim() === '') return 'The path is empty.';
  if (path.includes('\0')) return 'The path holds a NUL byte.';
  if (!path.isWellFormed()) return 'The path is not well-formed text.';
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `The path is longer than ${PATH_BYTES_MAX} bytes.`;
  const long = path.split(/[\\/]/).some((part) => Buffer.byteLength(part) > NAME_BYTES_MAX);
  return long ? `A name in the path is longer than ${NAME_BYTES_MAX} bytes.` : undefined;
}

/** The real path of a directory; undefined when there is none that can be read. */
export async function realDirectory(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The lexical path relative to the workspace. An absolute path may start with the workspace's given or real path. */
function insideLexically(workspace: string, root: string, path: string): string | undefined {
  if (!isAbsolute(path)) {
    const joined = resolve(root, path);
    return isInside(root, joined) ? relative(root, joined) : undefined;
  }
  const absolute = resolve(path);
  const base = [resolve(workspace), root].find((candidate) => isInside(candidate, absolute));
  return base === undefined ? undefined : relative(base, absolute);
}

/** Resolves links as far as the path exists. `rest` is the missing part. A dangling link is refused. */
async function resolveLinks(path: string, attempts = 3): Promise<{ real: string; rest: readonly string[] } | string> {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: await realpath(at), rest };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOTDIR') return 'has a parent that is not a directory';
      if (code === 'ELOOP') return 'is a circle of symbolic links';
      if (code !== 'ENOENT' || dirname(at) === at) return 'may not be accessed';
      const found = await unfollowed(at);
      if (found === 'link') return 'is or passes through a symbolic link that leads nowhere';
      // Created between the two calls.
      if (found === 'other') return attempts > 1 ? resolveLinks(path, attempts - 1) : 'may not be accessed';
      rest.unshift(basename(at));
    }
  }
}

async function unfollowed(path: string): Promise<'missing' | 'link' | 'other'> {
  try {
    return (await lstat(path)).isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'link';
  }
}

async function isDaybookHome(home: string, absolute: string): Promise<boolean> {
  return isInside(resolve(home), absolute) || isInside(await realOrAbsolute(home), absolute);
}

function requireFile(stats: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stats.isDirectory()) throw new ConfinementError('is a directory');
  if (!stats.isFile()) throw new ConfinementError('is not a regular file');
}

/** Throws when a link replaced a parent between the check and the open. */
async function requireSame(handle: FileHandle, absolute: string): Promise<void> {
  const opened = await handle.stat({ bigint: true });
  const real = await realpath(absolute);
  const named = await lstat(real, { bigint: true });
  if (real !== absolute || named.ino !== opened.ino || named.dev !== opened.dev) {
    throw new ConfinementError('was replaced while it was being opened');
  }
}

/** Why this absolute or relative path is forbidden; `undefined` when it is allowed. */
export function forbiddenName(path: string, intent: 'read' | 'write'): string | undefined {
  if (PSEUDO_FILE_SYSTEMS.test(path)) return 'is part of the system, not of a workspace';
  for (const part of path.split(/[\\/]/)) {
    const name = foldFileName(part);
    if (CREDENTIAL_NAMES.has(name)) return 'holds credentials, which tools may not touch';
    if (intent === 'write' && (name === '.git' || name === 'git~1')) {
      return "is one of Git's own files, which only git itself may change";
    }
  }
  return undefined;
}
