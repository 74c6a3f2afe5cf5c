/**
 * The embedded typeface (DejaVu: Latin, Greek, Cyrillic, symbols and more) and its missing characters.
 *
 * - A style without a character uses the regular style's. If that lacks it too, U+FFFD is shown and counted.
 * - Control characters, and marks that reorder text, are shown as numbers, so that the page shows what the text
 *   contains.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type FontStyle = 'regular' | 'bold' | 'italic' | 'bold_italic' | 'mono';

const FILES: Readonly<Record<FontStyle, string>> = {
  regular: 'DejaVuSans.ttf',
  bold: 'DejaVuSans-Bold.ttf',
  italic: 'DejaVuSans-Oblique.ttf',
  bold_italic: 'DejaVuSans-BoldOblique.ttf',
  mono: 'DejaVuSansMono.ttf',
};

/** Width of every glyph of the mono style, relative to the font size. */
export const MONO_ADVANCE = 1233 / 2048;

export interface Piece {
  readonly text: string;
  readonly style: FontStyle;
}

/** Which characters a font has; the used part of the PDF library's font. */
export interface Coverage {
  hasGlyphForCodePoint(codePoint: number): boolean;
}

export interface Fonts {
  /** Splits text into runs of one style, each with characters that the style has. */
  pieces(text: string, style: FontStyle): readonly Piece[];
  /** Code points without a glyph, in order of appearance, and how often any occurred. */
  readonly missing: { readonly codePoints: ReadonlySet<number>; count: number };
}

export function fontFile(style: FontStyle): string {
  const packageFile = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json');
  return join(dirname(packageFile), 'ttf', FILES[style]);
}

const REPLACEMENT = '\ufffd';
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u0391-\u03a1\u03a3-\u03ce\u0410-\u044f]*$/;

export function createFonts(coverage: (style: FontStyle) => Coverage): Fonts {
  const known = new Map<string, FontStyle | null>();
  const missing = { codePoints: new Set<number>(), count: 0 };

  function styleOf(codePoint: number, style: FontStyle): FontStyle | null {
    const key = `${style} ${codePoint}`;
    let found = known.get(key);
    if (found === undefined) {
      const styles = [style, 'regular'] as const;
      found = styles.find((candidate) => coverage(candidate).hasGlyphForCodePoint(codePoint)) ?? null;
      known.set(key, found);
    }
    return found;
  }

  return {
    missing,
    pieces(text, style) {
      const shown = visible(text);
      if (PLAIN.test(shown)) return shown === '' ? [] : [{ text: shown, style }];
      const pieces: { text: string; style: FontStyle }[] = [];
      for (const character of shown) {
        const codePoint = character.codePointAt(0)!;
        const found = styleOf(codePoint, style);
        if (found === null) {
          missing.codePoints.add(codePoint);
          missing.count += 1;
        }
        const next = { text: found === null ? REPLACEMENT : character, style: found ?? 'regular' };
        const last = pieces.at(-1);
        if (last?.style === next.style) last.text += next.text;
        else pieces.push(next);
      }
      return pieces;
    },
  };
}

const HIDDEN = /[^\P{Cc}\t\n]|\p{Cf}|\p{Variation_Selector}|[\u2028\u2029]/gu;

/**
 * The text with hidden characters as they are shown; tabs and line feeds stay. Lone surrogates become U+FFFD. The
 * typeface has no pictures of control characters.
 */
export function visible(text: string): string {
  return text.toWellFormed().replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    const reorders = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code === 0x200f;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return reorders || isControl ? `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9` : '';
  });
}
