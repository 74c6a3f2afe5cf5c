/** Writes markdown blocks: headings with bookmarks, paragraphs, code, lists, quotes, tables and rules. */
import { BODY_SIZE, drawLine, type Frame, indented, LEADING, takeLine, wholeFrame, writeSpans } from './lines.ts';
import type { Block } from './markdown.ts';
import { columnsIn, drawColumns, fold, linesOf } from './monospace.ts';
import type { PageWriter } from './pages.ts';
import { writeTable } from './table.ts';
import { type Span, widthOfLine, wrap } from './wrap.ts';

const HEADING_SIZES = [20, 16, 13.5, 12, 11, 10.5] as const;
const PARAGRAPH_SPACE = 6;
const RULE_COLOR = '#bbbbbb';
const CODE_SIZE = 8.5;
const CODE_COLOR = '#f3f4f2';
const CODE_PADDING = 6;

export function writeBlocks(pages: PageWriter, blocks: readonly Block[], frame: Frame = wholeFrame(pages)): void {
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (block.kind === 'table' && before?.kind === 'heading') {
      writeTable(pages, block, { frame, before: (below) => writeHeading(pages, before, { frame, below }) });
    } else if (block.kind !== 'heading' || blocks[at + 1]?.kind !== 'table') {
      writeBlock(pages, block, frame);
    }
  }
}

function writeBlock(pages: PageWriter, block: Block, frame: Frame): void {
  switch (block.kind) {
    case 'heading':
      writeHeading(pages, block, { frame });
      break;
    case 'paragraph':
      writeSpans(pages, block.spans, { frame, size: BODY_SIZE });
      pages.space(block.tight ? 1 : PARAGRAPH_SPACE);
      break;
    case 'code':
      writeCode(pages, block.text, frame);
      break;
    case 'list':
      writeList(pages, block, frame);
      break;
    case 'quote':
      writeBlocks(pages, block.blocks, { ...indented(frame), bars: [...frame.bars, frame.left + 4] });
      break;
    case 'table':
      writeTable(pages, block, { frame });
      break;
    case 'rule':
      writeRule(pages, frame);
  }
}

function writeRule(pages: PageWriter, frame: Frame): void {
  const y = takeLine(pages, 12, frame) + 5;
  pages.rect({ x: frame.left, y, width: frame.width, height: 0.7 }, RULE_COLOR);
}

/** A heading stays on the page of what follows it, of which the first `below` points are not separated. */
export function writeHeading(
  pages: PageWriter,
  { level, spans }: { readonly level: number; readonly spans: readonly Span[] },
  { frame, below = 3 * BODY_SIZE * LEADING }: { readonly frame: Frame; readonly below?: number },
): void {
  const size = HEADING_SIZES[level - 1] ?? BODY_SIZE;
  const lines = wrap(spans, { pages, size, width: frame.width }).length;
  pages.space(size * 0.7);
  pages.keep(size * (lines * LEADING + 0.3) + below);
  pages.bookmark(Math.min(6, level + frame.depth), spans.map((span) => span.text).join(''));
  writeSpans(pages, spans, { frame, size });
  pages.space(size * 0.3);
}

function writeList(pages: PageWriter, list: Extract<Block, { kind: 'list' }>, frame: Frame): void {
  const inner = indented(frame);
  for (const [index, item] of list.items.entries()) {
    const marker = list.start === null ? '•' : `${list.start + index}.`;
    pages.keep(BODY_SIZE * LEADING);
    const line = wrap([{ text: marker, style: 'regular' }], { pages, size: BODY_SIZE, width: frame.width })[0]!;
    // The marker is drawn beside the first line, of any kind.
    const top = pages.take(0);
    drawLine(pages, line, { x: inner.left - 5 - widthOfLine(line), y: top, size: BODY_SIZE });
    if (item.length === 0) takeLine(pages, BODY_SIZE * LEADING, frame);
    writeBlocks(pages, item, inner);
  }
  pages.space(PARAGRAPH_SPACE / 2);
}

/** Writes code line by line; long lines are folded. */
function writeCode(pages: PageWriter, text: string, frame: Frame): void {
  const height = CODE_SIZE * LEADING;
  pages.keep(height + 2 * CODE_PADDING);
  const box = (part: number): number => {
    const y = takeLine(pages, part, frame);
    pages.rect({ x: frame.left, y, width: frame.width, height: part + 0.3 }, CODE_COLOR);
    return y;
  };
  box(CODE_PADDING);
  const columns = columnsIn(frame.width - 2 * CODE_PADDING, CODE_SIZE);
  for (const line of linesOf(text)) {
    for (const piece of fold(line, columns)) {
      drawColumns(pages, piece, { x: frame.left + CODE_PADDING, y: box(height), size: CODE_SIZE });
    }
  }
  box(CODE_PADDING);
  pages.space(PARAGRAPH_SPACE);
}
