/**
 * Sets a document as PDF bytes: the same document gives the same bytes, whenever and wherever it is set.
 *
 * - Dates come with the document, or are the epoch; the file's id is made of them and the title.
 * - What is asked of the outside is nothing: images and links of a text are named, never fetched.
 */
import type { PdfDocument } from '../../ports/pdf.ts';
import { setBlocks } from './blocks.ts';
import { setConversation } from './conversation.ts';
import { setSpans, wholeFrame } from './lines.ts';
import { markdownBlocks } from './markdown.ts';
import { createSheet, type Sheet } from './sheet.ts';
import { setSource } from './source.ts';

export async function setDocument(document: PdfDocument): Promise<Uint8Array<ArrayBuffer>> {
  const { created_ms, changed_ms } = document.kind === 'conversation' ? document : UNDATED;
  const sheet = await createSheet({
    title: document.title,
    created: new Date(created_ms),
    changed: new Date(changed_ms),
    long: document.kind !== 'conversation' && document.text.length > LONG_CHARACTERS,
  });
  await setContent(sheet, document);
  setMissing(sheet);
  return sheet.finish();
}

/** About 200 pages. */
const LONG_CHARACTERS = 500_000;

/** A PDF must have dates; a file has none that says anything about its content. */
const UNDATED = { created_ms: 0, changed_ms: 0 };

async function setContent(sheet: Sheet, document: PdfDocument): Promise<void> {
  switch (document.kind) {
    case 'conversation':
      return setConversation(sheet, document);
    case 'markdown':
      return setBlocks(sheet, await markdownBlocks(document.text));
    case 'source':
      return setSource(sheet, document);
  }
}

const NAMED_MAX = 40;

/** Says what could not be shown, so that nobody takes the replacement for what was written. */
function setMissing(sheet: Sheet): void {
  const { codePoints, count } = sheet.fonts.missing;
  if (count === 0) return;
  const names = [...codePoints]
    .slice(0, NAMED_MAX)
    .map((code) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codePoints.size > NAMED_MAX ? ` and ${codePoints.size - NAMED_MAX} others` : '';
  const characters = count === 1 ? '1 character is' : `${count} characters are`;
  const text = `${characters} not in the embedded font and shown as \ufffd: ${names.join(', ')}${more}.`;
  sheet.space(12);
  setSpans(sheet, [{ text, style: 'italic' }], { frame: wholeFrame(sheet), size: 8, color: '#555555' });
}
