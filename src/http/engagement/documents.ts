/** The two documents of an engagement, as markdown and as PDF: the status report and the handover pack. */
import { z } from 'zod';
import type { EvidenceFiles } from '../../ports/evidence-files.ts';
import type { PdfPort } from '../../ports/pdf.ts';
import type { EngagementSources } from '../../queries/engagement/as-of.ts';
import { type DocumentParts, documentParts } from '../../queries/engagement/document-parts.ts';
import { handoverMarkdown } from '../../queries/engagement/handover.ts';
import { reportMarkdown } from '../../queries/engagement/report.ts';
import { pdfAnswer, pdfResponses } from '../pdf.ts';
import { zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { MARKDOWN_TYPE, type RouteSpec, text } from '../server/route.ts';
import { ofEngagement, zId } from './schemas.ts';

export interface Dependencies extends EngagementSources {
  readonly evidenceFiles: EvidenceFiles;
  readonly pdf: PdfPort;
}

interface Document {
  readonly name: 'report' | 'handover';
  readonly title: string;
  readonly summary: string;
  readonly write: (parts: DocumentParts) => string;
}

const DOCUMENTS: readonly Document[] = [
  { name: 'report', title: 'Status report', summary: 'The status report', write: reportMarkdown },
  { name: 'handover', title: 'Handover', summary: 'The handover pack', write: handoverMarkdown },
];

export function documentRoutes(deps: Dependencies): readonly RouteSpec[] {
  return DOCUMENTS.flatMap((document) => [markdownRoute(deps, document), pdfRoute(deps, document)]);
}

function markdownRoute(deps: Dependencies, { name, summary, write }: Document): RouteSpec {
  return ofEngagement.get(`/${name}.md`, {
    operation: name,
    summary: `${summary}; \`at\` answers as it was then.`,
    params: zId,
    query: z.object({ at: zAt }),
    responses: { 200: { description: 'The document.', type: 'text/markdown' } },
    handle: async ({ params, query }) => text(MARKDOWN_TYPE, write(await documentParts(deps, params.id, query.at))),
  });
}

function pdfRoute(deps: Dependencies, { name, title, summary, write }: Document): RouteSpec {
  return ofEngagement.get(`/${name}.pdf`, {
    operation: `${name}Pdf`,
    summary: `${summary} as PDF: the same text, with page numbers and bookmarks; \`at\` answers as it was then.`,
    params: zId,
    query: z.object({ at: zAt }),
    responses: pdfResponses,
    handle: ({ params, query, request }) =>
      whileConnected(request, async (signal) => {
        const parts = await documentParts(deps, params.id, query.at);
        const { name: engagement, created_at, updated_at } = parts.document.engagement;
        const fullTitle = `${title}: ${engagement}`;
        const dates = { created_ms: created_at, changed_ms: updated_at };
        const document = { kind: 'markdown', title: fullTitle, text: write(parts), ...dates } as const;
        return pdfAnswer(await deps.pdf.render(document, signal), fullTitle);
      }),
  });
}
