/**
 * Bidirectional text (UAX #9): brings text into visual order.
 *
 * - Marks that force a direction are shown as their numbers and have no effect.
 * - Each line is ordered by itself, in the direction of its paragraph.
 */
import createBidi, { type Bidi } from 'bidi-js';

export interface Run<Piece> {
  /** Part of a piece, with mirrored characters where it runs from right to left. */
  readonly text: string;
  readonly piece: Piece;
  readonly rtl: boolean;
}

/** The package's types describe its other build. */
const bidi = (createBidi as unknown as () => Bidi)();

/** The right-to-left ranges that the typeface covers; a quick test for most text. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LETTER_FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Nko}]/u;

/** Source of a pattern for a right-to-left word with its marks. */
export const WORD_FROM_RIGHT = `${LETTER_FROM_RIGHT.source}(?:${LETTER_FROM_RIGHT.source}|\\p{Mn})*`;

export function hasFromRight(text: string): boolean {
  return FROM_RIGHT.test(text);
}

/** Whether the paragraph's first letter runs from right to left. */
export function beginsAtRight(paragraph: string): boolean {
  return hasFromRight(paragraph) && bidi.getEmbeddingLevels(paragraph, 'auto').paragraphs[0]?.level === 1;
}

/** The pieces of a line as runs, in visual order. */
export function shown<Piece extends { readonly text: string }>(
  pieces: readonly Piece[],
  beginsRight: boolean,
): readonly Run<Piece>[] {
  const levels = levelsOf(pieces.map((piece) => piece.text).join(''), beginsRight);
  const runs: { text: string; piece: Piece; level: number }[] = [];
  let at = 0;
  for (const piece of pieces) {
    for (const character of piece.text) {
      const level = levels[at]!;
      at += character.length;
      const last = runs.at(-1);
      if (last?.piece === piece && last.level === level) last.text += character;
      else runs.push({ text: character, piece, level });
    }
  }
  for (const level of [2, 1]) reverseFrom(runs, level);
  return runs.map(({ text, piece, level }) => {
    const rtl = level === 1;
    return { text: rtl ? mirrored(text) : text, piece, rtl };
  });
}

/**
 * Levels by code unit: 0 and 2 run from left to right, 1 from right to left. By rule L1, trailing white space has the
 * level of the line.
 */
function levelsOf(line: string, beginsRight: boolean): Uint8Array {
  const { levels } = bidi.getEmbeddingLevels(line, beginsRight ? 'rtl' : 'ltr');
  return levels.fill(beginsRight ? 1 : 0, line.trimEnd().length);
}

/** Reverses each sequence of runs at this level or higher. */
function reverseFrom(runs: { readonly level: number }[], level: number): void {
  for (let from = 0; from < runs.length; from += 1) {
    let to = from;
    while (to < runs.length && runs[to]!.level >= level) to += 1;
    if (to > from + 1) runs.splice(from, to - from, ...runs.slice(from, to).reverse());
    from = Math.max(from, to);
  }
}

function mirrored(text: string): string {
  return [...text].map((character) => bidi.getMirroredCharacter(character) ?? character).join('');
}

/**
 * Words and spaces of a right-to-left run, in visual order. The typeface reverses the letters of a word; words without
 * letters are reversed here.
 */
export function wordsFromRight(text: string): readonly string[] {
  const words = text.match(/ +|[^ ]+/g) ?? [];
  return words.reverse().map((word) => (LETTER_FROM_RIGHT.test(word) ? word : [...word].reverse().join('')));
}
