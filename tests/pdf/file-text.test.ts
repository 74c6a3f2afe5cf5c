/** The text of a file: terminal escapes are removed, control characters stay, binary files are refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOfFile } from '../../src/integrations/pdf/pdf.ts';

const read = (text: string): string => textOfFile(Buffer.from(text));
const ESC = '\x1b';

describe('the text of a file', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m and ${ESC}[1;38;5;208morange${ESC}[m`, 'red and orange'],
    ['colours with colons', `${ESC}[38:2::255:0:0mred${ESC}[39m`, 'red'],
    ['moves of the cursor', `50%${ESC}[2K${ESC}[1G100%${ESC}[?25h done`, '50%100% done'],
    ['the style of a cursor', `a${ESC}[2 qb`, 'ab'],
    ['a title ended by BEL', `${ESC}]0;build\x07ok`, 'ok'],
    ['a link ended by ST', `${ESC}]8;;https://a.example${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['a character set', `${ESC}(Babc`, 'abc'],
    ['an escape of two bytes', `${ESC}cabc${ESC}=`, 'abc'],
    ['a sequence of one control character', 'a\u009b31mb', 'ab'],
  ])('has no %s', (_what, text, shown) => expect(read(text)).toBe(shown));

  it.each([
    ['a bell', 'done\x07\n'],
    ['an overstrike', 'N\bNA\bAM\bME\bE'],
    ['a form feed and a vertical tab', 'page\f\v'],
    ['one between two letters', 'a\x01b'],
    ['DEL and a C1 character', 'abc\x7fdef\u0085ghi'],
    ['an unfinished escape', `the end ${ESC}[31`],
    ['an unfinished title', `${ESC}]0;no end of it\nnext line`],
    ['a lone escape at the end', `the end${ESC}`],
  ])('keeps %s', (_what, text) => expect(read(text)).toBe(text));

  it.each([
    ['no encoding, because it is empty', Buffer.alloc(0), ''],
    ['Latin-1', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
    ['UTF-16 with the low byte first', Buffer.from('\ufeffbreit', 'utf16le'), 'breit'],
    ['UTF-16 with the high byte first', Buffer.from('\ufeffbreit', 'utf16le').swap16(), 'breit'],
  ])('is read from %s', (_what, bytes, shown) => expect(textOfFile(bytes)).toBe(shown));

  it.each([
    ['a NUL in text', Buffer.from('text\0text')],
    ['mostly control characters', Buffer.from([1, 2, 3, 4])],
    ['control characters between escapes', Buffer.from(`${ESC}[0m\x01\x02${ESC}[0ma`)],
    ['the start of a PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
    ['broken UTF-8', Buffer.from([0x61, 0x80, 0x62])],
  ])('%s is none', (_what, bytes) => expect(() => textOfFile(bytes)).toThrow('The input is not text.'));

  it('holds every character but those of escapes, whatever comes', () => {
    const part = fc.oneof(
      fc.constantFrom(`${ESC}[1m`, `${ESC}[0m`, `${ESC}]0;t\x07`),
      fc.stringMatching(/^[ -~é\n]*$/),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(read(parts.join(''))).toBe(parts.filter((one) => !one.startsWith(ESC)).join(''));
      }),
    );
  });
});
