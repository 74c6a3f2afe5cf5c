/** A run as PDF: its task, each message, and each tool call with its input and output. */
import { z } from 'zod';
import type { ConversationDocument, PdfPort } from '../../ports/pdf.ts';
import { job } from '../../projections/run/job-rows.ts';
import type { Views } from '../../projections/views.ts';
import type { AsOf } from '../../queries/as-of/past-views.ts';
import { runConversation } from '../../queries/run/conversation.ts';
import { ofRun, type PastJobSources } from '../../queries/run/past-jobs.ts';
import { pdfAnswer, pdfResponses } from '../pdf.ts';
import { invalidAt, zAt } from '../server/as-of.ts';
import { whileConnected } from '../server/disconnect.ts';
import { notFound } from '../server/errors.ts';
import { type RouteSpec, routesOf } from '../server/route.ts';

const { get } = routesOf({ tag: 'runs' });

export interface Dependencies extends PastJobSources {
  readonly pdf: PdfPort;
}

export function runPdfRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/jobs/{id}/export.pdf', {
      operation: 'exportPdf',
      summary: 'The run as PDF: its messages and its tool calls; `at` answers as it was then.',
      params: z.object({ id: z.string() }),
      query: z.object({ at: zAt }),
      responses: {
        ...invalidAt,
        404: 'Unknown run, or not at that time.',
        ...pdfResponses,
      },
      handle: ({ params: { id }, query: { at }, request }) =>
        whileConnected(request, async (signal) => {
          const document = await documentOf(deps, { id, at, signal });
          if (document === undefined) throw notFound('Session', id);
          return pdfAnswer(await deps.pdf.render(document, signal), document.title);
        }),
    }),
  ];
}

async function documentOf(
  { views, past }: Dependencies,
  { id, at, signal }: { readonly id: string; readonly at: string | undefined; readonly signal: AbortSignal },
): Promise<ConversationDocument | undefined> {
  if (at === undefined) return documentIn(views, id);
  const then = await past.moment(at, signal);
  const { result, asOf } = await past.read(then, ofRun(id), (folded) => documentIn(folded, id), signal);
  return result && { ...result, facts: [...result.facts, ...asOfFacts(asOf)] };
}

function documentIn(views: Views, id: string): ConversationDocument | undefined {
  const row = job(views, id);
  return row && runConversation(views, row);
}

function asOfFacts({ asked, position, at, leaf_hash }: AsOf): ConversationDocument['facts'] {
  if (at === null) return [];
  const event = `event ${position} of the log, of ${new Date(at).toISOString()}, leaf hash ${leaf_hash}`;
  return [['As of', `${asked} (${event}). This is not the present state.`]];
}
