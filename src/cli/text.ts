/** Formats text for terminals. Control sequences in text from models, tasks and files are removed. */
import { once } from 'node:events';
import { styleText } from 'node:util';
import type { JobRecord } from '../client/client.ts';
import { cutToWidth, displayWidth } from '../lib/display-width.ts';
import { withoutEscapeSequences } from '../lib/escape-sequences.ts';

const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Without escape sequences and control characters other than line break and tab. */
export function printable(text: string): string {
  return withoutEscapeSequences(text.replaceAll('\r\n', '\n')).replace(CONTROLS, '');
}

/** Printable, on one line, cut to at most `columnsMax` columns of a terminal. */
export function oneLine(text: string, columnsMax: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  return displayWidth(flat) <= columnsMax ? flat : `${cutToWidth(flat, columnsMax - 1)}…`;
}

/** A terminal that does not know its size, such as one that a program made, has 0 columns. */
export const COLUMNS_DEFAULT = 80;

/** The width to cut lines to; 160 columns when the output is no terminal. */
export function terminalColumns(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns || COLUMNS_DEFAULT) : 160;
}

/** Whether control sequences may move the cursor: on a terminal of a known kind, not dumb. Windows has no TERM. */
export function canDraw({ isTTY }: { readonly isTTY?: boolean | undefined }): boolean {
  const kind = process.env.TERM || (process.platform === 'win32' ? 'windows' : 'dumb');
  return isTTY === true && kind !== 'dumb';
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Styled where the stream is a terminal that shows colours and NO_COLOR is not set. */
export function styled(style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** A text with a style that does not count to its width. */
interface StyledCell {
  readonly text: string;
  readonly style: Style;
}

export type Cell = string | StyledCell;

interface TableOptions {
  readonly columns?: number;
  /** Headings of the columns that are dropped, in this order, until the lines fit. */
  readonly optional?: readonly string[];
}

/** Optional columns are dropped until the last column has this width, or the width of its widest cell. */
const LAST_COLUMNS_WANTED = 20;
const LAST_COLUMNS_MIN = 10;
/** The widest other column is cut to no less. */
const WIDEST_COLUMNS_MIN = 16;

/**
 * Columns padded to their widest cell; the last is cut so that lines fit, and the widest other one when that is not
 * enough. The first row has the headings.
 */
export function table(
  allRows: readonly (readonly Cell[])[],
  { columns = terminalColumns(), optional = [] }: TableOptions = {},
): string {
  const rows = withWidestCut(withoutUnfit(allRows.map(flatRow), columns, optional), columns);
  const widths = widthsOf(rows);
  return rows
    .map((row) => {
      const fixed = row.slice(0, -1).map((cell, at) => shown(cell) + ' '.repeat(widths[at]! - widthOf(cell)));
      const remaining = columns - widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
      const last = row.at(-1) ?? '';
      const cut = oneLine(textOf(last), Math.max(LAST_COLUMNS_MIN, remaining));
      return `${[...fixed, shown(typeof last === 'string' ? cut : { ...last, text: cut })].join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** The row with printable texts on one line. Headings and marks may begin with spaces. */
function flatRow(row: readonly Cell[]): readonly Cell[] {
  const flat = (text: string): string => printable(text).replaceAll(/[\n\t]/g, ' ');
  return row.map((cell) => (typeof cell === 'string' ? flat(cell) : { ...cell, text: flat(cell.text) }));
}

function withoutUnfit(
  rows: readonly (readonly Cell[])[],
  columns: number,
  [heading, ...others]: readonly string[],
): readonly (readonly Cell[])[] {
  const widths = widthsOf(rows);
  const least = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const last = Math.min(LAST_COLUMNS_WANTED, widths.at(-1) ?? 0);
  if (heading === undefined || least + last <= columns) return rows;
  const at = rows[0]!.indexOf(heading);
  return withoutUnfit(
    rows.map((row) => row.filter((_, place) => place !== at)),
    columns,
    others,
  );
}

function withWidestCut(rows: readonly (readonly Cell[])[], columns: number): readonly (readonly Cell[])[] {
  const fixed = widthsOf(rows).slice(0, -1);
  const excess = fixed.reduce((sum, width) => sum + width + 2, LAST_COLUMNS_MIN) - columns;
  if (excess <= 0) return rows;
  const widest = Math.max(...fixed);
  const at = fixed.indexOf(widest);
  const columnsMax = Math.max(WIDEST_COLUMNS_MIN, widest - excess);
  const cut = (cell: Cell): Cell =>
    typeof cell === 'string' ? oneLine(cell, columnsMax) : { ...cell, text: oneLine(cell.text, columnsMax) };
  return rows.map((row) => row.map((cell, place) => (place === at ? cut(cell) : cell)));
}

function widthsOf(rows: readonly (readonly Cell[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
}

function widthOf(cell: Cell): number {
  return displayWidth(textOf(cell));
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function shown(cell: Cell): string {
  return typeof cell === 'string' ? cell : styled(cell.style, cell.text);
}

/** Wraps text to the terminal, to at most 100 columns with the indent. */
export function wrapped(text: string, indent = 2): string {
  const width = Math.min(LINE_CHARACTERS_MAX, terminalColumns()) - indent;
  const lines: string[] = [];
  for (const word of printable(text).split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || displayWidth(last) + 1 + displayWidth(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

/** On a terminal as `wrapped`, elsewhere one line. The first line has no indent. */
export function paragraph(text: string, indent = 0): string {
  return process.stdout.isTTY ? wrapped(text, indent).slice(indent) : `${printable(text)}\n`;
}

const LINE_CHARACTERS_MAX = 100;
const FACT_COLUMNS = 12;

/** A line for each name and its text; further lines of a text are indented. */
export function facts(rows: readonly (readonly [name: string, text: string])[]): string {
  return rows.map(([name, text]) => `${name.padEnd(FACT_COLUMNS)}${paragraph(text, FACT_COLUMNS)}`).join('');
}

const STATE_STYLES: Readonly<Record<string, Style>> = {
  accepted: 'green',
  pass: 'green',
  active: 'green',
  done: 'green',
  complete: 'green',
  allowed: 'green',
  failed: 'red',
  fail: 'red',
  denied: 'red',
  pending: 'yellow',
  waived: 'yellow',
  paused: 'yellow',
  partial: 'yellow',
  queued: 'yellow',
  waiting: 'yellow',
  ready: 'cyan',
  running: 'cyan',
  in_progress: 'cyan',
  not_started: 'dim',
  not_measured: 'dim',
  closed: 'dim',
  abandoned: 'dim',
  cancelled: 'dim',
  expired: 'dim',
};

/** A state of a run, a goal, a deliverable and so on: in words, with its style. */
export function stateCell(state: string): Cell {
  const text = state.replaceAll('_', ' ');
  const style = STATE_STYLES[state];
  return style === undefined ? text : { text, style };
}

/** A text with a mark at its end, so that another sentence can follow. */
export function asSentence(text: string): string {
  return /[.!?\n]$/.test(text) ? text : `${text}.`;
}

/** `1 memory`, `2 memories`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** On a terminal, a line below a list that has as many rows as its limit, and so may go on; elsewhere nothing. */
export function limitNote(rows: number, { limit, more }: { readonly limit: number; readonly more: string }): string {
  if (rows === 0 || rows !== limit || !process.stdout.isTTY) return '';
  return `${styled('dim', `At most ${limit} are listed; ${more}.`)}\n`;
}

/** A moment in UTC, to the minute. */
export function minute(at: number | string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** A duration in the largest unit that suits it, such as `12 s` or `3 h`. */
export function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** How long the requests of a run took; one in progress counts up to now. */
export function took(
  { took_ms, started_at, finished_at }: Pick<JobRecord, 'took_ms' | 'started_at' | 'finished_at'>,
  now: number,
): string {
  return duration(took_ms + (finished_at === null ? now - started_at : 0));
}

/** A size in the largest decimal unit that suits it, such as `812 B` or `3.4 MB`. */
export function bytes(size: number): string {
  const at = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${at === 0 ? size : (size / 1_000 ** at).toFixed(1)} ${UNITS[at]}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Resolves when the stream takes more, so that output for a slow reader is not buffered in memory. */
export async function print(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return;
  await once(process.stdout, 'drain');
}

/** Every control character but the line break as an escape. */
export function visible(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON in which every control character is an escape, also those that JSON leaves as they are. */
export function visibleJson(value: unknown, indent?: number): string {
  return visible(JSON.stringify(value, null, indent));
}

/** For standard output; `visibleJson` on a terminal. */
export function outputJson(value: unknown, indent?: number): string {
  return process.stdout.isTTY ? visibleJson(value, indent) : JSON.stringify(value, null, indent);
}

export async function printJson(value: unknown): Promise<void> {
  await print(`${outputJson(value)}\n`);
}
