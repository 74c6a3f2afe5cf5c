/** Writes tables: columns are as wide as their content if the page allows that; the head is repeated on every page. */
import { BODY_SIZE, drawLine, type Frame, LEADING, takeLine } from './lines.ts';
import type { Block, Cell } from './markdown.ts';
import type { PageWriter } from './pages.ts';
import { type Line, piecesOf, widthOfLine, widthOfText, wrap } from './wrap.ts';

type Table = Extract<Block, { kind: 'table' }>;

const PADDING = 4;
const SIZE = BODY_SIZE - 0.5;
const HEIGHT = SIZE * LEADING;
const COLUMN_WIDTH_MIN = 16;
/** Wider words, such as hashes, are broken rather than making other columns narrow. */
const WORD_WIDTH_MAX = 90;
const KEPT_LINES_MAX = 12;
const HEAD_COLOR = '#e8ede9';
const LINE_COLOR = '#cccccc';

/** `before` writes what stays with the beginning of the table, and gets the height of that beginning. */
export function writeTable(
  pages: PageWriter,
  table: Table,
  { frame, before = pages.keep }: { readonly frame: Frame; readonly before?: (below: number) => void },
): void {
  const widths = columnWidths(pages, table, frame.width);
  const setting = { pages, frame, widths };
  const head = layRow(setting, table.head);
  const writeHead = (): void => writeRow(setting, head, { color: HEAD_COLOR });
  const [first] = table.rows;
  const firstHeight = first === undefined ? 0 : Math.min(layRow(setting, first).height, KEPT_LINES_MAX);
  // The head stays with the first row.
  before((head.height + Math.max(1, firstHeight)) * HEIGHT + 2 * PADDING);
  writeHead();
  for (const row of table.rows) writeRow(setting, layRow(setting, row), { again: writeHead });
  pages.space(8);
}

interface TableLayout {
  readonly pages: PageWriter;
  readonly frame: Frame;
  readonly widths: readonly number[];
}

interface LaidRow {
  readonly cells: readonly (readonly Line[])[];
  readonly aligns: readonly Cell['align'][];
  /** Height in lines. */
  readonly height: number;
}

function layRow({ pages, widths }: TableLayout, row: readonly Cell[]): LaidRow {
  const cells = widths.map((width, at) =>
    wrap(row[at]?.spans ?? [], { pages, size: SIZE, width: width - 2 * PADDING }),
  );
  const height = Math.max(1, largest(cells.map((lines) => lines.length)));
  return { cells, aligns: widths.map((_, at) => row[at]?.align ?? 'left'), height };
}

/** Writes a row, on the next page if it fits only there. A row taller than a page is split between lines. */
function writeRow(
  setting: TableLayout,
  row: LaidRow,
  { color, again }: { readonly color?: string; readonly again?: () => void },
): void {
  const { pages, frame } = setting;
  const whole = row.height * HEIGHT + PADDING;
  if (whole > pages.remaining() && whole < pages.height * 0.8) {
    pages.keep(whole);
    again?.();
  }
  for (let index = 0; index < row.height; index += 1) {
    if (pages.remaining() < HEIGHT + PADDING && index > 0) {
      pages.keep(HEIGHT + PADDING);
      again?.();
    }
    const last = index === row.height - 1;
    const height = HEIGHT + (last ? PADDING : 0);
    const y = takeLine(pages, height, frame);
    if (color !== undefined) pages.rect({ x: frame.left, y, width: total(setting.widths), height }, color);
    drawCells(setting, row, { index, y });
    if (last) pages.rect({ x: frame.left, y: y + height, width: total(setting.widths), height: 0.6 }, LINE_COLOR);
  }
}

function drawCells(
  { pages, frame, widths }: TableLayout,
  row: LaidRow,
  { index, y }: { index: number; y: number },
): void {
  let x = frame.left;
  for (const [at, width] of widths.entries()) {
    const line = row.cells[at]![index];
    if (line !== undefined) {
      const free = width - 2 * PADDING - widthOfLine(line);
      const shift = { left: 0, center: free / 2, right: free }[row.aligns[at]!];
      drawLine(pages, line, { x: x + PADDING + Math.max(0, shift), y: y + PADDING / 2, size: SIZE });
    }
    x += width;
  }
}

/**
 * Natural widths if they fit. Otherwise narrow columns keep their width, wide columns share the rest, and each column
 * is as wide as its widest word if the page has room for that, or else as the widest word of its head.
 */
function columnWidths(pages: PageWriter, { head, rows }: Table, width: number): readonly number[] {
  const all = [head, ...rows];
  const natural = head.map((_, at) => {
    const widest = largest(all.map((row) => naturalWidth(pages, row[at])));
    return Math.max(COLUMN_WIDTH_MIN, widest + 2 * PADDING);
  });
  if (total(natural) <= width) return natural;
  const wordsOf = (some: readonly (readonly Cell[])[]): readonly number[] =>
    head.map((_, at) => largest(some.map((row) => widestWord(pages, row[at]))) + 2 * PADDING);
  const none = head.map(() => 0);
  const least = [wordsOf(all), wordsOf([head])].find((words) => total(words) <= width) ?? none;
  let open = natural.map((_, at) => at);
  let remaining = width;
  const widths = natural.map(() => 0);
  const settle = (columns: readonly number[], to: readonly number[]): void => {
    for (const at of columns) widths[at] = to[at]!;
    remaining -= total(columns.map((at) => to[at]!));
    open = open.filter((at) => !columns.includes(at));
  };
  while (open.length > 0) {
    const share = remaining / open.length;
    const wide = open.filter((at) => least[at]! > share);
    const narrow = open.filter((at) => natural[at]! <= share);
    if (wide.length > 0) settle(wide, least);
    else if (narrow.length > 0) settle(narrow, natural);
    else {
      settle(
        open,
        natural.map(() => share),
      );
    }
  }
  return widths;
}

/** Width of the widest word. The parts of words that are too wide count as words. */
function widestWord(pages: PageWriter, cell: Cell | undefined): number {
  const widths = (cell?.spans ?? []).flatMap((span) => {
    const widthOf = (text: string): number => widthOfText({ ...span, text }, { pages, size: SIZE });
    return (span.text.match(/\S+/g) ?? []).flatMap((word) => {
      if (word.length > WORD_CHARACTERS_MAX) return [];
      const whole = widthOf(word);
      return whole <= WORD_WIDTH_MAX ? [whole] : piecesOf(word).map(widthOf);
    });
  });
  return largest(widths.filter((width) => width <= WORD_WIDTH_MAX));
}

const WORD_CHARACTERS_MAX = 200;

const UNBROKEN = 100_000;

function naturalWidth(pages: PageWriter, cell: Cell | undefined): number {
  if (cell === undefined) return 0;
  return largest(wrap(cell.spans, { pages, size: SIZE, width: UNBROKEN }).map(widthOfLine));
}

/** The largest number, 0 without numbers. `Math.max(...)` has a limit of arguments. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
