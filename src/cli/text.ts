/** Text for terminals. Text from models, tasks and files loses every control sequence before it is shown. */
import { stripVTControlCharacters, styleText } from 'node:util';

const CONTROLS = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** Without escape sequences and control characters other than line break and tab. */
export function printable(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(CONTROLS, '');
}

/** Printable, on one line, cut to at most `charactersMax` characters. */
export function oneLine(text: string, charactersMax: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  const characters = Array.from(flat);
  if (characters.length <= charactersMax) return flat;
  return `${characters.slice(0, Math.max(0, charactersMax - 1)).join('')}…`;
}

/** The width to cut lines to; 160 columns when the output is no terminal. */
export function terminalColumns(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns) : 160;
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Styled where the stream is a terminal that shows colours and NO_COLOR is not set. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream });
}

/** Columns padded to their widest cell; the last is cut so that lines fit. */
export function table(rows: readonly (readonly string[])[], columns = terminalColumns()): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => Array.from(row[at] ?? '').length)));
  return rows
    .map((row) => {
      const fixed = row.slice(0, -1).map((cell, at) => cell + ' '.repeat(widths[at]! - Array.from(cell).length));
      const used = fixed.reduce((sum, cell) => sum + Array.from(cell).length + 2, 0);
      return `${[...fixed, oneLine(row.at(-1) ?? '', Math.max(10, columns - used))].join('  ').trimEnd()}\n`;
    })
    .join('');
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

/** Resolves when the stream takes more, so that output for a slow reader is not buffered in memory. */
export async function print(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((drained) => process.stdout.once('drain', () => drained()));
}
