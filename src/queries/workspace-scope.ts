/**
 * The project of a request about plugins or connectors: the repository around its path, else the folder itself;
 * without a path the daemon's workspace.
 *
 * - A project is identified by its real path, so that two links to one folder are one project.
 * - A folder in which no run may work is refused here, too.
 */
import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { refused } from '../commands/refusal.ts';
import { isFolder, repositoryTop } from '../lib/paths.ts';
import { credentialFault, type DaemonFolders } from './run/workspace.ts';

const PATH_CHARACTERS_MAX = 4_096;
const KEY_CHARACTERS = 16;

/** The field `path` of a query or a body. Blank means absent; a relative path starts at the daemon's workspace. */
export const zScopePath = z
  .string()
  .max(PATH_CHARACTERS_MAX)
  .refine((path) => !path.includes('\0'), 'must not hold a NUL character')
  .nullish()
  .describe('The project: its folder, or one in it. Without it the daemon’s workspace.');

export interface WorkspaceScope {
  /** Real path of a folder that exists. */
  readonly root: string;
  /** The folder as part of stream names: short and without a hyphen. */
  readonly key: string;
}

export type ScopePath = string | null | undefined;

/** Throws `Refused` (invalid) for a path that is no folder, or a folder that holds credentials. */
export function workspaceScope({ home, workspace }: DaemonFolders, path: ScopePath): WorkspaceScope {
  const requested = requestedFolder(workspace, path);
  const folder = requested ?? workspace;
  if (!isFolder(folder)) {
    const what = requested === null ? 'The workspace of the daemon must be' : 'path must name';
    throw refused('invalid', `${what} a folder that exists and can be read.`);
  }
  const real = realpathSync(folder);
  const root = requested === null ? real : (repositoryTop(real) ?? real);
  if (requested !== null && root !== realpathSync(workspace)) {
    for (const folder of [requested, real, root]) {
      const fault = credentialFault({ home, workspace }, { path: folder, field: 'path' });
      if (fault !== null) throw refused('invalid', fault);
    }
  }
  return { root, key: hash('sha256', root).slice(0, KEY_CHARACTERS) };
}

/** Whether a request without a path means the daemon's workspace, and that is gone. */
export function lacksWorkspace({ workspace }: DaemonFolders, path: ScopePath): boolean {
  return requestedFolder(workspace, path) === null && !isFolder(workspace);
}

/** null: the daemon's workspace. */
function requestedFolder(workspace: string, path: ScopePath): string | null {
  return path == null || path.trim() === '' ? null : resolve(workspace, path);
}
