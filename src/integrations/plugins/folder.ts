/**
 * Folders of plugins: opened level by level without following links, read, and written durably.
 *
 * - Every step is relative to an open folder where the system allows it, so a parent that is swapped meanwhile has no
 *   effect.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PluginStoreError } from '../../ports/plugins.ts';
import {
  confine,
  makeChild,
  NO_FOLLOW,
  NON_BLOCKING,
  type OpenDirectory,
  openChild,
  openDirectory,
  syncDirectory,
} from '../tools/confine.ts';

export interface StorePlace {
  /** Real path of the project. */
  readonly project: string;
  /** DAYBOOK_HOME; it cannot contain plugins. */
  readonly home: string;
}

const STORE = ['.vibecli', 'plugins'] as const;
const STORE_PATH = STORE.join('/');

/** Opens the project's folder of plugins; null when it is missing and not created. The caller closes it. */
export async function openStore(place: StorePlace, missing: 'make' | 'leave'): Promise<OpenDirectory | null> {
  const { project, home } = place;
  const confined = await confine({ workspace: project, home }, STORE_PATH, 'write');
  if (!confined.ok) throw new PluginStoreError(confined.reason);
  let at = await openDirectory(confined.root);
  for (const name of STORE) {
    await using above = at;
    try {
      at = await (missing === 'make' ? makeChild : openChild)(above, name);
    } catch (error) {
      if (missing === 'leave' && (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
  return at;
}

/** The bytes of a regular file, or why they cannot be read. */
export async function readBounded(folder: OpenDirectory, name: string, bytesMax: number): Promise<Buffer | string> {
  try {
    await using file = await open(join(folder.path, name), constants.O_RDONLY | NO_FOLLOW | NON_BLOCKING);
    const stats = await file.stat();
    if (!stats.isFile()) return `${name} is no regular file`;
    if (stats.size > bytesMax) return `${name} is too large`;
    return await file.readFile();
  } catch (error) {
    return whyUnread(name, error);
  }
}

export function whyUnread(name: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${name} is missing`;
  if (code === 'ELOOP' || code === 'ENOTDIR') return `${name} is a link, or not what it should be`;
  return `${name} cannot be read`;
}

/** Creates a folder with these files, durably. Names have at most one slash. */
export async function writeFolder(
  store: OpenDirectory,
  name: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  await mkdir(join(store.path, name));
  await using folder = await openChild(store, name);
  const subfolders = new Map<string, Map<string, Buffer>>();
  for (const [path, bytes] of files) {
    const [first, second] = path.split('/') as [string, string?];
    if (second === undefined) await writeDurably(join(folder.path, first), bytes);
    else subfolders.set(first, (subfolders.get(first) ?? new Map<string, Buffer>()).set(second, bytes));
  }
  for (const [sub, more] of subfolders) await writeFolder(folder, sub, more);
  await syncDirectory(folder);
}

/** Whether something of this name exists, including a dangling link. */
export async function isThere(folder: OpenDirectory, name: string): Promise<boolean> {
  try {
    await lstat(join(folder.path, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  await using file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o666);
  await file.writeFile(bytes);
  await file.sync();
}
