/**
 * The folders in which a run may work: they exist, hold no credentials and are not Daybook's own. The check covers
 * every part of the path, as written and after following links.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { refused } from '../../commands/refusal.ts';
import { homeDirectory } from '../../lib/home-directory.ts';
import { isFolder, isInside } from '../../lib/paths.ts';
import { CREDENTIAL_NAMES, foldFileName, SYSTEM_FOLDERS } from '../../lib/sensitive-paths.ts';

/** The daemon's own folders, as its settings name them. */
export interface DaemonFolders {
  readonly home: string;
  readonly workspace: string;
}

/** Names that are harmless inside a workspace, but refused as the workspace: such a folder holds settings of a user. */
const NAMES: ReadonlySet<string> = new Set([
  ...CREDENTIAL_NAMES,
  ...['.docker', '.gem', '.terraform.d', '.npmrc', '.pypirc', 'keychains', 'keyrings'],
]);

/** Programs that keep tokens below a `.config` folder. The user's own `.config` is closed as a whole. */
const CONFIG_NAMES: ReadonlySet<string> = new Set(['gcloud', 'gh', 'hub', 'op', 'doctl', 'glab-cli', 'configstore']);

/**
 * Why no run may work in this absolute path, or null. The message names the request field. The daemon's own
 * workspace is always allowed, because its owner chose it.
 */
export function credentialFault(
  { home, workspace }: DaemonFolders,
  { path, field }: { readonly path: string; readonly field: string },
): string | null {
  if (path === workspace || !isCredentialFolder(path, home)) return null;
  return `${field}: a folder that holds credentials or settings cannot be worked in.`;
}

/**
 * The folder in which a run goes on, or its fork begins. Throws `Refused` when it is gone: its tools would change files
 * of the same names in another folder. A chat has no tools.
 */
export function folderOfRun(workspace: string, mode: string | null | undefined): string {
  if (mode === 'chat' || isFolder(workspace)) return workspace;
  throw refused(
    'conflict',
    'The folder in which this run worked is gone: put it back, or resume the run with workspace_root.',
  );
}

/** Whether this absolute path is, or lies in, a folder of credentials or of Daybook's own files. */
export function isCredentialFolder(path: string, home: string): boolean {
  return [resolve(path), realPath(path)].some((place) => isCredentialPath(place, home));
}

function isCredentialPath(path: string, home: string): boolean {
  if (SYSTEM_FOLDERS.test(path)) return true;
  const names = path.split(sep).map(foldFileName);
  const named = names.some(
    (name, index) => NAMES.has(name) || (names[index - 1] === '.config' && CONFIG_NAMES.has(name)),
  );
  return named || closedFolders(home).some((closed) => isInside(folded(closed), folded(path)));
}

/** Daybook's own files and the user's settings, by their names and by their real paths. */
function closedFolders(home: string): readonly string[] {
  const user = homeDirectory();
  const own = user === null ? [] : ['.daybook', '.config', '.claude'].map((name) => join(user, name));
  return [home, ...own].flatMap((folder) => [resolve(folder), realPath(folder)]);
}

/** Without differences of case and of dots at the end, which some file systems ignore. */
function folded(path: string): string {
  return path.split(sep).map(foldFileName).join(sep);
}

/** The path without links. Of a path that does not exist, the links of its deepest parent that exists are followed. */
export function realPath(path: string): string {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing);
    } catch {
      if (dirname(at) === at) return resolve(path);
      missing.unshift(basename(at));
    }
  }
}
