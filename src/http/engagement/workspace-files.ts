/** The files of an engagement's workspace, searched by a part of their path. */
import { z } from 'zod';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { Views } from '../../projections/views.ts';
import { requireEngagement } from '../../queries/engagement/lookup.ts';
import { workspaceFiles, zWorkspaceFiles } from '../../queries/engagement/workspace-files.ts';
import { ok } from '../responses.ts';
import { queryNumber } from '../server/query-params.ts';
import { type RouteSpec, value } from '../server/route.ts';
import { ofEngagement, zId, zName } from './schemas.ts';

interface Dependencies {
  readonly views: Views;
  readonly evidenceFiles: EvidenceFiles;
}

const FILES_DEFAULT = 20;
const FILES_MAX = 200;

export function workspaceFilesRoute({ views, evidenceFiles }: Dependencies): RouteSpec {
  return ofEngagement.get('/workspace-files', {
    operation: 'workspaceFiles',
    summary: 'Files of the workspace by a part of their path, to choose evidence from; credentials are left out.',
    params: zId,
    query: z.object({
      q: zName.default('').describe('Each of its words is in the path, in any case; absent: every file.'),
      limit: queryNumber({ min: 1, max: FILES_MAX }).default(FILES_DEFAULT).describe('At most so many files.'),
    }),
    responses: ok('The files, and how many there are in all.', zWorkspaceFiles),
    async handle({ params, query }) {
      return value(await workspaceFiles(evidenceFiles, requireEngagement(views, params.id), query));
    },
  });
}
