/** Where a repository keeps its files, read without the program git (gitrepository-layout(5)). */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The nearest folder that contains `.git`, from an absolute path upwards; undefined when there is none. */
export function repositoryTop(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * The folder of the configuration and of `info/`, which linked worktrees share. Their `.git`, and that of a submodule,
 * is a file that names another folder; one that cannot be read is returned itself.
 */
export function commonFolder(top: string): string {
  const git = join(top, '.git');
  try {
    if (statSync(git).isDirectory()) return git;
    const folder = resolve(top, /^gitdir:\s*(.+)$/mu.exec(readFileSync(git, 'utf8'))?.[1]?.trim() ?? '.');
    const common = join(folder, 'commondir');
    return existsSync(common) ? resolve(folder, readFileSync(common, 'utf8').trim()) : folder;
  } catch {
    return git;
  }
}
