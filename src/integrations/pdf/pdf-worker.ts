/** Worker thread that renders one document and posts its bytes, or why the document is refused. */
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from '../../ports/documents.ts';
import type { PdfDocument } from '../../ports/pdf.ts';
import { renderDocument } from './document.ts';

export type PdfMessage =
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too_large'; readonly message: string };

try {
  const bytes = await renderDocument(workerData as PdfDocument);
  parentPort?.postMessage({ kind: 'rendered', bytes } satisfies PdfMessage, [bytes.buffer]);
} catch (error) {
  if (!(error instanceof DocumentError)) throw error;
  parentPort?.postMessage({ kind: 'too_large', message: error.message } satisfies PdfMessage);
}
