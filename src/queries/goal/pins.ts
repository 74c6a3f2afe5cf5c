/** The pin of a workspace. A workspace is one folder, whichever path of it a caller writes. */
import { isAbsolute } from 'node:path';
import { type GoalPinRow, pinIn } from '../../projections/goal.ts';
import type { Views } from '../../projections/views.ts';
import { realPath } from '../run/workspace.ts';

/** No folder has a longer path. */
const PATH_CHARACTERS_MAX = 4_096;

interface PinSlot {
  /** The real path of an absolute path, else the text itself; null is the global slot. */
  readonly workspace: string | null;
  /** Other paths of the folder, which the log may hold as slots. */
  readonly aliases: readonly string[];
}

/** The slot in which a goal is pinned for a workspace. */
export function pinSlot(workspace: string | null): PinSlot {
  if (workspace === null || !isAbsolute(workspace) || workspace.length > PATH_CHARACTERS_MAX)
    return { workspace, aliases: [] };
  const real = realPath(workspace);
  return { workspace: real, aliases: [workspace, `${workspace}/`].filter((path) => path !== real) };
}

export function pinOf(views: Views, asked: string | null): GoalPinRow | undefined {
  const { workspace, aliases } = pinSlot(asked);
  return [workspace, ...aliases].map((slot) => pinIn(views, slot)).find((pin) => pin !== undefined);
}
