/**
 * Replaces the content of a file as a whole.
 *
 * - The content is on disk under a temporary name before the rename; a reader sees the old file or the new one.
 * - What a killed daemon left under that name is removed by the next write of the file.
 * - Every step is relative to an open directory, so swapping a parent for a link cannot move the write.
 * - An existing file keeps its permission bits and, where the system allows it, its owner; a read-only file is refused.
 */
import { hash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import {
  type ConfinedPath,
  ConfinementError,
  makeChild,
  NO_FOLLOW,
  type OpenDirectory,
  openDirectory,
  syncDirectory,
} from './confine.ts';

/** Held by real path while a tool of any run reads and replaces a file. */
export const fileMutex = new KeyedMutex();

export interface ReplaceOptions {
  /** DAYBOOK_HOME, which one daemon uses at a time: another daemon writes the file under another temporary name. */
  readonly home: string;
  /** The file is replaced only while it still has these stats, so that no change in between is lost. */
  readonly expected?: BigIntStats;
  /** Called before the first change and before the rename. If it throws, the file is not changed. */
  readonly mayChange?: () => void;
}

/** Replaces or creates the file. Throws `ConfinementError` and errors of the file system. */
export async function replaceFile(
  target: ConfinedPath,
  content: Buffer,
  { home, expected, mayChange = () => undefined }: ReplaceOptions,
): Promise<void> {
  mayChange();
  await using directory = await openParent(target);
  const path = join(directory.path, target.name);
  const old = await statIfAny(path);
  if (old !== undefined) await requireReplaceable(path, old);
  const temporary = join(directory.path, temporaryName(home, target.absolute));
  try {
    await rm(temporary, { force: true });
    await writeDurably(temporary, content, old);
    if (expected !== undefined) requireUnchanged(await statIfAny(path), expected);
    mayChange();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

function temporaryName(home: string, absolute: string): string {
  return `.daybook-${hash('sha256', `${home}\0${absolute}`).slice(0, 16)}.tmp`;
}

/** Opens the directory of the target and creates missing ones, each without following a link. */
async function openParent(target: ConfinedPath): Promise<OpenDirectory> {
  let directory = await openDirectory(target.parent);
  for (const name of target.missing) {
    await using above = directory;
    directory = await makeChild(above, name);
  }
  return directory;
}

async function requireReplaceable(path: string, old: BigIntStats): Promise<void> {
  if (old.isDirectory()) throw new ConfinementError('is a directory');
  if (!old.isFile()) throw new ConfinementError('is not a regular file');
  // A rename needs no permission on the file, so the mode is checked here, for root too.
  if ((old.mode & 0o222n) === 0n) throw new ConfinementError('is read-only');
  await access(path, constants.W_OK);
}

function requireUnchanged(now: BigIntStats | undefined, expected: BigIntStats): void {
  const same = now?.ino === expected.ino && now.mtimeNs === expected.mtimeNs && now.size === expected.size;
  if (!same) throw new ConfinementError('was changed by someone else meanwhile; read it again');
}

async function writeDurably(path: string, content: Buffer, old: BigIntStats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  const mode = old === undefined ? 0o666 : Number(old.mode & 0o777n);
  await using handle = await open(path, flags, mode);
  await handle.writeFile(content);
  if (old !== undefined) {
    await keepOwner(handle, old);
    await handle.chmod(mode);
  }
  await handle.sync();
}

/** Only root may change the owner; other users become the owner of the new file. */
async function keepOwner(handle: FileHandle, old: BigIntStats): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (now.uid !== old.uid || now.gid !== old.gid) {
    await handle.chown(Number(old.uid), Number(old.gid)).catch(() => undefined);
  }
}

async function statIfAny(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
