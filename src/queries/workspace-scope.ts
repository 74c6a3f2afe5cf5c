/**
 * Which project a request about plugins or connectors means: the repository around the path it gives, else that folder;
 * without a path the daemon's workspace. One place, so that all who ask mean the same one.
 *
 * - A folder has one name here, its real path: two links to a project are one project.
 * - What a run may not work in holds no plugins and launches no connectors either.
 */
import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { HttpError } from '../http/server/errors.ts';
import { isCredentialFolder, isFolder } from './run/workspace.ts';

const PATH_CHARACTERS_MAX = 4_096;
const KEY_CHARACTERS = 16;

/** The field `path`, of a query or of a body; blank is absent. A relative path is one of the daemon's workspace. */
export const zScopePath = z
  .string()
  .max(PATH_CHARACTERS_MAX)
  .refine((path) => !path.includes('\0'), 'must not hold a NUL character')
  .describe('The project: its folder, or one in it. Without it the daemon’s workspace.')
  .nullish();

export interface WorkspaceScope {
  /** Real path of a folder that exists. */
  readonly root: string;
  /** The folder in names of streams: short, and without a hyphen. */
  readonly key: string;
}

/** Throws `HttpError` 400 for what is no folder, or one that holds credentials. */
export function workspaceScope(config: Config, path: string | null | undefined): WorkspaceScope {
  const given = path == null || path.trim() === '' ? null : resolve(config.workspace, path);
  const folder = given ?? config.workspace;
  if (!isFolder(folder)) throw new HttpError(400, 'path must name a folder that exists and can be read.');
  const real = realpathSync(folder);
  const root = given === null ? real : repositoryAround(real);
  if (given !== null && root !== realpathSync(config.workspace)) {
    if ([given, real, root].some((place) => isCredentialFolder(place, config.home))) {
      throw new HttpError(400, 'path: a folder that holds credentials or settings cannot be worked in.');
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
