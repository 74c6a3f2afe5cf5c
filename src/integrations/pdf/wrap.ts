/**
 * Breaks styled text into lines of a width: at spaces, at line ends, and inside a word that is wider than a line.
 * What is in a line stands in the order in which it is shown.
 */
import { beginsAtRight, hasFromRight, shown } from './direction.ts';
import type { FontStyle } from './fonts.ts';
import type { PageWriter } from './pages.ts';

/** A run of text in one style. */
export interface Span {
  readonly text: string;
  readonly style: FontStyle;
  readonly link?: string | undefined;
  readonly strike?: boolean | undefined;
}

export interface PlacedSpan extends Span {
  /** From the line's beginning. */
  readonly x: number;
  readonly width: number;
  /** Its own letters run from right to left. */
  readonly rtl?: boolean;
  /** Its paragraph does. */
  readonly fromRight?: boolean;
}

export type Line = readonly PlacedSpan[];

export interface Measure {
  readonly pages: PageWriter;
  readonly size: number;
  readonly width: number;
}

export function wrap(spans: readonly Span[], measure: Measure): readonly Line[] {
  const lines: PlacedSpan[][] = [[]];
  const paragraphs: number[] = [0];
  let paragraph = 0;
  let x = 0;
  const begin = (): void => {
    lines.push([]);
    paragraphs.push(paragraph);
    x = 0;
  };
  for (const atom of atomsOf(spans, measure)) {
    if (atom.kind === 'break') {
      paragraph += 1;
      begin();
      continue;
    }
    if (atom.kind === 'space') {
      if (x > 0 && x + atom.width <= measure.width) x = place(lines.at(-1)!, atom.parts, x);
      else if (x > 0) begin();
      continue;
    }
    if (x > 0 && x + atom.width > measure.width) begin();
    const pieces = atom.width <= measure.width ? [atom.parts] : split(atom.parts, measure);
    let first = true;
    for (const parts of pieces) {
      if (!first) begin();
      first = false;
      x = place(lines.at(-1)!, parts, x);
    }
  }
  const text = spans.map((span) => span.text).join('');
  if (!hasFromRight(text)) return lines;
  const begins = text.split('\n').map(beginsAtRight);
  return lines.map((line, at) => directed(line, begins[paragraphs[at]!]!, measure));
}

/** A line with all that runs from right to left where it is shown. */
function directed(line: Line, fromRight: boolean, { pages, size }: Measure): Line {
  if (!fromRight && !line.some((span) => hasFromRight(span.text))) return line;
  let x = 0;
  return shown(line, fromRight).map(({ text, piece, rtl }) => {
    const width = pages.widthOf(text, piece.style, size);
    x += width;
    return { ...piece, text, x: x - width, width, rtl, fromRight };
  });
}

export function widthOfLine(line: Line): number {
  const last = line.at(-1);
  return last === undefined ? 0 : last.x + last.width;
}

type Part = Span & { readonly width: number };

interface Atom {
  readonly kind: 'word' | 'space' | 'break';
  readonly parts: readonly Part[];
  readonly width: number;
}

const BREAK: Atom = { kind: 'break', parts: [], width: 0 };

/** Words may run on from one span into the next: a line is broken only where a space is. */
function atomsOf(spans: readonly Span[], { pages, size }: Measure): readonly Atom[] {
  const atoms: Atom[] = [];
  let word: Part[] = [];
  const end = (): void => {
    if (word.length > 0) atoms.push({ kind: 'word', parts: word, width: total(word) });
    word = [];
  };
  for (const span of spans) {
    for (const [text] of span.text.replaceAll('\t', '    ').matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (text === '\n') {
        end();
        atoms.push(BREAK);
        continue;
      }
      const parts = partsOf({ ...span, text }, pages, size);
      if (/\S/.test(text)) {
        for (const part of parts) word.push(part);
      } else {
        end();
        atoms.push({ kind: 'space', parts, width: total(parts) });
      }
    }
  }
  end();
  return atoms;
}

/** No line holds so many. To measure a longer run the library would lay it out whole, at a kilobyte a character. */
const RUN_CHARACTERS_MAX = 2_000;

/** A run longer than any line has no width of its own: it is measured as it is cut. */
function partsOf(span: Span, pages: PageWriter, size: number): readonly Part[] {
  return pages.fonts.pieces(span.text, span.style).map((piece) => {
    const long = piece.text.length > RUN_CHARACTERS_MAX;
    const width = long ? Number.POSITIVE_INFINITY : pages.widthOf(piece.text, piece.style, size);
    return { ...span, ...piece, width };
  });
}

function total(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.width, 0);
}

/** Puts parts on a line, joined to what is before them where nothing but the text differs. */
function place(line: PlacedSpan[], parts: readonly Part[], at: number): number {
  let x = at;
  for (const part of parts) {
    const last = line.at(-1);
    if (last !== undefined && alike(last, part)) {
      line[line.length - 1] = { ...last, text: last.text + part.text, width: last.width + part.width };
    } else line.push({ ...part, x });
    x += part.width;
  }
  return x;
}

function alike(a: Span, b: Span): boolean {
  return a.style === b.style && a.link === b.link && a.strike === b.strike;
}

/** A word wider than the line, cut by characters into pieces that fit; each has at least one character. */
function* split(parts: readonly Part[], { pages, size, width }: Measure): Generator<readonly Part[]> {
  const advances = new Map<string, number>();
  const advanceOf = (segment: string, style: FontStyle): number => {
    const key = `${style} ${segment}`;
    const advance = advances.get(key) ?? pages.widthOf(segment, style, size);
    advances.set(key, advance);
    return advance;
  };
  let piece: Part[] = [];
  let x = 0;
  for (const part of parts) {
    let run = { ...part, text: '', width: 0 };
    for (const segment of segmentsOf(part.text)) {
      const advance = advanceOf(segment, part.style);
      if ((x > 0 && x + advance > width) || run.text.length >= RUN_CHARACTERS_MAX) {
        yield run.text === '' ? piece : [...piece, run];
        piece = [];
        run = { ...part, text: '', width: 0 };
        x = 0;
      }
      run.text += segment;
      run.width += advance;
      x += advance;
    }
    piece.push(run);
  }
  yield piece;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** No writing needs so many marks on one letter, and to set a letter takes the square of their number. */
const SEGMENT_CHARACTERS_MAX = 64;

/** What is read as one character, in pieces when it has marks beyond all use. */
function* segmentsOf(text: string): Generator<string> {
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (segment.length <= SEGMENT_CHARACTERS_MAX) {
      yield segment;
      continue;
    }
    const characters = [...segment];
    for (let at = 0; at < characters.length; at += SEGMENT_CHARACTERS_MAX) {
      yield characters.slice(at, at + SEGMENT_CHARACTERS_MAX).join('');
    }
  }
}
