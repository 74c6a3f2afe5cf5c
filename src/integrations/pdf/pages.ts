/**
 * Writes the pages of a PDF as one column: callers reserve space of some height and draw there.
 *
 * - Reserved space never crosses the end of a page; a new page begins when it does not fit.
 * - Page numbers and bookmarks are written here, so that every kind of document has them.
 */

import { readFileSync } from 'node:fs';
import type { Font, FontCollection } from 'fontkit';
import type PDFDocument from 'pdfkit';
import { type ByteBlocks, createByteBlocks } from '../../lib/byte-blocks.ts';
import { cut } from '../../lib/characters.ts';
import { ownTurn } from '../../lib/slices.ts';
import { PortError } from '../../ports/port-error.ts';
import { shown, wordsFromRight } from './direction.ts';
import { type Coverage, createFonts, type FontStyle, type Fonts, fontFile } from './fonts.ts';
import { createMonoFont, type MonoFont } from './mono-font.ts';

export interface PageOptions {
  readonly title: string;
  readonly created: Date;
  readonly changed: Date;
  /** Pages of a long document are written out one by one, so their footers do not have the total. */
  readonly long: boolean;
  /** Processor time of the document so far. */
  readonly spentMs: () => number;
}

export interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color?: string;
  readonly link?: string | undefined;
  readonly strike?: boolean | undefined;
  readonly rtl?: boolean | undefined;
}

export interface PageWriter {
  readonly fonts: Fonts;
  readonly left: number;
  readonly width: number;
  /** Height of a page's text in points, as all measures here. */
  readonly height: number;
  /**
   * Reserves the next `height` points of the column and returns their top; begins a new page when they do not fit.
   * Throws `PortError` for a page beyond `PAGES_MAX`, and when the document has taken `CPU_SECONDS_MAX`.
   */
  take(height: number): number;
  /** Leaves space, except at the top of a page. */
  space(height: number): void;
  /** Begins a new page unless `height` points are left on this one. */
  keep(height: number): void;
  /** Height left on this page. */
  remaining(): number;
  widthOf(text: string, style: FontStyle, size: number): number;
  /** Draws text of one style, with the line's top at `y`. The font must have all characters. */
  text(text: string, style: FontStyle, place: TextPlace): void;
  rect(place: { x: number; y: number; width: number; height: number }, color: string): void;
  /** Adds a bookmark of level 1 to 6 at the current position. */
  bookmark(level: number, title: string): void;
  finish(): Promise<Uint8Array<ArrayBuffer>>;
}

/** A text of 10 MB has about 4 200 pages; 10 MB of line breaks would have 150 000. */
const PAGES_MAX = 5_000;
const CPU_SECONDS_MAX = 10;
const MARGIN = 56;
const FOOTER_SIZE = 8;
const BOOKMARK_CHARACTERS_MAX = 120;
const BOOKMARKS_MAX = 5_000;
const GREY = '#666666';
const BLACK = '#111111';

type Pdf = InstanceType<typeof PDFDocument>;

export async function createPageWriter(options: PageOptions): Promise<PageWriter> {
  const { title, created, changed, long } = options;
  const [{ default: Document }, { create }] = await Promise.all([import('pdfkit'), import('fontkit')]);
  const pdf = new Document({
    size: 'A4',
    margin: MARGIN,
    bufferPages: !long,
    displayTitle: true,
    lang: 'en',
    info: { Title: title, Producer: 'Daybook', Creator: 'Daybook', CreationDate: created, ModDate: changed },
  });
  const bytes = await collect(pdf);
  const typeface = createTypeface(pdf, create);
  const { use } = typeface;
  const fonts = createFonts(typeface.coverage);
  const bookmark = createBookmarks(pdf);
  const footer = createFooter(pdf, { fonts, use }, title);
  const bottom = pdf.page.height - MARGIN;
  let y = MARGIN;
  let page = 1;

  /** Begins a new page unless `height` points are left, or the page is empty. */
  function keep(height: number): void {
    if (y + height <= bottom || y === MARGIN) return;
    requireRoom(page, options.spentMs());
    if (long) footer(String(page));
    pdf.addPage();
    page += 1;
    y = MARGIN;
  }

  return {
    fonts,
    left: MARGIN,
    width: pdf.page.width - 2 * MARGIN,
    height: bottom - MARGIN,
    take(height) {
      keep(height);
      y += height;
      return y - height;
    },
    space(height) {
      if (y > MARGIN) y = Math.min(bottom, y + height);
    },
    keep,
    remaining: () => bottom - y,
    widthOf: (text, style, size) => use(style, size).widthOfString(text),
    text: (text, style, place) => drawText(pdf, typeface, { text, style, place }),
    rect: ({ x, y: top, width, height }, color) => void pdf.rect(x, top, width, height).fill(color),
    bookmark: (level, text) => bookmark(level, text, y),
    finish() {
      if (long) footer(String(page));
      else numberPages(pdf, footer);
      typeface.embed();
      pdf.end();
      return bytes.whole;
    },
  };
}

function requireRoom(pages: number, spentMs: number): void {
  if (pages >= PAGES_MAX) throw new PortError('too_large', `A PDF may have at most ${PAGES_MAX} pages.`);
  if (spentMs > CPU_SECONDS_MAX * 1_000) {
    const message = `A PDF may take at most ${CPU_SECONDS_MAX} s of processor time; this one is not done by then.`;
    throw new PortError('too_large', message);
  }
}

