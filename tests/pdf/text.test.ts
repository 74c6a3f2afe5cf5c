/** Preparing text for a page: wrapped, folded, in glyphs that exist; no text is lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, fold, linesOf } from '../../src/integrations/pdf/monospace.ts';
import { type Span, widthOfLine, wrap } from '../../src/integrations/pdf/wrap.ts';
import { codePoint } from '../support/text.ts';
import { recordedPages } from './pages.ts';

const pages = recordedPages();
const measure = { pages, size: 10, width: 50 };
const plain = (text: string): Span => ({ text, style: 'regular' });
const texts = (spans: readonly Span[]): readonly string[] =>
  wrap(spans, measure).map((line) => line.map((span) => span.text).join(''));

describe('wrap', () => {
  it.each([
    ['', ['']],
    ['one two', ['one two']],
    ['three words here', ['three ', 'words here']],
    ['exactly-10', ['exactly-10']],
    ['longer-than-a-line', ['longer-', 'than-a-', 'line']],
    ['see a/longer.path', ['see a/', 'longer.', 'path']],
    ['abcdefghijklm', ['abcdefghij', 'klm']],
    ['a\nb\n\nc', ['a', 'b', '', 'c']],
    ['  leading', ['leading']],
    ['a\tb', ['a    b']],
  ])('%j', (text, lines) => {
    expect(texts([plain(text)])).toEqual(lines);
  });

  it('breaks a word only at its spaces, also where its style changes', () => {
    const spans: Span[] = [plain('abc de'), { text: 'fgh', style: 'bold' }, plain('ij k')];
    expect(texts(spans)).toEqual(['abc ', 'defghij k']);
    const line = wrap(spans, measure)[1]!;
    expect(line.map(({ text, style }) => [text, style])).toEqual([
      ['de', 'regular'],
      ['fgh', 'bold'],
      ['ij k', 'regular'],
    ]);
    expect(line.map(({ x }) => x)).toEqual([0, 10, 25]);
  });

  it('never makes a line too wide and loses nothing but spaces', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'ß', 'ж', '😀', '-'), minLength: 1, maxLength: 30 });
    const text = fc.array(fc.tuple(word, fc.constantFrom(' ', '  ', '\n', '')), { maxLength: 20 });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.flat().join('');
        const lines = wrap([plain(whole)], measure);
        for (const line of lines) expect(widthOfLine(line)).toBeLessThanOrEqual(measure.width);
        const kept = lines.flat().map((span) => span.text);
        expect(kept.join('').replaceAll(' ', '')).toBe(whole.replace(/[\s]/g, '').replaceAll('😀', '\ufffd'));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a word longer than any line', () => {
  it('is measured as it is cut, never as a whole, and loses nothing', () => {
    // The library lays out what it measures: one word of 10 MB took more memory than the worker may have.
    const asked: number[] = [];
    const counting = {
      ...pages,
      widthOf: (text: string, style: Span['style'], size: number) => {
        asked.push(text.length);
        return pages.widthOf(text, style, size);
      },
    };
    const word = 'ab'.repeat(100_000);
    const lines = wrap([plain(word)], { ...measure, pages: counting });
    expect(lines.map((line) => line.map((span) => span.text).join('')).join('')).toBe(word);
    expect(lines).toHaveLength(word.length / 10);
    expect(Math.max(...asked)).toBeLessThanOrEqual(2_000);
    expect(asked.length).toBeLessThan(100);
  });

  // A letter with 200 000 marks was laid out whole, which took more than 90 s: it grows with the square of their number.
  it('is cut also where it is one letter with marks, and no line of it is endless', () => {
    let measured = 0;
    const narrow = {
      ...pages,
      widthOf: (text: string, _style: Span['style'], size: number) => {
        measured = Math.max(measured, text.length);
        return (text.replace(/\u0301/g, '').length * size) / 2;
      },
    };
    const word = `a${'\u0301'.repeat(200_000)}`;
    const lines = wrap([plain(word)], { ...measure, pages: narrow });
    expect(measured).toBe(64);
    const cut = lines.map((line) => line.map((span) => span.text).join(''));
    expect(Math.max(...cut.map((text) => text.length))).toBeLessThanOrEqual(2_064);
    expect(cut.join('')).toBe(word);
  });

  it('keeps its styles where it is cut', () => {
    const spans: Span[] = [plain('a'.repeat(2_500)), { text: 'b'.repeat(15), style: 'bold' }];
    const lines = wrap(spans, measure).slice(250);
    const said = lines.map((line) => line.map(({ text, style }) => `${style} ${text}`));
    expect(said).toEqual([['bold bbbbbbbbbb'], ['bold bbbbb']]);
  });
});

describe('fold', () => {
  it('takes a file that is one line, looking no further back for a space than a line', () => {
    // Each fold was once looked for from the start of the file: 10 MB were given up after 180 s.
    const line = 'a'.repeat(5_000_000);
    const pieces = [...fold(line, 80)];
    expect(pieces).toHaveLength(62_500);
    expect(pieces.join('') === line).toBe(true);
  });

  it.each([
    ['', 5, ['']],
    ['12345', 5, ['12345']],
    ['123456', 5, ['12345', '6']],
    ['aaaa bbbb cc', 10, ['aaaa bbbb ', 'cc']],
    ['a bbbbbbbbbbbb', 10, ['a bbbbbbbb', 'bbbb']],
    ['😀😀😀', 2, ['😀😀', '😀']],
  ])('%j in %i columns', (line, columns, pieces) => {
    expect([...fold(line, columns)]).toEqual(pieces);
  });

  it('loses nothing and keeps every piece short', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (line, columns) => {
        const pieces = [...fold(line, columns)];
        expect(pieces.join('')).toBe(line);
        for (const piece of pieces) expect([...piece].length).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 200 },
    );
  });
});

it.each([
  ['', ['']],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['a\r\nb\rc', ['a', 'b', 'c']],
  ['\tx\n a\tb', ['    x', ' a  b']],
])('lines of %j', (text, lines) => {
  expect([...linesOf(text)]).toEqual(lines);
  expect(countLines(text)).toBe(lines.length);
});

describe('glyphs', () => {
  it.each([
    ['plain', [['plain', 'bold']]],
    [
      'a✓b',
      [
        ['a', 'bold'],
        ['✓', 'regular'],
        ['b', 'bold'],
      ],
    ],
    ['你', [['\ufffd', 'regular']]],
    ['a\u0000b\u001b\u0085', [['a⟨U+0000⟩b⟨U+001B⟩⟨U+0085⟩', 'bold']]],
    ['x\u202ey', [['x⟨U+202E⟩y', 'bold']]],
    ['a\u200b\ufeffb\ufe0f', [['ab', 'bold']]],
    ['\ud800', [['\ufffd', 'bold']]],
    ['', []],
  ])('of %j', (text, pieces) => {
    const { fonts } = recordedPages();
    expect(fonts.pieces(text, 'bold').map((piece) => [piece.text, piece.style])).toEqual(pieces);
  });

  it('that are missing are counted by code point', () => {
    const { fonts } = recordedPages();
    fonts.pieces('你好你', 'regular');
    expect([fonts.missing.count, [...fonts.missing.codePoints]]).toEqual([3, [0x4f60, 0x597d]]);
  });
});
