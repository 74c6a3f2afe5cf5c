/** The two documents of an engagement, as markdown: the status report and the handover pack. */
import { z } from 'zod';
import { readiness } from '../../commands/engagement/readiness.ts';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { Views } from '../../projections/views.ts';
import { documentThen } from '../../queries/engagement/as-of.ts';
import type { DocumentParts } from '../../queries/engagement/document-parts.ts';
import { standingsOf } from '../../queries/engagement/evidence-standing.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Answer } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { badRequest, unknownId, zAt, zId } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly log: EventLog;
  readonly views: Views;
  readonly evidenceFiles: EvidenceFiles;
}

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

const zQuery = z.object({ at: zAt });

export function documentRoutes(deps: Dependencies): readonly RouteSpec[] {
  const common = {
    method: 'GET',
    tag: 'engagements',
    auth: 'bearer',
    params: zId,
    query: zQuery,
    responses: { 200: { description: 'The document.', type: MARKDOWN_TYPE }, ...badRequest, ...unknownId },
  } as const;
  return [
    route({
      ...common,
      path: '/engagements/{id}/report.md',
      summary: 'The status report; `at` answers as it was then.',
      handle: (call) => written(deps, call, reportMarkdown),
    }),
    route({
      ...common,
      path: '/engagements/{id}/handover.md',
      summary: 'The handover pack; `at` answers as it was then.',
      handle: (call) => written(deps, call, handoverMarkdown),
    }),
  ];
}

async function written(
  deps: Dependencies,
  { params, query }: Pick<Call<z.infer<typeof zId>, z.infer<typeof zQuery>>, 'params' | 'query'>,
  write: (parts: DocumentParts) => string,
): Promise<Answer> {
  const { document, asOf } = documentThen(deps, params.id, query.at);
  const standings = await standingsOf(deps, asOf === null ? document.evidence : []);
  const text = write({ document, phases: readiness(document), standings, asOf });
  return { kind: 'text', status: 200, type: MARKDOWN_TYPE, text };
}
