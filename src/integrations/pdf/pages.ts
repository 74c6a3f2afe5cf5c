/**
 * Writes the pages of a PDF as one column: callers take a place of some height and draw there.
 *
 * - A place never crosses the end of a page; a new page begins when the place does not fit.
 * - Page numbers and bookmarks are written here, so that every kind of document has them.
 */
import type PDFDocument from 'pdfkit';
import { type ByteBlocks, createByteBlocks } from '../../lib/byte-blocks.ts';
import { DocumentError } from '../../ports/documents.ts';
import { shown, wordsFromRight } from './direction.ts';
import { type Coverage, createFonts, type FontStyle, type Fonts, fontFile } from './fonts.ts';

export interface PageOptions {
  readonly title: string;
  readonly created: Date;
  readonly changed: Date;
  /** Pages of a long document are written out one by one, so their numbers do not tell the total. */
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
   * Takes the next `height` points of the column and returns their top; begins a new page when they do not fit. Throws
   * `DocumentError` for a page beyond `PAGES_MAX`, and when the document has taken `CPU_SECONDS_MAX`.
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
  /** Adds a bookmark of level 1 to 6 to the place that is taken next. */
  bookmark(level: number, title: string): void;
  finish(): Promise<Uint8Array<ArrayBuffer>>;
}

/** A text of 10 MB has about 4 200; a text of line ends would have 150 000. */
export const PAGES_MAX = 5_000;
export const CPU_SECONDS_MAX = 10;
const MARGIN = 56;
const FOOTER_SIZE = 8;
const BOOKMARK_CHARACTERS_MAX = 120;
const BOOKMARKS_MAX = 5_000;
const GREY = '#666666';
const BLACK = '#111111';

type Pdf = InstanceType<typeof PDFDocument>;

export async function createPageWriter(options: PageOptions): Promise<PageWriter> {
  const { title, created, changed, long } = options;
  const { default: Document } = await import('pdfkit');
  const pdf = new Document({
    size: 'A4',
    margin: MARGIN,
    bufferPages: !long,
    displayTitle: true,
    lang: 'en',
    info: { Title: title, Producer: 'Daybook', Creator: 'Daybook', CreationDate: created, ModDate: changed },
  });
  const bytes = await collect(pdf);
  const fonts = createFonts((style) => coverage(pdf, style));
  const bookmark = createBookmarks(pdf);
  const columns = createColumns(pdf);
  const footer = createFooter(pdf, fonts, title);
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
    widthOf: (text, style, size) => use(pdf, style, size).widthOfString(text),
    text: (text, style, place) => drawText(pdf, columns, { text, style, place }),
    rect: ({ x, y: top, width, height }, color) => void pdf.rect(x, top, width, height).fill(color),
    bookmark: (level, text) => bookmark(level, text, y),
    finish() {
      if (long) footer(String(page));
      else numberPages(pdf, footer);
      pdf.end();
      return bytes.whole;
    },
  };
}

function requireRoom(pages: number, spentMs: number): void {
  if (pages >= PAGES_MAX) throw new DocumentError('too_large', `A PDF may have at most ${PAGES_MAX} pages.`);
  if (spentMs > CPU_SECONDS_MAX * 1_000) {
    const message = `A PDF may take at most ${CPU_SECONDS_MAX} s of processor time; this one is not done by then.`;
    throw new DocumentError('too_large', message);
  }
}

/** The font that a document uses now. */
interface CurrentFont {
  readonly id: string;
  readonly font: Coverage;
  /** Thousandths of the font's size. */
  readonly ascender: number;
  /** The glyphs in hexadecimal. */
  encode(text: string): readonly [glyphs: readonly string[], positions: unknown];
  /** The reference that a page's resources hold. */
  ref(): unknown;
}

declare global {
  namespace PDFKit {
    interface PDFDocument {
      /** Private to pdfkit, whose exact version is pinned; docs/decisions/0009 gives the reason for its use. */
      readonly _font: CurrentFont;
    }
  }
}

