/** Texts: every target format and every input format. */
import { describe } from 'vitest';
import { docx, odt, rtf } from './documents.ts';
import { CAN_CONVERT, isOdf, isPdf, isPng, isSvg, isText, isZip, itConverts } from './targets.ts';

const text = ['Zwölf Boxkämpfer', 'ελληνικά'];
const page = Buffer.from('<!doctype html><h1>Überschrift</h1><table><tr><td>Zelle</td></tr></table>');
const plain = Buffer.from('Grüße\nзвонок\n');
const latin = Buffer.from('Gr\xfc\xdfe', 'latin1');

describe.skipIf(!CAN_CONVERT)('texts, with soffice, pdftotext and unzip', () => {
  itConverts({
    rows: [
      { name: 'a.docx', document: docx(text), to: 'pdf', check: isPdf(1, ...text) },
      { name: 'a.docx', document: docx(text), to: 'html', check: isText(/<html/i, 'Boxk', 'lang=') },
      { name: 'b.odt', document: odt(text), to: 'docx', check: isZip('word/document.xml', ...text) },
      { name: 'c.rtf', document: rtf('Rich text'), to: 'txt', check: isText('Rich text') },
      { name: 'd.html', document: page, to: 'docx', check: isZip('word/document.xml', 'Überschrift', 'Zelle') },
      { name: 'e.txt', document: plain, to: 'odt', check: isOdf('text', 'Grüße', 'звонок') },
      { name: 'f.txt', document: latin, to: 'pdf', check: isPdf(1, 'Grüße') },
      { name: 'wrong-name.doc', document: docx(text), to: 'txt', check: isText(...text) },
    ],
    more: [
      { name: 'a.docx', document: docx(text), to: 'png', check: isPng },
      { name: 'a.docx', document: docx(text), to: 'svg', check: isSvg('Boxkämpfer') },
      { name: 'a.docx', document: docx(text), to: 'odg', check: isOdf('graphics', 'Boxkämpfer') },
    ],
  });
});