interface Typeface {
  /** Selects a style. Its file is read at its first use. */
  use(style: FontStyle, size: number): Pdf;
  coverage(style: FontStyle): Coverage;
  mono(): MonoFont;
  /** Writes the used glyphs of the fonts that pdfkit does not embed. */
  embed(): void;
}

function createTypeface(pdf: Pdf, open: (bytes: Buffer) => Font | FontCollection): Typeface {
  const files = new Map<FontStyle, Font>();
  let mono: MonoFont | undefined;
  function fontOf(style: FontStyle): Font {
    let font = files.get(style);
    if (font === undefined) {
      const bytes = readFileSync(fontFile(style));
      const opened = open(bytes);
      if ('fonts' in opened) throw new Error('The file holds several fonts.');
      font = opened;
      files.set(style, font);
      pdf.registerFont(style, bytes);
    }
    return font;
  }
  return {
    use(style, size) {
      fontOf(style);
      return pdf.font(style).fontSize(size);
    },
    coverage: fontOf,
    mono() {
      mono ??= createMonoFont(pdf, fontOf('mono'));
      return mono;
    },
    embed: () => mono?.embed(),
  };
}

interface TextRun {
  readonly text: string;
  readonly style: FontStyle;
  readonly place: TextPlace;
}

function drawText(pdf: Pdf, { use, mono }: Typeface, { text, style, place }: TextRun): void {
  if (place.rtl) drawFromRight(use(style, place.size), text, place);
  else if (style === 'mono' && place.link === undefined && place.strike === undefined) {
    pdf.fillColor(place.color ?? BLACK);
    mono().draw(text, place);
  } else draw(use(style, place.size), text, place);
}

/** Draws word by word, because the library caches the layout of words, not of runs. */
function drawFromRight(pdf: Pdf, text: string, place: TextPlace): void {
  let { x } = place;
  const lined = place.link !== undefined || place.strike === true;
  for (const word of wordsFromRight(text)) {
    if (lined || word[0] !== ' ') draw(pdf, word, { ...place, x });
    x += pdf.widthOfString(word);
  }
}

function draw(pdf: Pdf, text: string, { x, y, color = BLACK, link, strike }: TextPlace): void {
  pdf.fillColor(color).text(text, x, y, {
    lineBreak: false,
    ...(link === undefined ? {} : { link, underline: true }),
    ...(strike === true ? { strike: true } : {}),
  });
}

interface Collected {
  /** Resolves when the document has ended. */
  readonly whole: Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Copies the bytes of a document as they arrive: a compressed page would otherwise keep its whole 16 KiB buffer alive.
 * Resolves when the stream flows, so that pages arrive while the document is written.
 */
async function collect(pdf: Pdf): Promise<Collected> {
  const { promise: whole, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const bytes = createByteBlocks();
  pdf.on('data', (chunk: Buffer) => bytes.push(chunk));
  pdf.once('end', () => resolve(joined(bytes)));
  pdf.once('error', reject);
  await ownTurn();
  return { whole };
}

function joined(collected: ByteBlocks): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(collected.bytes);
  let at = 0;
  for (const block of collected.blocks()) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** Nests bookmarks by level; a bookmark belongs to the last one of a lower level. */
function createBookmarks(pdf: Pdf): (level: number, title: string, y: number) => void {
  const open: { readonly level: number; readonly item: PDFKit.PDFOutline }[] = [];
  let count = 0;
  return (level, title, y) => {
    if (count >= BOOKMARKS_MAX) return;
    count += 1;
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    const parent = open.at(-1)?.item ?? pdf.outline;
    const short = cut(title.replace(/\s+/g, ' ').trim(), BOOKMARK_CHARACTERS_MAX).text;
    // The library's types lack `top`.
    const options = { expanded: level === 1, top: Math.max(0, y - 8) } as { expanded: boolean };
    open.push({ level, item: parent.addItem(short === '' ? '—' : short, options) });
  };
}

function numberPages(pdf: Pdf, footer: (number: string) => void): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let index = 0; index < count; index += 1) {
    pdf.switchToPage(start + index);
    footer(`${index + 1} / ${count}`);
  }
}

function createFooter(
  pdf: Pdf,
  { fonts, use }: Pick<Typeface, 'use'> & { readonly fonts: Fonts },
  title: string,
): (number: string) => void {
  const y = pdf.page.height - MARGIN + 18;
  const short = shown(fonts.pieces([...title.replace(/\s+/g, ' ')].slice(0, 70).join(''), 'regular'), false);
  const place = { y, size: FOOTER_SIZE, color: GREY };
  return (number) => {
    // Text below the margin would begin a new page.
    pdf.page.margins.bottom = 0;
    let x = MARGIN;
    for (const { text, piece, rtl } of short) {
      const set = rtl ? drawFromRight : draw;
      set(use(piece.style, FOOTER_SIZE), text, { ...place, x });
      x += pdf.widthOfString(text);
    }
    const width = use('regular', FOOTER_SIZE).widthOfString(number);
    draw(pdf, number, { ...place, x: pdf.page.width - MARGIN - width });
  };
}
