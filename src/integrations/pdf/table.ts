/** Tables: columns as wide as their content needs and the page allows, the head again on every page. */
import { BODY_SIZE, drawLine, type Frame, LEADING, takeLine } from './lines.ts';
import type { Block, Cell } from './markdown.ts';
import type { Sheet } from './sheet.ts';
import { type Line, widthOfLine, wrap } from './wrap.ts';

type Table = Extract<Block, { kind: 'table' }>;

const PADDING = 4;
const SIZE = BODY_SIZE - 0.5;
const HEIGHT = SIZE * LEADING;
const COLUMN_WIDTH_MIN = 16;
const HEAD_COLOR = '#e8ede9';
const LINE_COLOR = '#cccccc';

export function setTable(sheet: Sheet, table: Table, frame: Frame): void {
  const widths = columnWidths(sheet, table, frame.width);
  const setting = { sheet, frame, widths };
  const head = layRow(setting, table.head);
  const setHead = (): void => setRow(setting, head, { color: HEAD_COLOR });
  sheet.keep((head.height + 2) * HEIGHT);
  setHead();
  for (const row of table.rows) setRow(setting, layRow(setting, row), { again: setHead });
  sheet.space(8);
}

interface Setting {
  readonly sheet: Sheet;
  readonly frame: Frame;
  readonly widths: readonly number[];
}

interface LaidRow {
  readonly cells: readonly (readonly Line[])[];
  readonly aligns: readonly Cell['align'][];
  /** In lines. */
  readonly height: number;
}

function layRow({ sheet, widths }: Setting, row: readonly Cell[]): LaidRow {
  const cells = widths.map((width, at) =>
    wrap(row[at]?.spans ?? [], { sheet, size: SIZE, width: width - 2 * PADDING }),
  );
  const height = Math.max(1, largest(cells.map((lines) => lines.length)));
  return { cells, aligns: widths.map((_, at) => row[at]?.align ?? 'left'), height };
}

/** A row goes to the next page when it fits there as a whole; one that is taller than a page is cut between lines. */
function setRow(
  setting: Setting,
  row: LaidRow,
  { color, again }: { readonly color?: string; readonly again?: () => void },
): void {
  const { sheet, frame } = setting;
  const whole = row.height * HEIGHT + PADDING;
  if (whole > sheet.left_over() && whole < sheet.height * 0.8) {
    sheet.keep(whole);
    again?.();
  }
  for (let index = 0; index < row.height; index += 1) {
    if (sheet.left_over() < HEIGHT + PADDING && index > 0) {
      sheet.keep(HEIGHT + PADDING);
      again?.();
    }
    const last = index === row.height - 1;
    const height = HEIGHT + (last ? PADDING : 0);
    const y = takeLine(sheet, height, frame);
    if (color !== undefined) sheet.rect({ x: frame.left, y, width: total(setting.widths), height }, color);
    drawCells(setting, row, { index, y });
    if (last) sheet.rect({ x: frame.left, y: y + height, width: total(setting.widths), height: 0.6 }, LINE_COLOR);
  }
}

function drawCells({ sheet, frame, widths }: Setting, row: LaidRow, { index, y }: { index: number; y: number }): void {
  let x = frame.left;
  for (const [at, width] of widths.entries()) {
    const line = row.cells[at]![index];
    if (line !== undefined) {
      const free = width - 2 * PADDING - widthOfLine(line);
      const shift = { left: 0, center: free / 2, right: free }[row.aligns[at]!];
      drawLine(sheet, line, { x: x + PADDING + Math.max(0, shift), y: y + PADDING / 2, size: SIZE });
    }
    x += width;
  }
}

/** What each column wants, or a fair share: narrow columns keep their width, the wide ones share what is left. */
function columnWidths(sheet: Sheet, { head, rows }: Table, width: number): readonly number[] {
  const all = [head, ...rows];
  const wanted = head.map((_, at) => {
    const widest = largest(all.map((row) => naturalWidth(sheet, row[at])));
    return Math.max(COLUMN_WIDTH_MIN, widest + 2 * PADDING);
  });
  if (total(wanted) <= width) return wanted;
  let open = wanted.map((_, at) => at);
  let left = width;
  const widths = wanted.map(() => 0);
  for (;;) {
    const share = left / open.length;
    const narrow = open.filter((at) => wanted[at]! <= share);
    for (const at of narrow) widths[at] = wanted[at]!;
    left -= total(narrow.map((at) => wanted[at]!));
    open = open.filter((at) => !narrow.includes(at));
    if (narrow.length > 0 && open.length > 0) continue;
    for (const at of open) widths[at] = left / open.length;
    return widths;
  }
}

const UNBROKEN = 100_000;

function naturalWidth(sheet: Sheet, cell: Cell | undefined): number {
  if (cell === undefined) return 0;
  return largest(wrap(cell.spans, { sheet, size: SIZE, width: UNBROKEN }).map(widthOfLine));
}

/** Of any number of numbers, which the arguments of a call may not be. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
