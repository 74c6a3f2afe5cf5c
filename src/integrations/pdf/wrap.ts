/**
 * Breaks styled text into lines: at spaces, at line breaks, and inside words wider than a line, there preferably after
 * a hyphen, a slash and the like. Each line is in visual order.
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
  /** Distance from the start of the line, in points. */
  readonly x: number;
  readonly width: number;
  /** The span runs from right to left. */
  readonly rtl?: boolean;
  /** The paragraph runs from right to left. */
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

/** Splits spans into words, spaces and breaks. A word may continue in the next span: lines break only at spaces. */
function atomsOf(spans: readonly Span[], { pages, size, width }: Measure): readonly Atom[] {
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
      if (!/\S/.test(text)) {
        end();
        atoms.push({ kind: 'space', parts, width: total(parts) });
      } else if (total(parts) <= width || text.length > RUN_CHARACTERS_MAX) {
        for (const part of parts) word.push(part);
      } else {
        for (const [index, piece] of piecesOf(text).entries()) {
          if (index > 0) end();
          for (const part of partsOf({ ...span, text: piece }, pages, size)) word.push(part);
        }
      }
    }
  }
  end();
  return atoms;
}

/** Parts of a word after which a line may break when the word is wider than the line. */
export function piecesOf(word: string): readonly string[] {
  return word.match(/[^-/._?&=,;:]*[-/._?&=,;:]+|[^-/._?&=,;:]+/g) ?? [];
}

/** Longer runs exceed every line. Measuring them would take a kilobyte of memory per character. */
const RUN_CHARACTERS_MAX = 2_000;

/** A run over the limit has infinite width and is measured while it is split. */
function partsOf(span: Span, pages: PageWriter, size: number): readonly Part[] {
  return pages.fonts.pieces(span.text, span.style).map((piece) => {
    const long = piece.text.length > RUN_CHARACTERS_MAX;
    const width = long ? Number.POSITIVE_INFINITY : pages.widthOf(piece.text, piece.style, size);
    return { ...span, ...piece, width };
  });
}

/** Width of a text in one line. */
export function widthOfText(span: Span, { pages, size }: Pick<Measure, 'pages' | 'size'>): number {
  return total(partsOf(span, pages, size));
}

function total(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.width, 0);
}

/** Appends parts to a line, joining spans that differ only in their text. */
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

/** Splits a word that is wider than the line into pieces that fit, each of at least one character. */
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
/** Limit of marks on one letter; the time to lay out a letter grows with their square. */
const SEGMENT_CHARACTERS_MAX = 64;

/** Grapheme clusters, split when they have too many marks. */
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
