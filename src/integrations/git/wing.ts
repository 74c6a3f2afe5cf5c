/** The wing of a workspace: the last two parts of its git origin without credentials, else the name of its folder. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const GLOBAL_WING = 'global';

export function wingOf(workspace: string): string {
  const origin = originOf(workspace);
  const segments = (origin ?? '')
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/]*@/iu, '$1')
    .replace(/\.git\/?$/u, '')
    .split(/[/:]/u)
    .filter((segment) => segment !== '');
  if (segments.length >= 2) return segments.slice(-2).join('/');
  return basename(workspace) || GLOBAL_WING;
}

/** The URL of the remote `origin` of the repository that holds the folder. */
function originOf(workspace: string): string | undefined {
  for (let folder = resolve(workspace); ; folder = dirname(folder)) {
    const config = configOf(join(folder, '.git'));
    if (config !== undefined) return /\[remote "origin"\][^[]*?^\s*url\s*=\s*(\S+)/mu.exec(config)?.[1];
    if (dirname(folder) === folder) return undefined;
  }
}

/** The text of a repository's configuration; a worktree's `.git` is a file that names another folder. */
function configOf(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'config'), 'utf8');
    const folder = resolve(dirname(git), /^gitdir:\s*(.+)$/mu.exec(readFileSync(git, 'utf8'))?.[1]?.trim() ?? '.');
    const common = join(folder, 'commondir');
    const shared = existsSync(common) ? resolve(folder, readFileSync(common, 'utf8').trim()) : folder;
    return readFileSync(join(shared, 'config'), 'utf8');
  } catch {
    return undefined;
  }
}
