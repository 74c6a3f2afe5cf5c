/** Monospaced text: expands tabs, folds long lines, draws every character in its column. */
import { hasFromRight, WORD_FROM_RIGHT, wordsFromRight } from './direction.ts';
import { MONO_ADVANCE, visible } from './fonts.ts';
import type { PageWriter } from './pages.ts';

const TAB_COLUMNS = 4;
/** A line is folded at a space in its last part after this share, else at the limit. */
const FOLD_AT_SPACE = 0.7;

/** Lines as editors count them, in characters that have a column each: a final line break begins no line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => expandTabs(visible(line)));
}

export function columnsIn(width: number, size: number): number {
  return Math.max(8, Math.floor(width / (size * MONO_ADVANCE)));
}

/** Splits a line into pieces of at most `columns` characters; at least one piece. */
export function fold(line: string, columns: number): readonly string[] {
  if (line.length <= columns) return [line];
  const characters = [...line];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const end = foldEnd(characters, at, columns);
    pieces.push(characters.slice(at, end).join(''));
    at = end;
  }
  return pieces;
}

function foldEnd(characters: readonly string[], at: number, columns: number): number {
  if (at + columns >= characters.length) return characters.length;
  // Searches only the last part: in a file of one long line, each fold would otherwise search to the start.
  for (let end = at + columns; end > at + columns * FOLD_AT_SPACE; end -= 1) {
    if (characters[end - 1] === ' ') return end;
  }
  return at + columns;
}

/** Draws one piece. Borrowed glyphs may be wider than a column, so characters are placed by count. */
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
