/** Right-to-left text is laid out in reading order. In these tests capitals stand for Hebrew letters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginsAtRight, shown, wordsFromRight } from '../../src/integrations/pdf/direction.ts';
import { drawColumns } from '../../src/integrations/pdf/monospace.ts';
import { wrap } from '../../src/integrations/pdf/wrap.ts';
import { recordedPages } from './pages.ts';

const ALEF = 0x5d0;
const hebrew = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 65 + ALEF));
const capitals = (text: string): string =>
  text.replace(/[\u05d0-\u05ea]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - ALEF + 65));
const turned = (text: string): string => [...text].reverse().join('');

/** What stands on the page from left to right: the typeface turns over a word with letters from right to left. */
function seen(text: string): string {
  const runs = shown([{ text: hebrew(text) }], beginsAtRight(hebrew(text)));
  const words = runs.flatMap((run) => (run.rtl ? wordsFromRight(run.text) : [run.text])).map(capitals);
  return words.map((word) => (/[A-Z\u0620-\u064a]/.test(word) ? turned(word) : word)).join('');
}

describe('a line', () => {
  // Words once stood in the order they came, each turned over by itself, and its space with it.
  it.each([
    ['only latin (text), 1.5', 'only latin (text), 1.5'],
    ['ABC DEF', 'FED CBA'],
    ['ABC DEF ', ' FED CBA'],
    ['say ABC DEF now', 'say FED CBA now'],
    ['ABC a.txt DEF', 'FED a.txt CBA'],
    ['ABC a b DEF', 'FED a b CBA'],
    ['x (AB) y', 'x (BA) y'],
    ['A (B) C', 'C (B) A'],
    ['x AB (CD) y', 'x (DC) BA y'],
    ['ABC (def) [1]', '[1] (def) CBA'],
    ['A 12,345.6 B', 'B 12,345.6 A'],
    ['A-50%', '50%-A'],
    ['a 1 B 2', 'a 1 2 B'],
    ['A: 3 + 4', '4 + 3 :A'],
    ['\u0645\u0631 1-2', '2-1 \u0631\u0645'],
    ['A!', '!A'],
    ['AB ?! CD', 'DC !? BA'],
    ['A 1 (2) B', 'B (2) 1 A'],
    ['a!B', 'a!B'],
  ])('%j is seen as %j', (text, page) => {
    expect(seen(text)).toBe(page);
  });

  it('keeps its styles: what is bold stays bold, wherever it goes', () => {
    const pieces = [
      { text: hebrew('AB '), bold: false },
      { text: hebrew('CD'), bold: true },
      { text: ')', bold: false },
    ];
    expect(shown(pieces, true).map(({ text, piece: { bold } }) => [capitals(text), bold])).toEqual([
      ['(', false],
      ['CD', true],
      ['AB ', false],
    ]);
  });

  it('has everything that was written, once', () => {
    const unit = fc.constantFrom(...'abAB \u0645\u064b12\u0663+-,.:%$!()[]<>\u05b0\u{1f600}');
    const signs = (text: string): string =>
      [...text.replace(/[)>\]]/g, (close) => ({ ')': '(', '>': '<', ']': '[' })[close]!)].sort().join('');
    fc.assert(
      fc.property(fc.array(fc.array(unit).map((units) => hebrew(units.join('')))), fc.boolean(), (texts, right) => {
        const runs = shown(
          texts.map((text) => ({ text })),
          right,
        );
        expect(signs(runs.map((run) => run.text).join(''))).toBe(signs(texts.join('')));
        expect(runs.every((run) => run.text !== '')).toBe(true);
      }),
    );
  });
});

describe('a paragraph', () => {
  const measure = { pages: recordedPages(), size: 10, width: 50 };

  it('that begins from right to left does so on each of its lines, and only those', () => {
    const lines = wrap([{ text: hebrew('ABCD EFGH IJ\nab CD'), style: 'regular' }], measure);
    expect(lines.map((line) => line.map((span) => [span.x, capitals(span.text), span.fromRight]))).toEqual([
      [[0, 'ABCD EFGH ', true]],
      [[0, 'IJ', true]],
      [
        [0, 'ab ', false],
        [15, 'CD', false],
      ],
    ]);
  });

  it('from left to right is set as ever', () => {
    const lines = wrap([{ text: 'ab cd', style: 'regular' }], measure);
    expect(lines).toEqual([[{ text: 'ab cd', style: 'regular', x: 0, width: 25 }]]);
  });
});

it('code keeps everything in its place but words from right to left that stand together', () => {
  const pages = recordedPages();
  drawColumns(pages, hebrew('"AB CDE"; // F 1'), { x: 0, y: 0, size: 2048 / 1233 });
  const columns = pages.drawn.map(({ text, x }) => [Math.round(x), capitals(text)]);
  expect(columns).toEqual([
    [0, '"'],
    [1, 'CDE'],
    [5, 'AB'],
    [7, '"; // '],
    [13, 'F'],
    [14, ' 1'],
  ]);
});
