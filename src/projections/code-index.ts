/**
 * One row for each index: its last build, under way or ended. The indexes themselves are files. A build never ends
 * before it was requested, also when the clock is set back.
 */
import type { IndexBuildEvent } from '../events/code-index.ts';
import { handlers, idOf, type Projection } from './projection.ts';
import { column, replaceRow } from './rows.ts';
import type { Views } from './views.ts';

export const indexBuilds: Projection = {
  name: 'index_builds',
  version: 3,
  tables: ['index_builds'],
  create: `
CREATE TABLE index_builds (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, dimensions INTEGER,
  build TEXT NOT NULL, state TEXT NOT NULL, requested_at INTEGER NOT NULL, finished_at INTEGER, message TEXT,
  position INTEGER NOT NULL
) WITHOUT ROWID;`,
  on: handlers<IndexBuildEvent>({
    IndexBuildRequested: (views, event) => {
      const { build, target } = event.data;
      const { workspace, provider, model, dimensions } = target;
      const choice = { workspace, provider, model, dimensions };
      const { at: requested_at, position } = event;
      replaceRow(views, 'index_builds', {
        id: idOf(event.stream),
        ...choice,
        build,
        state: 'building',
        requested_at,
        position,
      });
    },
    IndexBuilt: (views, event) =>
      views.run(
        `UPDATE index_builds SET state = 'built', finished_at = max(?, requested_at), message = ? WHERE id = ?`,
        event.at,
        event.data.outcome.notes.join(' ') || null,
        idOf(event.stream),
      ),
    IndexBuildFailed: (views, event) =>
      views.run(
        'UPDATE index_builds SET state = ?, finished_at = max(?, requested_at), message = ? WHERE id = ?',
        event.data.reason === 'interrupted' ? 'interrupted' : 'failed',
        event.at,
        event.data.message,
        idOf(event.stream),
      ),
  }),
};

export const INDEX_BUILD_STATES = ['building', 'built', 'failed', 'interrupted'] as const;

export interface IndexBuildRow {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number | null;
  /** The id of the build. */
  readonly build: string;
  readonly state: (typeof INDEX_BUILD_STATES)[number];
  /** Unix milliseconds. */
  readonly requested_at: number;
  readonly finished_at: number | null;
  readonly message: string | null;
}

const COLUMNS = 'id, provider, model, dimensions, build, state, requested_at, finished_at, message';

export function lastIndexBuild(views: Views, id: string): IndexBuildRow | undefined {
  return views.get<IndexBuildRow>(`SELECT ${COLUMNS} FROM index_builds WHERE id = ?`, id);
}

/** The most recently requested build of a workspace, of any model. */
export function newestIndexBuild(views: Views, workspace: string): IndexBuildRow | undefined {
  return views.get<IndexBuildRow>(
    `SELECT ${COLUMNS} FROM index_builds WHERE workspace = ? ORDER BY position DESC LIMIT 1`,
    workspace,
  );
}

/** Indexes whose last build has not ended. */
export function buildingIndexIds(views: Views): readonly string[] {
  return column(views, "SELECT id FROM index_builds WHERE state = 'building' ORDER BY position");
}
