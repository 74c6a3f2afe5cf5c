/** Where a repository keeps its files, read without the program git (gitrepository-layout(5)). */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The folder of the configuration and of `info/`, which linked worktrees share. Their `.git`, and that of a submodule,
 * is a file that names another folder; one that cannot be read is returned itself.
 */
export function commonFolder(top: string): string {
  const git = join(top, '.git');
  const folder = /^gitdir:\s*(.+)$/mu.exec(smallText(git) ?? '')?.[1]?.trim();
  if (folder === undefined) return git;
  const own = resolve(top, folder);
  return resolve(own, smallText(join(own, 'commondir'))?.trim() ?? '.');
}

const SMALL_BYTES_MAX = 1024 * 1024;

/** The text of a regular file of at most 1 MiB, also behind a link; else null. A FIFO would block the process. */
export function smallText(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= SMALL_BYTES_MAX ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
