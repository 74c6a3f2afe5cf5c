/**
 * Guards routes that take a document by path: resolves the path and refuses credential stores and system folders.
 *
 * - Both the given path and its target after links are checked. A missing file is checked by its deepest existing
 *   parent, a dangling link by its target.
 * - Messages name no path, except names from the list of credential stores.
 * - The file may change after the check, so `openDocument` checks again when it opens it.
 */
import { type FileHandle, lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside, realOrAbsolute } from '../../lib/paths.ts';
import { SYSTEM_FOLDERS } from '../../lib/sensitive-paths.ts';
import { PortError } from '../../ports/port-error.ts';
import { ConfinementError, forbiddenName, openFile } from '../tools/confine.ts';

export interface GuardedPath {
  readonly path: string;
  /** Base of a relative path. */
  readonly base: string;
  /** Daybook's home, forbidden except for `shared`. */
  readonly home: string;
  /** A folder inside the home that is allowed. */
  readonly shared?: string;
  /** A folder that must contain the path, before and after links are resolved; error messages call it the workspace. */
  readonly within?: string;
}

/**
 * The real path of an existing file or folder. Throws `PortError` with fault `invalid`, `forbidden` or `not_found`.
 */
export async function guardPath({ path, base, home, shared, within }: GuardedPath): Promise<string> {
  if (path.trim() === '') throw new PortError('invalid', 'path must not be empty.');
  if (path.includes('\0')) throw new PortError('invalid', 'path must not hold a NUL character.');
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    throw new PortError('invalid', `path must have at most ${PATH_BYTES_MAX} bytes.`);
  }
  const named = resolve(base, path);
  const { real, exists } = await followLinks(named);
  const isShared = shared !== undefined && isInside(await realOrAbsolute(shared), real);
  if (!isShared) {
    requireNoStore(named);
    requireNoStore(real);
    if (isInside(resolve(home), named) || isInside(await realOrAbsolute(home), real)) {
      throw new PortError('forbidden', "path leads into Daybook's own home, which holds credentials.");
    }
  }
  if (within !== undefined) await requireInside(within, { named, real });
  if (!exists) throw new PortError('not_found', 'The input file was not found.');
  return real;
}

/** Opens a regular file for reading. Throws `PortError` for folders, devices, and links that replaced the file. */
export async function openDocument(real: string): Promise<FileHandle> {
  try {
    return await openFile(real);
  } catch (error) {
    if (error instanceof ConfinementError) throw new PortError('unsupported', `The input ${error.message}.`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw new PortError('forbidden', 'The input may not be read.');
    if (code === 'ENOENT' || code === 'ELOOP') throw new PortError('not_found', 'The input file was not found.');
    throw error;
  }
}

/** The bytes at a position; fewer where the file ends before. */
export async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Throws unless the path is inside the folder both before and after its links are resolved. */
async function requireInside(folder: string, { named, real }: { named: string; real: string }): Promise<void> {
  const root = await realOrAbsolute(folder);
  const isNamedInside = isInside(resolve(folder), named) || isInside(root, named);
  if (!isNamedInside || !isInside(root, real)) throw new PortError('forbidden', 'path leads outside the workspace.');
}

const PATH_BYTES_MAX = 4_096;
const LINKS_MAX = 40;

const CREDENTIAL_FOLDERS: ReadonlySet<string> = new Set(['.claude', '.daybook']);
const CREDENTIAL_FILES: ReadonlySet<string> = new Set([
  'daemon.token',
  'profile_settings.db',
  'workspace.db',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'credentials',
  'config.json',
]);

function requireNoStore(path: string): void {
  const parts = path.split(/[\\/]/).map((part) => part.normalize('NFC').toLowerCase());
  const folder = parts.find((part) => CREDENTIAL_FOLDERS.has(part) || forbiddenName(part, 'read') !== undefined);
  if (folder !== undefined) throw new PortError('forbidden', `path leads into the credential store ${folder}.`);
  const name = parts.at(-1) ?? '';
  if (CREDENTIAL_FILES.has(name)) throw new PortError('forbidden', `path names the credential file ${name}.`);
  const isSystem = SYSTEM_FOLDERS.test(path);
  if (isSystem) throw new PortError('forbidden', 'path is part of the system, not of a workspace.');
}

/** Resolves links as far as the path exists. */
async function followLinks(path: string): Promise<{ readonly real: string; readonly exists: boolean }> {
  const rest: string[] = [];
  let at = path;
  for (let links = 0; links < LINKS_MAX; ) {
    try {
      return { real: join(await realpath(at), ...rest), exists: rest.length === 0 };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES') throw new PortError('forbidden', 'path may not be accessed.');
      if (code === 'ENAMETOOLONG') throw new PortError('invalid', 'path has a name that is too long.');
      const target = await linkTarget(at);
      if (target !== undefined) {
        links += 1;
        at = target;
      } else if (dirname(at) === at) break;
      else {
        rest.unshift(basename(at));
        at = dirname(at);
      }
    }
  }
  return { real: path, exists: false };
}

/** Where a link leads; its folder may be behind another link. Undefined for a path that is no link. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return undefined;
    return resolve(await realpath(dirname(path)), await readlink(path));
  } catch {
    return undefined;
  }
}
