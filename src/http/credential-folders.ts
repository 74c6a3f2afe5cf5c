/**
 * Folders that hold credentials or are Daybook's own: no run may be given one as its workspace. Judged by every name on
 * the way, as given and after links were followed.
 */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';

const NAMES: ReadonlySet<string> = new Set([
  ...['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.gcloud', '.docker', '.password-store', '.gem', '.terraform.d'],
  ...['.netrc', '.pgpass', '.git-credentials', '.npmrc', '.pypirc', 'keychains', 'keyrings'],
]);

/** Below any other `.config` than the user's own, which is closed as a whole, these keep tokens. */
const CONFIG_NAMES: ReadonlySet<string> = new Set(['gcloud', 'gh', 'hub', 'op', 'doctl', 'glab-cli', 'configstore']);

const SYSTEM_FOLDERS = /^(?:\/private)?\/(?:proc|sys|dev|etc)(?:\/|$)/;

/** Is this absolute path in, or itself, a place where credentials or Daybook's own files are kept? */
export function isCredentialFolder(path: string, home: string): boolean {
  return [resolve(path), real(path)].some((place) => isCredentialPlace(place, home));
}

function isCredentialPlace(path: string, home: string): boolean {
  if (SYSTEM_FOLDERS.test(path)) return true;
  const names = path.split(sep).map((name) =>
    name
      .normalize('NFC')
      .replace(/[. ]+$/, '')
      .toLowerCase(),
  );
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
