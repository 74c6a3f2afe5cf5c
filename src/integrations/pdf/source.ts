/** A text file line by line: numbers beside the lines, long lines folded, every column of the same width. */
import type { TextDocument } from '../../ports/pdf.ts';
import { setHeading } from './blocks.ts';
import { MONO_ADVANCE } from './fonts.ts';
import { wholeFrame } from './lines.ts';
import { columnsIn, drawColumns, fold, linesOf } from './mono.ts';
import type { Sheet } from './sheet.ts';

const SIZE = 8;
const HEIGHT = 10.5;
const GAP_COLUMNS = 2;
const NUMBER_COLOR = '#888888';

export function setSource(sheet: Sheet, { title, text }: TextDocument): void {
  setHeading(sheet, { level: 1, spans: [{ text: title, style: 'bold' }] }, wholeFrame(sheet));
  sheet.space(4);
  const lines = linesOf(text);
  const advance = MONO_ADVANCE * SIZE;
  const gutter = String(lines.length).length;
  const indent = (gutter + GAP_COLUMNS) * advance;
  const columns = columnsIn(sheet.width - indent, SIZE);
  for (const [index, line] of lines.entries()) {
    const number = String(index + 1);
    for (const [part, piece] of fold(line, columns).entries()) {
      const y = sheet.take(HEIGHT);
      if (part === 0) {
        const x = sheet.left + (gutter - number.length) * advance;
        sheet.text(number, 'mono', { x, y, size: SIZE, color: NUMBER_COLOR });
      }
      drawColumns(sheet, piece, { x: sheet.left + indent, y, size: SIZE });
    }
  }
}
