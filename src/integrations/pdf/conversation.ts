/** Writes a task's conversation: messages with their speakers, and steps with tool and outcome. */
import type { ConversationDocument, ConversationEntry } from '../../ports/pdf.ts';
import { writeBlocks, writeHeading } from './blocks.ts';
import { BODY_SIZE, type Frame, indented, wholeFrame, writeSpans } from './lines.ts';
import { markdownBlocks } from './markdown.ts';
import type { PageWriter } from './pages.ts';
import type { Span } from './wrap.ts';

const GREY = '#555555';
const FAILED = '#a02c2c';
const SMALL = 9;
const LABEL = 7.5;
const BOOKMARK_BEGINNING_CHARACTERS = 60;

export async function writeConversation(pages: PageWriter, document: ConversationDocument): Promise<void> {
  const frame = wholeFrame(pages);
  writeHeading(pages, { level: 1, spans: [{ text: document.title, style: 'bold' }] }, { frame });
  for (const [name, value] of document.facts) {
    const spans: Span[] = [
      { text: `${name}: `, style: 'bold' },
      { text: value, style: 'regular' },
    ];
    writeSpans(pages, spans, { frame, size: SMALL, color: GREY });
  }
  pages.space(8);
  writeBlocks(pages, [{ kind: 'rule' }]);
  if (document.entries.length === 0) {
    writeSpans(pages, [{ text: 'Nothing was said yet.', style: 'italic' }], { frame, size: BODY_SIZE, color: GREY });
  }
  for (const entry of document.entries) await writeEntry(pages, entry);
}

async function writeEntry(pages: PageWriter, entry: ConversationEntry): Promise<void> {
  if (entry.kind === 'step') return writeStep(pages, entry);
  pages.space(8);
  pages.keep(4 * BODY_SIZE);
  const beginning = entry.text.trim().slice(0, BOOKMARK_BEGINNING_CHARACTERS);
  pages.bookmark(2, beginning === '' ? entry.speaker : `${entry.speaker}: ${beginning}`);
  writeSpans(pages, [{ text: entry.speaker, style: 'bold' }], { frame: wholeFrame(pages), size: 11, color: '#2f5d50' });
  pages.space(2);
  if (entry.format === 'markdown') return writeBlocks(pages, await markdownBlocks(entry.text), wholeFrame(pages, 2));
  if (entry.text === '') return;
  writeSpans(pages, [{ text: entry.text, style: 'regular' }], { frame: wholeFrame(pages), size: BODY_SIZE });
  pages.space(4);
}

type Step = Extract<ConversationEntry, { kind: 'step' }>;

function writeStep(pages: PageWriter, { number, tool, success, input = '', output = '' }: Step): void {
  pages.space(3);
  const spans: Span[] = [
    { text: `${success ? '✓' : '✗'} Step ${number}: `, style: 'regular' },
    { text: tool, style: 'mono' },
    { text: success ? ' succeeded' : ' failed', style: 'regular' },
  ];
  writeSpans(pages, spans, { frame: wholeFrame(pages), size: SMALL, color: success ? GREY : FAILED });
  for (const [label, text] of [
    ['Input', input],
    ['Output', output],
  ] as const) {
    if (text === '') continue;
    pages.space(2);
    pages.keep(4 * SMALL);
    writeSpans(pages, [{ text: label, style: 'regular' }], { frame: indentedFrame(pages), size: LABEL, color: GREY });
    writeBlocks(pages, [{ kind: 'code', text }], indentedFrame(pages));
  }
}

function indentedFrame(pages: PageWriter): Frame {
  return indented(wholeFrame(pages));
}
