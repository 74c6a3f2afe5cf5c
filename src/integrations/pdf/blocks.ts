/** Sets blocks on a sheet: headings with bookmarks, paragraphs, code, lists, quotes, tables and rules. */

import { BODY_SIZE, drawLine, type Frame, indented, LEADING, setSpans, takeLine, wholeFrame } from './lines.ts';
import type { Block } from './markdown.ts';
import { columnsIn, drawColumns, fold, linesOf } from './mono.ts';
import type { Sheet } from './sheet.ts';
import { setTable } from './table.ts';
import { type Span, widthOfLine, wrap } from './wrap.ts';

const HEADING_SIZES = [20, 16, 13.5, 12, 11, 10.5] as const;
const PARAGRAPH_SPACE = 6;
const RULE_COLOR = '#bbbbbb';
const CODE_SIZE = 8.5;
const CODE_COLOR = '#f3f4f2';
const CODE_PADDING = 6;

export function setBlocks(sheet: Sheet, blocks: readonly Block[], frame: Frame = wholeFrame(sheet)): void {
  for (const block of blocks) setBlock(sheet, block, frame);
}

function setBlock(sheet: Sheet, block: Block, frame: Frame): void {
  switch (block.kind) {
    case 'heading':
      setHeading(sheet, block, frame);
      break;
    case 'paragraph':
      setSpans(sheet, block.spans, { frame, size: BODY_SIZE });
      sheet.space(block.tight ? 1 : PARAGRAPH_SPACE);
      break;
    case 'code':
      setCode(sheet, block.text, frame);
      break;
    case 'list':
      setList(sheet, block, frame);
      break;
    case 'quote':
      setBlocks(sheet, block.blocks, { ...indented(frame), bars: [...frame.bars, frame.left + 4] });
      break;
    case 'table':
      setTable(sheet, block, frame);
      break;
    case 'rule':
      setRule(sheet, frame);
  }
}

function setRule(sheet: Sheet, frame: Frame): void {
  const y = takeLine(sheet, 12, frame) + 5;
  sheet.rect({ x: frame.left, y, width: frame.width, height: 0.7 }, RULE_COLOR);
}

export function setHeading(
  sheet: Sheet,
  { level, spans }: { readonly level: number; readonly spans: readonly Span[] },
  frame: Frame,
): void {
  const size = HEADING_SIZES[level - 1] ?? BODY_SIZE;
  sheet.space(size * 0.7);
  // A heading stays with the beginning of what it heads.
  sheet.keep(size * LEADING + 3 * BODY_SIZE * LEADING);
  sheet.bookmark(Math.min(6, level + frame.depth), spans.map((span) => span.text).join(''));
  setSpans(sheet, spans, { frame, size });
  sheet.space(size * 0.3);
}

function setList(sheet: Sheet, list: Extract<Block, { kind: 'list' }>, frame: Frame): void {
  const inner = indented(frame);
  for (const [index, item] of list.items.entries()) {
    const marker = list.start === null ? '•' : `${list.start + index}.`;
    sheet.keep(BODY_SIZE * LEADING);
    const line = wrap([{ text: marker, style: 'regular' }], { sheet, size: BODY_SIZE, width: frame.width })[0]!;
    // The marker is drawn beside the first line, whatever that turns out to be.
    const top = sheet.take(0);
    drawLine(sheet, line, { x: inner.left - 5 - widthOfLine(line), y: top, size: BODY_SIZE });
    if (item.length === 0) takeLine(sheet, BODY_SIZE * LEADING, frame);
    setBlocks(sheet, item, inner);
  }
  sheet.space(PARAGRAPH_SPACE / 2);
}

/** Code keeps its lines; one that is too long goes on in the next. */
function setCode(sheet: Sheet, text: string, frame: Frame): void {
  const height = CODE_SIZE * LEADING;
  sheet.keep(height + 2 * CODE_PADDING);
  const box = (part: number): number => {
    const y = takeLine(sheet, part, frame);
    sheet.rect({ x: frame.left, y, width: frame.width, height: part + 0.3 }, CODE_COLOR);
    return y;
  };
  box(CODE_PADDING);
  const columns = columnsIn(frame.width - 2 * CODE_PADDING, CODE_SIZE);
  for (const line of linesOf(text)) {
    for (const piece of fold(line, columns)) {
      drawColumns(sheet, piece, { x: frame.left + CODE_PADDING, y: box(height), size: CODE_SIZE });
    }
  }
  box(CODE_PADDING);
  sheet.space(PARAGRAPH_SPACE);
}
