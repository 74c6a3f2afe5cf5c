/** Worker thread that renders one document and posts its bytes. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PdfDocument } from '../../ports/pdf.ts';
import { renderDocument } from './document.ts';

export interface PdfMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const bytes = await renderDocument(workerData as PdfDocument);
parentPort?.postMessage({ bytes } satisfies PdfMessage, [bytes.buffer]);
