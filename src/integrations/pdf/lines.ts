/** Writes lines of text into a frame: a left edge, a width and the bars of surrounding quotes. */
import type { PageWriter } from './pages.ts';
import { type Line, type Span, widthOfLine, wrap } from './wrap.ts';

/** Where blocks are written: left edge, width, and bars beside every line of a quote, in points. */
export interface Frame {
  readonly left: number;
  readonly width: number;
  readonly bars: readonly number[];
  /** Added to the level of headings in bookmarks. */
  readonly depth: number;
}

export const BODY_SIZE = 10;
export const LEADING = 1.4;
const INDENT = 18;
/** Nested lists and quotes are indented as long as this width remains. */
const WIDTH_MIN = 160;
const BAR_COLOR = '#c8d2cc';
const LINK_COLOR = '#1a5276';

export function wholeFrame(pages: PageWriter, depth = 0): Frame {
  return { left: pages.left, width: pages.width, bars: [], depth };
}

/** Wraps and draws spans; right-to-left paragraphs are aligned right. */
export function writeSpans(
  pages: PageWriter,
  spans: readonly Span[],
  { frame, size, color }: { readonly frame: Frame; readonly size: number; readonly color?: string },
): void {
  for (const line of wrap(spans, { pages, size, width: frame.width })) {
    const y = takeLine(pages, size * LEADING, frame);
    const x = frame.left + (line[0]?.fromRight === true ? frame.width - widthOfLine(line) : 0);
    drawLine(pages, line, { x, y, size, ...(color === undefined ? {} : { color }) });
  }
}

/** Reserves the space of a line and draws the bars beside it. Returns the top of the line. */
export function takeLine(pages: PageWriter, height: number, { bars }: Frame): number {
  const y = pages.take(height);
  for (const x of bars) pages.rect({ x, y, width: 2, height }, BAR_COLOR);
  return y;
}

export interface LinePlace {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color?: string;
}

export function drawLine(pages: PageWriter, line: Line, { x, y, size, color }: LinePlace): void {
  for (const span of line) {
    const own = span.link === undefined ? color : LINK_COLOR;
    const look = { link: span.link, strike: span.strike, rtl: span.rtl, ...(own === undefined ? {} : { color: own }) };
    pages.text(span.text, span.style, { x: x + span.x, y, size, ...look });
  }
}

export function indented(frame: Frame): Frame {
  const by = Math.max(0, Math.min(INDENT, frame.width - WIDTH_MIN));
  return { ...frame, left: frame.left + by, width: frame.width - by };
}
