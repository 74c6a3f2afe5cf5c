/** The two documents of an engagement, as markdown: the status report and the handover pack. */
import { z } from 'zod';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { Views } from '../../projections/views.ts';
import type { PastViews } from '../../queries/as-of/past-views.ts';
import { type DocumentParts, documentParts } from '../../queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { zAt } from '../server/as-of.ts';
import type { RouteSpec } from '../server/route.ts';
import { engagementRoute, zId } from './schemas.ts';

interface Dependencies {
  readonly log: EventLog;
  readonly views: Views;
  readonly past: PastViews;
  readonly evidenceFiles: EvidenceFiles;
}

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

export function documentRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    documentRoute(deps, {
      path: '/report.md',
      operation: 'report',
      summary: 'The status report; `at` answers as it was then.',
      write: reportMarkdown,
    }),
    documentRoute(deps, {
      path: '/handover.md',
      operation: 'handover',
      summary: 'The handover pack; `at` answers as it was then.',
      write: handoverMarkdown,
    }),
  ];
}

interface Document {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly write: (parts: DocumentParts) => string;
}

function documentRoute(deps: Dependencies, { write, ...spec }: Document): RouteSpec {
  return engagementRoute({
    ...spec,
    method: 'GET',
    params: zId,
    query: z.object({ at: zAt }),
    ok: { description: 'The document.', type: MARKDOWN_TYPE },
    async handle({ params, query }) {
      const text = write(await documentParts(deps, params.id, query.at));
      return { kind: 'text', status: 200, type: MARKDOWN_TYPE, text };
    },
  });
}
