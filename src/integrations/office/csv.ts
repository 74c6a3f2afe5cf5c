/**
 * How the suite reads a table in text, CSV or TSV.
 *
 * - A page or a text shows every field as it is written.
 * - In a workbook numbers and ISO dates are values. Identifiers (`01067`, `+4930…`, `12E4`, integers of more digits than
 *   a number keeps) are text, and so is their whole column; so is a field in quotes.
 * - A field that looks like a formula is text and is not computed.
 */
import { parse } from 'node:path';
import { TimeSlices } from '../../lib/slices.ts';
import type { OfficeTarget } from '../../ports/office.ts';

const WORKBOOKS: ReadonlySet<OfficeTarget> = new Set(['xlsx', 'ods']);
/** Columns of a table that becomes a page or a text. */
const COLUMNS_MAX = 1024;
const QUOTE = 34;
const LINE_FEED = 10;
/** Characters between two looks at the clock. */
const STRETCH = 64 * 1024;
/** Unquoted fields whose characters a number does not keep. */
const IDENTIFIER = /^\s*(?:[+-]?0\d|\+\d{7}|\d+e\d+\s*$|-?\d{16,}\s*$)/i;
const IDENTIFIER_CHARACTERS_MAX = 64;

/** The options of the import filter for a table with this text. */
export async function csvOptions(text: string, { extension, target }: { extension: string; target: OfficeTarget }) {
  const separator = extension === 'tsv' ? 9 : separatorOf(text);
  const columns = WORKBOOKS.has(target)
    ? await identifierColumns(text, separator)
    : Array.from({ length: COLUMNS_MAX }, (_, at) => at + 1);
  const formats = columns.map((column) => `${column}/2`).join('/');
  // UTF-8, from line 1. Quoted fields are text; no times, fractions or local dates are recognised; no formulas.
  return `:${separator},${QUOTE},76,1,${formats},0,true,false,false,false,0,0,false`;
}

/** The name of the sheet, which the suite takes from the file and prints on each page; at most what Excel opens. */
export function sheetName(file: string): string {
  const stem = parse(file)
    .name.replace(/[^\p{L}\p{N} _-]/gu, '_')
    .trim();
  return [...stem].slice(0, SHEET_CHARACTERS_MAX).join('') || 'Sheet1';
}

const SHEET_CHARACTERS_MAX = 31;
const SEPARATORS = [',', ';', '\t', '|'] as const;

/** Character code of the field separator: the most frequent candidate in the first line, outside quotes. */
export function separatorOf(text: string): number {
  const line = text
    .slice(0, 64 * 1024)
    .split(/\r?\n/, 1)[0]!
    .replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!.charCodeAt(0);
}

/** The columns, from 1, that hold an identifier. */
async function identifierColumns(text: string, separator: number): Promise<readonly number[]> {
  const found = new Set<number>();
  const slices = new TimeSlices();
  let [column, begin, isQuoted] = [1, 0, false];
  for (let at = 0; at <= text.length; at += 1) {
    if (at % STRETCH === 0 && slices.isOver) await slices.next();
    const code = at === text.length ? LINE_FEED : text.charCodeAt(at);
    if (code === QUOTE && (isQuoted || at === begin)) isQuoted = !isQuoted;
    if (isQuoted || (code !== separator && code !== LINE_FEED)) continue;
    if (IDENTIFIER.test(text.slice(begin, Math.min(at, begin + IDENTIFIER_CHARACTERS_MAX)))) found.add(column);
    column = code === separator ? column + 1 : 1;
    begin = at + 1;
  }
  return [...found].sort((left, right) => left - right);
}
