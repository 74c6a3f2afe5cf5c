/** The two documents of an engagement, as markdown and as PDF: the status report and the handover pack. */
import { z } from 'zod';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { PdfPort } from '../../ports/pdf.ts';
import type { Views } from '../../projections/views.ts';
import type { PastViews } from '../../queries/as-of/past-views.ts';
import { type DocumentParts, documentParts } from '../../queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { onDocument } from '../documents.ts';
import { PDF_TYPE, pdfAnswer, pdfFailures } from '../pdf.ts';
import { zAt } from '../server/as-of.ts';
import type { RouteSpec } from '../server/route.ts';
import { engagementRoute, zId } from './schemas.ts';

interface Dependencies {
  readonly log: EventLog;
  readonly views: Views;
  readonly past: PastViews;
  readonly evidenceFiles: EvidenceFiles;
  readonly pdf: PdfPort;
}

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

interface Document {
  readonly name: 'report' | 'handover';
  readonly title: string;
  readonly what: string;
  readonly write: (parts: DocumentParts) => string;
}

const DOCUMENTS: readonly Document[] = [
  { name: 'report', title: 'Status report', what: 'The status report', write: reportMarkdown },
  { name: 'handover', title: 'Handover', what: 'The handover pack', write: handoverMarkdown },
];

export function documentRoutes(deps: Dependencies): readonly RouteSpec[] {
  return DOCUMENTS.flatMap((document) => [markdownRoute(deps, document), pdfRoute(deps, document)]);
}

function markdownRoute(deps: Dependencies, { name, what, write }: Document): RouteSpec {
  return engagementRoute({
    path: `/${name}.md`,
    operation: name,
    summary: `${what}; \`at\` answers as it was then.`,
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

function pdfRoute(deps: Dependencies, { name, title, what, write }: Document): RouteSpec {
  return engagementRoute({
    path: `/${name}.pdf`,
    operation: `${name}Pdf`,
    summary: `${what} as PDF: the same text, with page numbers and bookmarks; \`at\` answers as it was then.`,
    method: 'GET',
    params: zId,
    query: z.object({ at: zAt }),
    ok: { description: 'The document.', type: PDF_TYPE },
    failures: pdfFailures,
    handle: ({ params, query, request }) =>
      onDocument(request, async (signal) => {
        const parts = await documentParts(deps, params.id, query.at);
        const { name: engagement, created_at, updated_at } = parts.document.engagement;
        const full = `${title}: ${engagement}`;
        const dates = { created_ms: created_at, changed_ms: updated_at };
        const document = { kind: 'markdown', title: full, text: write(parts), ...dates } as const;
        return pdfAnswer(await deps.pdf.render(document, signal), full);
      }),
  });
}
