/** The wing of a workspace: the last two parts of its git origin without credentials, else the name of its folder. */
import { basename, join, resolve } from 'node:path';
import { repositoryTop } from '../../lib/paths.ts';
import { commonFolder, smallText } from './layout.ts';

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
  const top = repositoryTop(resolve(workspace));
  if (top === undefined) return undefined;
  const config = smallText(join(commonFolder(top), 'config')) ?? '';
  return /\[remote "origin"\][^[]*?^[ \t]*url[ \t]*=[ \t]*(\S+)/mu.exec(config)?.[1];
}
