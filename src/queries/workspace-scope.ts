/**
 * The project that a request about plugins or connectors names: the repository around its path, or the folder itself
 * when no repository is around it; without a path the daemon's workspace.
 *
 * - A folder is known by its real path: two links to a project are one project.
 * - A folder in which no run may work holds no plugins and launches no connectors either.
 */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { refused } from '../commands/refusal.ts';
import { isCredentialFolder, isFolder } from './run/workspace.ts';

const PATH_CHARACTERS_MAX = 4_096;
const KEY_CHARACTERS = 16;

/** The field `path` of a query or a body. Blank means absent; a relative path starts at the daemon's workspace. */
export const zScopePath = z
  .string()
  .max(PATH_CHARACTERS_MAX)
  .refine((path) => !path.includes('\0'), 'must not hold a NUL character')
  .describe('The project: its folder, or one in it. Without it the daemon’s workspace.')
  .nullish();

/** The settings of the daemon that scopes depend on; absolute paths. */
export interface ScopeSettings {
  readonly home: string;
  readonly workspace: string;
}

export interface WorkspaceScope {
  /** Real path of a folder that exists. */
  readonly root: string;
  /** The folder in names of streams: a hash, without a hyphen. */
  readonly key: string;
}

/** Throws `Refused` (invalid) for a path that is no folder, or one that holds credentials. */
export function workspaceScope(config: ScopeSettings, path: string | null | undefined): WorkspaceScope {
  const given = path == null || path.trim() === '' ? null : resolve(config.workspace, path);
  const folder = given ?? config.workspace;
  if (!isFolder(folder)) throw refused('invalid', 'path must name a folder that exists and can be read.');
  const real = realpathSync(folder);
  const root = given === null ? real : repositoryAround(real);
  if (given !== null && root !== realpathSync(config.workspace)) {
    if ([given, real, root].some((place) => isCredentialFolder(place, config.home))) {
      throw refused('invalid', 'path: a folder that holds credentials or settings cannot be worked in.');
    }
  }
  return { root, key: createHash('sha256').update(root).digest('hex').slice(0, KEY_CHARACTERS) };
}

/** The nearest folder around that holds `.git`, itself included; the folder itself when there is none. */
function repositoryAround(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
}
