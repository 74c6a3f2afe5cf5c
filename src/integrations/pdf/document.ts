/**
 * Renders a document as PDF bytes; equal documents give equal bytes.
 *
 * - Limits on pages, processor time and characters of markdown bound time and memory. A document beyond a limit is a
 *   `PortError` (too_large) that names the limit.
 * - Dates come with the document or are the epoch; the file's id is derived from them and the title.
 * - Nothing is fetched: images and links appear as text.
 */
import { characterCount } from '../../lib/characters.ts';
import type { PdfDocument, TextDocument } from '../../ports/pdf.ts';
import { PortError } from '../../ports/port-error.ts';
import { writeBlocks, writeHeading } from './blocks.ts';
import { writeConversation } from './conversation.ts';
import { MONO_ADVANCE } from './fonts.ts';
import { wholeFrame, writeSpans } from './lines.ts';
import { markdownBlocks } from './markdown.ts';
import { columnsIn, countLines, drawColumns, fold, linesOf } from './monospace.ts';
import { createPageWriter, type PageWriter } from './pages.ts';

/** A parsed text takes about 50 bytes of memory per character. */
const MARKDOWN_CHARACTERS_MAX = 4_000_000;

/** `spentMs` is the processor time of the rendering so far; default: that of this thread. */
export async function renderDocument(
  document: PdfDocument,
  spentMs: () => number = stopwatch(),
): Promise<Uint8Array<ArrayBuffer>> {
  if (document.kind === 'markdown' && characterCount(document.text) > MARKDOWN_CHARACTERS_MAX) {
    const message = `A markdown document may have at most ${MARKDOWN_CHARACTERS_MAX} characters.`;
    throw new PortError('too_large', message);
  }
  const { created_ms, changed_ms } = document.kind === 'conversation' ? document : UNDATED;
  const pages = await createPageWriter({
    title: document.title,
    created: new Date(created_ms),
    changed: new Date(changed_ms),
    long: document.kind !== 'conversation' && document.text.length > LONG_CHARACTERS,
    spentMs,
  });
  await writeContent(pages, document);
  writeMissingCharacters(pages);
  return pages.finish();
}

/** Measures the processor time of this thread from now on, in milliseconds. */
function stopwatch(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

/** About 200 pages. */
const LONG_CHARACTERS = 500_000;

/** A PDF needs dates, but the dates of a file do not describe its content. */
const UNDATED = { created_ms: 0, changed_ms: 0 };

async function writeContent(pages: PageWriter, document: PdfDocument): Promise<void> {
  switch (document.kind) {
    case 'conversation':
      return writeConversation(pages, document);
    case 'markdown':
      return writeBlocks(pages, await markdownBlocks(document.text));
    case 'source':
      return writeSource(pages, document);
  }
}

const SOURCE_SIZE = 8;
const SOURCE_HEIGHT = 10.5;
const GAP_COLUMNS = 2;
const NUMBER_COLOR = '#888888';

/** Writes a text file line by line: line numbers in a gutter, long lines folded, all columns of one width. */
function writeSource(pages: PageWriter, { title, text }: TextDocument): void {
  writeHeading(pages, { level: 1, spans: [{ text: title, style: 'bold' }] }, { frame: wholeFrame(pages) });
  pages.space(4);
  const advance = MONO_ADVANCE * SOURCE_SIZE;
  const gutter = String(countLines(text)).length;
  const indent = (gutter + GAP_COLUMNS) * advance;
  const columns = columnsIn(pages.width - indent, SOURCE_SIZE);
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    let label = String(number);
    for (const piece of fold(line, columns)) {
      const y = pages.take(SOURCE_HEIGHT);
      const x = pages.left + (gutter - label.length) * advance;
      if (label !== '') pages.text(label, 'mono', { x, y, size: SOURCE_SIZE, color: NUMBER_COLOR });
      label = '';
      drawColumns(pages, piece, { x: pages.left + indent, y, size: SOURCE_SIZE });
    }
  }
}

const NAMED_MAX = 40;

/** Lists the replaced characters, so that readers do not take the replacement for the text. */
function writeMissingCharacters(pages: PageWriter): void {
  const { codePoints, count } = pages.fonts.missing;
  if (count === 0) return;
  const names = [...codePoints]
    .slice(0, NAMED_MAX)
    .map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codePoints.size > NAMED_MAX ? ` and ${codePoints.size - NAMED_MAX} others` : '';
  const characters = count === 1 ? '1 character is' : `${count} characters are`;
  const text = `${characters} not in the embedded font and shown as \ufffd: ${names.join(', ')}${more}.`;
  pages.space(12);
  writeSpans(pages, [{ text, style: 'italic' }], { frame: wholeFrame(pages), size: 8, color: '#555555' });
}