function use(pdf: Pdf, style: FontStyle, size: number): Pdf {
  return pdf.font(registered(pdf, style)).fontSize(size);
}

const registrations = new WeakMap<Pdf, Set<FontStyle>>();

/** Registers a style's font at its first use, because that reads the file. */
function registered(pdf: Pdf, style: FontStyle): FontStyle {
  let styles = registrations.get(pdf);
  if (styles === undefined) {
    styles = new Set();
    registrations.set(pdf, styles);
  }
  if (!styles.has(style)) {
    styles.add(style);
    pdf.registerFont(style, fontFile(style));
  }
  return style;
}

function coverage(pdf: Pdf, style: FontStyle): Coverage {
  return use(pdf, style, 10)._font.font;
}

interface Drawn {
  readonly text: string;
  readonly style: FontStyle;
  readonly place: TextPlace;
}

function drawText(pdf: Pdf, columns: (drawn: Drawn) => void, drawn: Drawn): void {
  const { text, style, place } = drawn;
  if (place.rtl) drawFromRight(use(pdf, style, place.size), text, place);
  else if (style === 'mono' && place.link === undefined && place.strike === undefined) columns(drawn);
  else draw(use(pdf, style, place.size), text, place);
}

/**
 * Draws text whose characters all have one width: one operator a line, each glyph looked up once a document. That is
 * about nine times as fast as pdfkit, which lays out every word.
 */
function createColumns(pdf: Pdf): (drawn: Drawn) => void {
  const glyphs = new Map<string, string>();
  const glyphOf = (character: string): string => {
    let glyph = glyphs.get(character);
    if (glyph === undefined) {
      glyph = pdf._font.encode(character)[0].join('');
      glyphs.set(character, glyph);
    }
    return glyph;
  };
  return ({ text, style, place }) => {
    const { x, y, size, color = BLACK } = place;
    use(pdf, style, size).fillColor(color);
    const font = pdf._font;
    let hex = '';
    for (const character of text) hex += glyphOf(character);
    pdf.page.fonts[font.id] ??= font.ref();
    // The page's matrix flips the y axis, so the text matrix flips it back.
    const baseline = (y + (font.ascender / 1_000) * size).toFixed(2);
    pdf.addContent(`BT /${font.id} ${size} Tf 1 0 0 -1 ${x.toFixed(2)} ${baseline} Tm <${hex}> Tj ET`);
  };
}

/** Draws word by word: the library's cache of laid out words does not help with whole runs. */
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
 * Copies the bytes of a document as they arrive: otherwise a compressed page keeps its whole 16 KiB buffer alive.
 * Resolves when the stream flows, so that pages are handed over while the document is written.
 */
async function collect(pdf: Pdf): Promise<Collected> {
  const { promise: whole, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const bytes = createByteBlocks();
  pdf.on('data', (chunk: Buffer) => bytes.push(chunk));
  pdf.once('end', () => resolve(joined(bytes)));
  pdf.once('error', reject);
  await new Promise<void>((flowing) => setImmediate(flowing));
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
    const short = [...title.replace(/\s+/g, ' ').trim()].slice(0, BOOKMARK_CHARACTERS_MAX).join('');
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

function createFooter(pdf: Pdf, fonts: Fonts, title: string): (number: string) => void {
  const y = pdf.page.height - MARGIN + 18;
  const short = shown(fonts.pieces([...title.replace(/\s+/g, ' ')].slice(0, 70).join(''), 'regular'), false);
  const place = { y, size: FOOTER_SIZE, color: GREY };
  return (number) => {
    // Text below the margin would begin a new page.
    pdf.page.margins.bottom = 0;
    let x = MARGIN;
    for (const { text, piece, rtl } of short) {
      const set = rtl ? drawFromRight : draw;
      set(use(pdf, piece.style, FOOTER_SIZE), text, { ...place, x });
      x += pdf.widthOfString(text);
    }
    const width = use(pdf, 'regular', FOOTER_SIZE).widthOfString(number);
    draw(pdf, number, { ...place, x: pdf.page.width - MARGIN - width });
  };
}
