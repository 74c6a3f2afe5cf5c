/** Monospaced text: expands tabs, folds long lines, draws every character in its column. */
import { hasFromRight, WORD_FROM_RIGHT, wordsFromRight } from './direction.ts';
import { MONO_ADVANCE, visible } from './fonts.ts';
import type { PageWriter } from './pages.ts';

const TAB_COLUMNS = 4;
/** A line is folded at a space after this share of its columns, else at the limit. */
const FOLD_AT_SPACE = 0.7;

/**
 * Lines as editors count them: a final line break starts no line. Tabs are expanded, so that each character has one
 * column. A generator, because a text of line breaks has millions of lines.
 */
export function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    yield expandTabs(visible(text.slice(from, index)));
    from = index + end.length;
  }
  if (from < text.length || from === 0) yield expandTabs(visible(text.slice(from)));
}

const LINE_END = /\r\n|\r|\n/g;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The number of lines that `linesOf` yields. */
export function countLines(text: string): number {
  let ends = 0;
  let isOpen = text === '';
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    isOpen = code !== LINE_FEED && code !== CARRIAGE_RETURN;
    if (isOpen || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED)) continue;
    ends += 1;
  }
  return isOpen ? ends + 1 : ends;
}

export function columnsIn(width: number, size: number): number {
  return Math.max(8, Math.floor(width / (size * MONO_ADVANCE)));
}

/** Splits a line into pieces of at most `columns` characters, one by one; at least one piece. */
export function* fold(line: string, columns: number): Generator<string> {
  let at = 0;
  for (;;) {
    // A character has one or two code units, so this is more than a piece, or the rest of the line.
    const next = line.slice(at, at + 2 * columns + 1);
    const characters = [...next];
    if (characters.length <= columns) {
      yield next;
      return;
    }
    const piece = characters.slice(0, foldEnd(characters, columns)).join('');
    yield piece;
    at += piece.length;
  }
}

function foldEnd(characters: readonly string[], columns: number): number {
  // Searches only the last part: in a file of one long line, each fold would otherwise search to the start.
  for (let end = columns; end > columns * FOLD_AT_SPACE; end -= 1) {
    if (characters[end - 1] === ' ') return end;
  }
  return columns;
}

/** Draws one piece. Glyphs of other styles may be wider than a column, so characters are placed by count. */
export function drawColumns(
  pages: PageWriter,
  text: string,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
): void {
  let column = 0;
  const stretches = hasFromRight(text) ? text.split(STRETCH_FROM_RIGHT) : [text];
  for (const [index, stretch] of stretches.entries()) {
    const rtl = index % 2 === 1;
    for (const words of rtl ? wordsFromRight(stretch) : [stretch]) {
      for (const piece of pages.fonts.pieces(words, 'mono')) {
        const place = { x: x + column * size * MONO_ADVANCE, y, size, rtl };
        if (piece.text.trim() !== '') pages.text(piece.text, piece.style, place);
        column += [...piece.text].length;
      }
    }
  }
}

/** Consecutive right-to-left words. Only they are reordered, so that a comment never appears in the place of code. */
const STRETCH_FROM_RIGHT = new RegExp(`(${WORD_FROM_RIGHT}(?: +${WORD_FROM_RIGHT})*)`, 'u');

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let columns = 0;
  let expanded = '';
  for (const character of line) {
    const width = character === '\t' ? TAB_COLUMNS - (columns % TAB_COLUMNS) : 1;
    expanded += character === '\t' ? ' '.repeat(width) : character;
    columns += width;
  }
  return expanded;
}
