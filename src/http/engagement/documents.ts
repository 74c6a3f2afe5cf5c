/** The two documents of an engagement, as markdown: the status report and the handover pack. */
import { z } from 'zod';
import { readiness } from '../../commands/engagement/readiness.ts';
import { documentThen } from '../../queries/engagement/as-of.ts';
import type { DocumentParts } from '../../queries/engagement/document-parts.ts';
import { standingsOf } from '../../queries/engagement/evidence-standing.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import type { House } from '../house.ts';
import type { Answer } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { badRequest, unknownId, zAt, zId } from './schemas.ts';

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

const zQuery = z.object({ at: zAt });

export function documentRoutes(house: House): readonly RouteSpec[] {
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
      handle: (call) => written(house, call, reportMarkdown),
    }),
    route({
      ...common,
      path: '/engagements/{id}/handover.md',
      summary: 'The handover pack; `at` answers as it was then.',
      handle: (call) => written(house, call, handoverMarkdown),
    }),
  ];
}

async function written(
  house: House,
  { params, query }: Pick<Call<z.infer<typeof zId>, z.infer<typeof zQuery>>, 'params' | 'query'>,
  write: (parts: DocumentParts) => string,
): Promise<Answer> {
  const { document, asOf } = documentThen(house, params.id, query.at);
  const standings = await standingsOf(house, asOf === null ? document.evidence : []);
  const text = write({ document, phases: readiness(document), standings, asOf });
  return { kind: 'text', status: 200, type: MARKDOWN_TYPE, text };
}
