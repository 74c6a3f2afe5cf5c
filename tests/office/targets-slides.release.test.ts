/** Slides, drawings, pictures and PDF: every target format. */
import { deflateSync } from 'node:zlib';
import { describe } from 'vitest';
import { odg, odp, pptx } from './documents.ts';
import { CAN_CONVERT, isOdf, isPdf, isPng, isSvg, isText, isZip, itConverts } from './targets.ts';

const slides = ['Erste Folie', 'Zweite Folie'];
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="40" cy="40" r="30" fill="red"/></svg>',
);

/** A PDF of one page, as small as it can be. */
function pdf(text: string): Buffer {
  const content = deflateSync(Buffer.from(`BT /F1 24 Tf 72 700 Td (${text}) Tj ET`));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    Buffer.concat([
      Buffer.from(`<</Length ${content.length}/Filter/FlateDecode>>stream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ].map((of) => Buffer.from(of));
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(Buffer.concat(parts).length);
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  }
  const start = Buffer.concat(parts).length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  parts.push(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${table}`));
  parts.push(Buffer.from(`trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

describe.skipIf(!CAN_CONVERT)('slides and drawings, with soffice, pdftotext and unzip', () => {
  itConverts({
    rows: [
      { name: 'a.pptx', document: pptx(slides), to: 'pdf', check: isPdf(2, ...slides) },
      { name: 'a.pptx', document: pptx(slides), to: 'svg', check: isSvg('Erste') },
      { name: 'a.pptx', document: pptx(slides), to: 'pptx', check: isZip('ppt/slides/slide2.xml', 'Zweite') },
      { name: 'b.odp', document: odp(slides), to: 'odg', check: isOdf('graphics', 'Erste') },
      { name: 'c.odg', document: odg(slides), to: 'odp', check: isOdf('presentation', 'Erste') },
      { name: 'd.svg', document: svg, to: 'png', check: isPng },
      { name: 'e.pdf', document: pdf('Portable'), to: 'docx', check: isZip('word/document.xml', 'Portable') },
    ],
    more: [
      { name: 'a.pptx', document: pptx(slides), to: 'png', check: isPng },
      { name: 'a.pptx', document: pptx(slides), to: 'odp', check: isOdf('presentation', ...slides) },
      { name: 'a.pptx', document: pptx(slides), to: 'html', check: isText(/<html/i, 'Zweite Folie') },
      { name: 'c.odg', document: odg(slides), to: 'odg', check: isOdf('graphics', ...slides) },
      { name: 'e.pdf', document: pdf('Portable'), to: 'odg', check: isOdf('graphics', 'Portable') },
    ],
  });
});
