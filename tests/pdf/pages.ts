/**
 * A page for tests: every character is half as wide as the font size, CJK has no glyph, and all drawing calls are
 * recorded.
 */
import { createFonts } from '../../src/integrations/pdf/fonts.ts';
import type { PageWriter } from '../../src/integrations/pdf/pages.ts';

export interface RecordedPages extends PageWriter {
  readonly drawn: readonly { readonly text: string; readonly x: number; readonly y: number }[];
}

export function recordedPages(): RecordedPages {
  const drawn: { text: string; x: number; y: number }[] = [];
  let y = 0;
  const take = (height: number): number => {
    y += height;
    return y - height;
  };
  return {
    drawn,
    fonts: createFonts((style) => ({
      hasGlyphForCodePoint: (code) => (code < 0x3000 || code === 0xfffd) && (style === 'regular' || code !== 0x2713),
    })),
    left: 0,
    width: 400,
    height: 800,
    take,
    space: (height) => void take(height),
    keep: () => undefined,
    remaining: () => 800,
    widthOf: (text, _style, size) => ([...text].length * size) / 2,
    text: (text, _style, place) => void drawn.push({ text, x: place.x, y: place.y }),
    rect: () => undefined,
    bookmark: () => undefined,
    finish: async () => new Uint8Array(),
  };
}
