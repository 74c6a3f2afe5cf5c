/**
 * Implements `PdfPort`: reads files here and renders documents in a process that lives as long as the rendering.
 *
 * - The process loads the libraries and fonts, so that the daemon does not. A document that needs too much memory ends
 *   only the process.
 * - At most `RUNNING_MAX` documents are rendered and `WAITING_MAX` wait, each within a time limit.
 */
import { addAbortListener } from 'node:events';
import { basename } from 'node:path';
import { startBoundedProcess } from '../../lib/bounded-process.ts';
import { withoutEscapeSequences } from '../../lib/escape-sequences.ts';
import { unicodeText } from '../../lib/unicode-text.ts';
import { WorkPool } from '../../lib/work-pool.ts';
import type { FileRequest, PdfDocument, PdfPort, TextDocument } from '../../ports/pdf.ts';
import { PortError } from '../../ports/port-error.ts';
import { guardPath, openDocument, readAt } from '../documents/guard.ts';
import type { PdfMessage } from './pdf-worker.ts';

const RUNNING_MAX = 2;
const WAITING_MAX = 32;
const RENDER_SECONDS_MAX = 180;
/** Heap of a rendering. Its text and its bytes are outside the heap. */
const HEAP_MIB_MAX = 200;
/** Far above the limit that a rendering observes itself. Ends a rendering whose daemon is gone. */
const CPU_SECONDS_MAX = 120;
/** How V8 ends a process whose heap is full: by signal, or with this exit code on Windows. */
const HEAP_FULL: readonly unknown[] = ['SIGABRT', 134];
const FILE_BYTES_MAX = 10 * 1024 * 1024;

export function createPdf({ home }: { readonly home: string }): PdfPort {
  const pool = new WorkPool({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => new PortError('busy', 'Too many documents are waiting; try again later.'),
  });
  return {
    read: (file) => readText(file, home),
    render: (document, signal) => pool.run(signal, (stop) => inProcess(document, stop)),
    close: () => pool.close(new PortError('unavailable', 'The daemon is stopping.')),
  };
}

async function inProcess(document: PdfDocument, signal: AbortSignal): Promise<Uint8Array> {
  const bounds = { heapMebibytesMax: HEAP_MIB_MAX, cpuSecondsMax: CPU_SECONDS_MAX };
  const rendering = startBoundedProcess(import.meta.url, './pdf-worker', bounds);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const late = (): void => reject(new PortError('timed_out', 'The document takes too long to set.'));
  using _late = setTimeout(late, RENDER_SECONDS_MAX * 1_000);
  using _aborted = addAbortListener(signal, () => reject(signal.reason));
  rendering.child.once('message', (message: PdfMessage) => {
    if (message.kind === 'rendered') resolve(message.bytes);
    else if (message.kind === 'too_large') reject(new PortError('too_large', message.message));
    else reject(new Error(`The PDF cannot be rendered: ${message.message}`));
  });
  rendering.child.once('error', reject);
  rendering.child.once('exit', (code, by) => {
    const isFull = HEAP_FULL.includes(by ?? code);
    if (isFull) reject(new PortError('too_large', `A PDF may take at most ${HEAP_MIB_MAX} MiB of memory.`));
    else reject(new Error(`The process that renders a PDF ended with ${by ?? code} and no document.`));
  });
  rendering.send(document);
  try {
    return await promise;
  } finally {
    await rendering.end();
  }
}

async function readText({ path, base, workspace }: FileRequest, home: string): Promise<TextDocument> {
  const real = await guardPath({ path, base, home, within: workspace });
  await using file = await openDocument(real).catch((error: unknown) => {
    if (error instanceof PortError && error.fault === 'unsupported') {
      throw new PortError('unsupported_media', error.message);
    }
    throw error;
  });
  const { size } = await file.stat();
  if (size > FILE_BYTES_MAX) throw new PortError('too_large', `The input has more than ${FILE_BYTES_MAX} bytes.`);
  const title = basename(real);
  const kind = MARKDOWN.test(title) ? 'markdown' : 'source';
  return { kind, title, text: textOfFile(await readAt(file, 0, size)) };
}

const MARKDOWN = /\.(?:md|markdown|mdown|mkd)$/i;

/**
 * Reads UTF-8, UTF-16 with a byte order mark, or Latin-1. Throws `PortError` for other bytes, for a NUL, and for
 * text in which more than one character in `CHARACTERS_PER_CONTROL` is a control character.
 */
export function textOfFile(bytes: Buffer): string {
  const text = withoutEscapeSequences(decoded(bytes));
  const controls = text.match(CONTROLS)?.length ?? 0;
  if (text.includes('\0') || controls * CHARACTERS_PER_CONTROL > text.length) throw notText();
  return text;
}

const CHARACTERS_PER_CONTROL = 3;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters other than white space.
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g;

/** Throws `unsupported_media`. */
function decoded(bytes: Buffer): string {
  const text = unicodeText(bytes);
  if (text !== null) return text;
  const latin = bytes.toString('latin1');
  if (/[\x7f-\x9f]/.test(latin)) throw notText();
  return latin;
}

function notText(): PortError {
  return new PortError('unsupported_media', 'The input is not text.');
}
