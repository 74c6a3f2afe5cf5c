/** A process that renders one document and sends its bytes, or the reason for the failure. */
import { receiveJob, tellStarter } from '../../lib/bounded-process.ts';
import { keepCompiledCode } from '../../lib/compiled-code.ts';
import type { PdfDocument } from '../../ports/pdf.ts';
import { PortError } from '../../ports/port-error.ts';
import { renderDocument } from './document.ts';

export type PdfMessage =
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too_large' | 'failed'; readonly message: string };

async function answer(): Promise<PdfMessage> {
  try {
    return { kind: 'rendered', bytes: await renderDocument(await receiveJob<PdfDocument>()) };
  } catch (error) {
    const kind = error instanceof PortError ? 'too_large' : 'failed';
    return { kind, message: (error as Error).message };
  }
}

const message = await answer();
keepCompiledCode();
tellStarter(message);
