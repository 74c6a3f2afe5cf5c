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

/** Below `~/.config` these keep tokens; on the rest of it nothing is said. */
const CONFIG_NAMES: ReadonlySet<string> = new Set(['gcloud', 'gh', 'hub', 'op', 'doctl', 'glab-cli', 'configstore']);

const PSEUDO_FILE_SYSTEMS = /^\/(?:proc|sys|dev)(?:\/|$)/;

/** Is this absolute path in, or itself, a place where credentials or Daybook's own files are kept? */
export function isCredentialFolder(path: string, home: string): boolean {
  return [resolve(path), real(path)].some((place) => isCredentialPlace(place, home));
}

function isCredentialPlace(path: string, home: string): boolean {
  if (PSEUDO_FILE_SYSTEMS.test(path)) return true;
  const names = path.split(sep).map((name) =>
    name
      .normalize('NFC')
      .replace(/[. ]+$/, '')
      .toLowerCase(),
  );
  const named = names.some(
    (name, index) => NAMES.has(name) || (names[index - 1] === '.config' && CONFIG_NAMES.has(name)),
  );
  return named || [resolve(home), real(home), join(homedir(), '.daybook')].some((own) => isInside(own, path));
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
