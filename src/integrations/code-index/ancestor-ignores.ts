/**
 * Ignore rules from outside the workspace: `.gitignore` of its parent folders up to the top of the repository, and the
 * repository's `info/exclude`.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type IgnoreFile, parseIgnoreFile } from '../tools/ignore.ts';

const FILE_BYTES_MAX = 1024 * 1024;

/** Outermost first; none outside a repository. */
export function ancestorIgnores(workspace: string): readonly IgnoreFile[] {
  const top = repositoryTop(workspace);
  if (top === null) return [];
  const folders: string[] = [];
  for (let folder = workspace; folder !== top; folder = dirname(folder)) folders.unshift(dirname(folder));
  const files = [
    { path: join(top, '.git', 'info', 'exclude'), folder: top },
    ...folders.map((folder) => ({ path: join(folder, '.gitignore'), folder })),
  ];
  return files.flatMap(({ path, folder }) => {
    const text = textOf(path);
    const inner = relative(folder, workspace).split(sep).join('/');
    return text === null ? [] : [{ ...parseIgnoreFile(text, ''), prefix: inner === '' ? '' : `${inner}/` }];
  });
}

function repositoryTop(workspace: string): string | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function textOf(path: string): string | null {
  try {
    const about = statSync(path);
    return about.isFile() && about.size <= FILE_BYTES_MAX ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
