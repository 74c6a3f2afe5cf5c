/** A task's conversation on pages: who spoke, what was said, which tools ran and how they ended. */
import type { ConversationDocument, ConversationEntry } from '../../ports/pdf.ts';
import { setBlocks, setHeading } from './blocks.ts';
import { BODY_SIZE, setSpans, wholeFrame } from './lines.ts';
import { markdownBlocks } from './markdown.ts';
import type { Sheet } from './sheet.ts';
import type { Span } from './wrap.ts';

const GREY = '#555555';
const FAILED = '#a02c2c';
const SMALL = 9;
const BOOKMARK_BEGINNING_CHARACTERS = 60;

export async function setConversation(sheet: Sheet, document: ConversationDocument): Promise<void> {
  const frame = wholeFrame(sheet);
  setHeading(sheet, { level: 1, spans: [{ text: document.title, style: 'bold' }] }, frame);
  for (const [name, value] of document.facts) {
    const spans: Span[] = [
      { text: `${name}: `, style: 'bold' },
      { text: value, style: 'regular' },
    ];
    setSpans(sheet, spans, { frame, size: SMALL, color: GREY });
  }
  sheet.space(8);
  setBlocks(sheet, [{ kind: 'rule' }]);
  if (document.entries.length === 0) {
    setSpans(sheet, [{ text: 'Nothing was said yet.', style: 'italic' }], { frame, size: BODY_SIZE, color: GREY });
  }
  for (const entry of document.entries) await setEntry(sheet, entry);
}

async function setEntry(sheet: Sheet, entry: ConversationEntry): Promise<void> {
  if (entry.kind === 'step') return setStep(sheet, entry);
  sheet.space(8);
  sheet.keep(4 * BODY_SIZE);
  const beginning = entry.text.trim().slice(0, BOOKMARK_BEGINNING_CHARACTERS);
  sheet.bookmark(2, beginning === '' ? entry.speaker : `${entry.speaker}: ${beginning}`);
  setSpans(sheet, [{ text: entry.speaker, style: 'bold' }], { frame: wholeFrame(sheet), size: 11, color: '#2f5d50' });
  sheet.space(2);
  if (entry.format === 'markdown') return setBlocks(sheet, await markdownBlocks(entry.text), wholeFrame(sheet, 2));
  if (entry.text === '') return;
  setSpans(sheet, [{ text: entry.text, style: 'regular' }], { frame: wholeFrame(sheet), size: BODY_SIZE });
  sheet.space(4);
}

function setStep(sheet: Sheet, { number, tool, success }: Extract<ConversationEntry, { kind: 'step' }>): void {
  sheet.space(3);
  const spans: Span[] = [
    { text: `${success ? '✓' : '✗'} Step ${number}: `, style: 'regular' },
    { text: tool, style: 'mono' },
    { text: success ? ' succeeded' : ' failed', style: 'regular' },
  ];
  setSpans(sheet, spans, { frame: wholeFrame(sheet), size: SMALL, color: success ? GREY : FAILED });
}
