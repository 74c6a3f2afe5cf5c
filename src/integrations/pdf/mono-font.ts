/**
 * Draws text in the mono style with a font that this module embeds (ISO 32000-1, 9.7 and 9.10.3): one operator per
 * line, one lookup per glyph and document. pdfkit lays out every word, which takes nine times as long.
 */
import type { Font, Subset } from 'fontkit';
import type PDFDocument from 'pdfkit';

export interface MonoPlace {
  readonly x: number;
  /** Top of the line. */
  readonly y: number;
  readonly size: number;
}

export interface MonoFont {
  /** Draws text in the current fill colour. The font must have all characters. */
  draw(text: string, place: MonoPlace): void;
  /** Writes the glyphs that were used; called before the end of the document. */
  embed(): void;
}

declare module 'fontkit' {
  interface Subset {
    /** Returns the number of the glyph in the subset; the published types say otherwise. */
    includeGlyph(glyph: number): number;
  }
}

type Pdf = InstanceType<typeof PDFDocument>;

const NAME = 'Mono';
/** A subset has a tag of six letters before its name. */
const TAG = 'DAYBKM';
const FIXED_PITCH_AND_SYMBOLIC = 0b101;
const MAP_LINES_MAX = 100;

export function createMonoFont(pdf: Pdf, font: Font): MonoFont {
  const subset = font.createSubset();
  const glyphs = new Map<string, string>();
  let dictionary: PDFKit.PDFKitReference | undefined;

  const glyphOf = (character: string): string => {
    let glyph = glyphs.get(character);
    if (glyph === undefined) {
      const { id } = font.glyphForCodePoint(character.codePointAt(0)!);
      glyph = subset.includeGlyph(id).toString(16).padStart(4, '0');
      glyphs.set(character, glyph);
    }
    return glyph;
  };

  return {
    draw(text, { x, y, size }) {
      dictionary ??= pdf.ref({ Type: 'Font', Subtype: 'Type0', Encoding: 'Identity-H' });
      pdf.page.fonts[NAME] ??= dictionary;
      let hex = '';
      for (const character of text) hex += glyphOf(character);
      // The page's matrix flips the y axis, so the text matrix flips it back.
      const baseline = (y + (font.ascent / font.unitsPerEm) * size).toFixed(2);
      pdf.addContent(`BT /${NAME} ${size} Tf 1 0 0 -1 ${x.toFixed(2)} ${baseline} Tm <${hex}> Tj ET`);
    },
    embed() {
      if (dictionary !== undefined) complete(pdf, dictionary, { font, subset, glyphs });
    },
  };
}

interface Used {
  readonly font: Font;
  readonly subset: Subset;
  /** Character → its glyph in the subset, in hexadecimal. */
  readonly glyphs: ReadonlyMap<string, string>;
}

function complete(pdf: Pdf, dictionary: PDFKit.PDFKitReference, { font, subset, glyphs }: Used): void {
  const scale = 1_000 / font.unitsPerEm;
  const name = `${TAG}+${font.postscriptName}`;
  const { minX, minY, maxX, maxY } = font.bbox;
  const descriptor = writeObject(pdf, {
    Type: 'FontDescriptor',
    FontName: name,
    Flags: FIXED_PITCH_AND_SYMBOLIC,
    FontBBox: [minX, minY, maxX, maxY].map((value) => value * scale),
    ItalicAngle: font.italicAngle,
    Ascent: font.ascent * scale,
    Descent: font.descent * scale,
    // Fonts of early OpenType versions have no cap height.
    CapHeight: (font.capHeight || font.ascent) * scale,
    StemV: 0,
    FontFile2: writeObject(pdf, {}, subset.encode()),
  });
  const descendant = writeObject(pdf, {
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: name,
    CIDSystemInfo: { Registry: Buffer.from('Adobe'), Ordering: Buffer.from('Identity'), Supplement: 0 },
    CIDToGIDMap: 'Identity',
    FontDescriptor: descriptor,
    // One width for all glyphs; the default width of a font must be an integer for some readers.
    W: [0, glyphs.size, font.getGlyph(0).advanceWidth * scale],
  });
  Object.assign(dictionary.data, {
    BaseFont: name,
    DescendantFonts: [descendant],
    ToUnicode: writeObject(pdf, {}, Buffer.from(characterMap(glyphs))),
  });
  dictionary.end(undefined);
}

function writeObject(pdf: Pdf, data: object, bytes?: Uint8Array): PDFKit.PDFKitReference {
  const reference = pdf.ref(data);
  reference.end(bytes);
  return reference;
}

/** Maps glyphs to characters, so that the text can be searched and copied. */
function characterMap(glyphs: ReadonlyMap<string, string>): string {
  const lines = [...glyphs].map(([character, glyph]) => `<${glyph}> <${utf16(character)}>`);
  const blocks = Array.from({ length: Math.ceil(lines.length / MAP_LINES_MAX) }, (_, index) => {
    const block = lines.slice(index * MAP_LINES_MAX, (index + 1) * MAP_LINES_MAX);
    return [`${block.length} beginbfchar`, ...block, 'endbfchar'].join('\n');
  });
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<0000> <ffff>',
    'endcodespacerange',
    ...blocks,
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

function utf16(character: string): string {
  return Buffer.from(character, 'utf16le').swap16().toString('hex');
}
