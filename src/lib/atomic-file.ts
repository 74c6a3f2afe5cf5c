/**
 * Files of their owner alone that are replaced as a whole: after a crash the file holds all of the old content or all
 * of the new.
 */
import { constants } from 'node:fs';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Error codes of systems that cannot sync a folder. The file itself is synced before its rename. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES', 'EBADF']);

/**
 * Writes the file for its owner alone (mode 0600). Durable when it resolves. Throws errors of the file system; the old
 * content stays then, unless only the folder could not be synced. The folder must exist, and calls for one path must
 * not overlap.
 */
export async function writeFileAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await rm(temporary, { force: true });
    {
      await using file = await open(temporary, 'wx', 0o600);
      await file.writeFile(content);
      await file.sync();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * The text of such a file; null when there is none. Withdraws rights of others; follows no link. Throws other errors of
 * the file system.
 */
export async function readPrivateFile(path: string): Promise<string | null> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
  if (file === null) return null;
  if (((await file.stat()).mode & 0o077) !== 0) await chmod(path, 0o600);
  return await file.readFile('utf8');
}

/** Makes names in a folder durable, where the system can. Throws other errors of the file system. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
