/**
 * The pages of a PDF as one column of lines: whoever sets something asks for a line's place and draws there.
 *
 * - A place never lies across a page's end; the next page begins where a place no longer fits.
 * - Page numbers and bookmarks are kept here, so that every kind of document has them.
 */
import type PDFDocument from 'pdfkit';
import { shown, wordsFromRight } from './direction.ts';
import { type Coverage, createFonts, type FontStyle, type Fonts, fontFile } from './fonts.ts';

export interface SheetOptions {
  readonly title: string;
  readonly created: Date;
  readonly changed: Date;
  /** A long document lets go of its pages one by one; then their numbers cannot say of how many. */
  readonly long: boolean;
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

export interface Sheet {
  readonly fonts: Fonts;
  readonly left: number;
  readonly width: number;
  /** The height of a page's text. */
  readonly height: number;
  /** Takes the next `height` points of the column and answers their top; a new page is begun when they do not fit. */
  take(height: number): number;
  /** Free space, which is dropped at the top of a page. */
  space(height: number): void;
  /** Begins a new page unless `height` points are left on this one. */
  keep(height: number): void;
  /** What is left of this page. */
  left_over(): number;
  widthOf(text: string, style: FontStyle, size: number): number;
  /** Draws text of one style whose characters are all covered, its line's top at `y`. */
  text(text: string, style: FontStyle, place: TextPlace): void;
  rect(place: { x: number; y: number; width: number; height: number }, color: string): void;
  /** A bookmark of level 1 to 6 at the place that is taken next. */
  bookmark(level: number, title: string): void;
  finish(): Promise<Uint8Array<ArrayBuffer>>;
}

const MARGIN = 56;
const FOOTER_SIZE = 8;
const BOOKMARK_CHARACTERS_MAX = 120;
const BOOKMARKS_MAX = 5_000;
const GREY = '#666666';
const BLACK = '#111111';

type Pdf = InstanceType<typeof PDFDocument>;

export async function createSheet({ title, created, changed, long }: SheetOptions): Promise<Sheet> {
  const { default: Document } = await import('pdfkit');
  const pdf = new Document({
    size: 'A4',
    margin: MARGIN,
    bufferPages: !long,
    displayTitle: true,
    lang: 'en',
    info: {
      Title: title,
      Producer: 'Daybook',
      Creator: 'Daybook',
      CreationDate: created,
      ModDate: changed,
    },
  });
  const bytes = await collected(pdf);
  const fonts = createFonts((style) => coverage(pdf, style));
  const bookmarks = createBookmarks(pdf);
  const columns = createColumns(pdf);
  const bottom = pdf.page.height - MARGIN;
  let y = MARGIN;

  const footer = createFooter(pdf, fonts, title);
  let page = 1;

  function turn(): void {
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
      if (y + height > bottom && y > MARGIN) turn();
      const top = y;
      y += height;
      return top;
    },
    space(height) {
      if (y > MARGIN) y = Math.min(bottom, y + height);
    },
    keep(height) {
      if (y + height > bottom && y > MARGIN) turn();
    },
    left_over: () => bottom - y,
    widthOf: (text, style, size) => use(pdf, style, size).widthOfString(text),
    text: (text, style, place) => drawText(pdf, columns, { text, style, place }),
    rect: ({ x, y: top, width, height }, color) => void pdf.rect(x, top, width, height).fill(color),
    bookmark: (level, text) => bookmarks(level, text, y),
    async finish() {
      if (long) footer(String(page));
      else numberPages(pdf, footer);
      pdf.end();
      return bytes.whole;
    },
  };
}

/** What there is of the library's fonts and pages beyond its types. */
interface Inner {
  readonly _font: InnerFont;
  readonly page: { readonly fonts: Record<string, unknown> };
  addContent(operators: string): unknown;
}

interface InnerFont {
  readonly id: string;
  readonly font: Coverage;
  readonly ascender: number;
  encode(text: string): readonly [glyphs: readonly string[], positions: unknown];
  ref(): unknown;
}

function use(pdf: Pdf, style: FontStyle, size: number): Pdf {
  return pdf.font(registered(pdf, style)).fontSize(size);
}

const registrations = new WeakMap<Pdf, Set<FontStyle>>();

/** A font is read from disk when its style is first used. */
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
  return (use(pdf, style, 10) as unknown as Inner)._font.font;
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
 * Draws text whose characters are all of one width: one operator a line, each character looked up once a document.
 * Long files are set this way about nine times as fast as by the library, which lays out every word anew.
 */
function createColumns(pdf: Pdf): (drawn: Drawn) => void {
  const glyphs = new Map<string, string>();
  const inner = pdf as unknown as Inner;
  const glyphOf = (character: string): string => {
    let glyph = glyphs.get(character);
    if (glyph === undefined) {
      glyph = inner._font.encode(character)[0].join('');
      glyphs.set(character, glyph);
    }
    return glyph;
  };
  return ({ text, style, place }) => {
    const { x, y, size, color = BLACK } = place;
    use(pdf, style, size).fillColor(color);
    const font = inner._font;
    let hex = '';
    for (const character of text) hex += glyphOf(character);
    inner.page.fonts[font.id] ??= font.ref();
    // The page's own matrix has its origin at the top, so the letters are turned over again.
    const baseline = (y + (font.ascender / 1_000) * size).toFixed(2);
    inner.addContent(`BT /${font.id} ${size} Tf 1 0 0 -1 ${x.toFixed(2)} ${baseline} Tm <${hex}> Tj ET`);
  };
}

/** Word by word: laid out as one, a run would have to be laid out anew each time. */
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

const BLOCK_BYTES = 1024 * 1024;

/**
 * The bytes of a document, copied together as they come: a compressed page kept as it is handed out would keep the
 * 16 KiB it was made in. Answers when the document's bytes come at once, not after the one who sets it has let go.
 */
async function collected(pdf: Pdf): Promise<Collected> {
  const { promise: whole, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const blocks: Uint8Array[] = [];
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  pdf.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + block.length - filled);
      block.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < block.length) continue;
      blocks.push(block);
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  });
  pdf.once('end', () => resolve(joined([...blocks, block.subarray(0, filled)])));
  pdf.once('error', reject);
  await new Promise<void>((flowing) => setImmediate(flowing));
  return { whole };
}

function joined(blocks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** Bookmarks nest as their levels do; a level that was skipped hangs under the next one above. */
function createBookmarks(pdf: Pdf): (level: number, title: string, y: number) => void {
  const open: { readonly level: number; readonly item: PDFKit.PDFOutline }[] = [];
  let count = 0;
  return (level, title, y) => {
    if (count >= BOOKMARKS_MAX) return;
    count += 1;
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    const parent = open.at(-1)?.item ?? pdf.outline;
    const short = [...title.replace(/\s+/g, ' ').trim()].slice(0, BOOKMARK_CHARACTERS_MAX).join('');
    // The library's types do not know that a bookmark can name a height.
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
    // Text below the margin would otherwise begin a page of its own.
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
