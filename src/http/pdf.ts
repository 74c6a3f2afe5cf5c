/** PDF export: the conversation of a task, and a text file of the workspace. */
import { basename, extname, resolve } from 'node:path';
import { z } from 'zod';
import { cut } from '../lib/characters.ts';
import type { PdfPort } from '../ports/pdf.ts';
import { task as taskRow } from '../projections/task.ts';
import type { Views } from '../projections/views.ts';
import { taskConversation } from '../queries/run/conversation.ts';
import { whileConnected } from './server/disconnect.ts';
import { notFound } from './server/errors.ts';
import { type Answer, bytes, type RouteSpec, routesOf } from './server/route.ts';

const { get, post } = routesOf({ tag: 'tasks' });

interface Dependencies {
  readonly config: { readonly workspace: string };
  readonly views: Views;
  readonly pdf: PdfPort;
}

const PDF_TYPE = 'application/pdf';
const PATH_CHARACTERS_MAX = 4_096;
const NAME_CHARACTERS_MAX = 80;

/** A document that is rendered, or how that fails. */
export const pdfResponses = {
  200: { description: 'The document.', headers: { 'Content-Disposition': 'Name of the file.' }, type: PDF_TYPE },
  413: 'The PDF exceeds a bound that the error names.',
  503: 'Too many documents are waiting.',
  504: 'The document takes too long to set.',
};

export function pdfRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [
    get('/api/tasks/{id}/export.pdf', {
      operation: 'exportPdf',
      summary: 'The conversation of `/api/tasks/{id}/history` as PDF; empty without a session.',
      params: z.object({ id: z.string() }),
      responses: { ...pdfResponses, 404: 'Unknown task.' },
      handle({ params, request }) {
        const row = taskRow(deps.views, params.id);
        if (row === undefined) throw notFound('Task', params.id);
        const document = taskConversation(deps.views, row);
        return whileConnected(request, async (signal) => pdfAnswer(await deps.pdf.render(document, signal), row.title));
      },
    }),
    post('/api/vibedesk/files/export.pdf', {
      tag: 'files',
      operation: 'exportPdf',
      summary: 'A text file of the workspace as PDF: markdown is rendered, other text has line numbers.',
      body: z.object({
        path: z.string().min(1).max(PATH_CHARACTERS_MAX).describe('The file.'),
        root: z
          .string()
          .max(PATH_CHARACTERS_MAX)
          .refine((text) => !text.includes('\0'), 'must not hold a NUL character.')
          .nullish()
          .describe('Base of a relative `path`, itself relative to the workspace; absent: the workspace.'),
      }),
      responses: {
        ...pdfResponses,
        400: 'path is missing or empty.',
        403: 'path is outside the workspace or in a credential store.',
        404: 'There is no such file.',
        413: 'The file, or its PDF, exceeds a bound that the error names.',
        415: 'The file is not text.',
      },
      handle({ body, request }) {
        const { workspace } = deps.config;
        const base = resolve(workspace, body.root ?? '');
        return whileConnected(request, async (signal) => {
          const document = await deps.pdf.read({ path: body.path, base, workspace });
          return pdfAnswer(await deps.pdf.render(document, signal), basename(document.title, extname(document.title)));
        });
      },
    }),
  ];
}

/** The document as a file to save, named after its title. */
export function pdfAnswer(of: Uint8Array, title: string): Answer {
  // Neither control characters nor separators, and no marks that turn the end of the name around.
  const name = `${cut(title, NAME_CHARACTERS_MAX).text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]+/gu, '_')}.pdf`;
  // `filename` is ASCII only; `filename*` (RFC 8187) holds the full name.
  const plain = name.replace(/[^\w.-]+/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return bytes(PDF_TYPE, of, {
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
  });
}
