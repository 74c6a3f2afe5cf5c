/**
 * Which folders a run may be given to work in: those that exist, hold no credentials and are not Daybook's own. Judged
 * by every name on the way, as given and after links were followed.
 */
import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Config } from '../../config.ts';
import { HttpError } from '../../http/server/errors.ts';
import { CREDENTIAL_NAMES, foldFileName, SYSTEM_FOLDERS } from '../../lib/sensitive-paths.ts';

/** Inside a workspace these are a project's own business; as the workspace they are somebody's settings. */
const NAMES: ReadonlySet<string> = new Set([
  ...CREDENTIAL_NAMES,
  ...['.docker', '.gem', '.terraform.d', '.npmrc', '.pypirc', 'keychains', 'keyrings'],
]);

/** Below any other `.config` than the user's own, which is closed as a whole, these keep tokens. */
const CONFIG_NAMES: ReadonlySet<string> = new Set(['gcloud', 'gh', 'hub', 'op', 'doctl', 'glab-cli', 'configstore']);

/** A path that is too long, runs in circles or may not be looked at is none, as one where nothing is. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Refuses a folder that holds credentials by the name of the field it came in. The daemon's own workspace is its owner's choice. */
export function requireNoCredentials({ home, workspace }: Config, folder: { path: string; field: string }): void {
  if (folder.path === workspace || !isCredentialFolder(folder.path, home)) return;
  throw new HttpError(400, `${folder.field}: a folder that holds credentials or settings cannot be worked in.`);
}

/** Is this absolute path in, or itself, a place where credentials or Daybook's own files are kept? */
export function isCredentialFolder(path: string, home: string): boolean {
  return [resolve(path), real(path)].some((place) => isCredentialPlace(place, home));
}

function isCredentialPlace(path: string, home: string): boolean {
  if (SYSTEM_FOLDERS.test(path)) return true;
  const names = path.split(sep).map(foldFileName);
  const named = names.some(
    (name, index) => NAMES.has(name) || (names[index - 1] === '.config' && CONFIG_NAMES.has(name)),
  );
  return named || closedFolders(home).some((closed) => isInside(closed, path));
}

/** Daybook's own files and the user's settings, by their names and where they really are. */
function closedFolders(home: string): readonly string[] {
  const folders = [home, join(homedir(), '.daybook'), join(homedir(), '.config')];
  return folders.flatMap((folder) => [resolve(folder), real(folder)]);
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Where a path really is; of one that does not exist, as it was given. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
