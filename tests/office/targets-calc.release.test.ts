/** Tables: every target format, one page per sheet, and every input format. */
import { describe } from 'vitest';
import { flatOdf, ods, table, xlsx } from './documents.ts';
import { CAN_CONVERT, isOdf, isPdf, isPng, isSvg, isText, isZip, itConverts } from './targets.ts';

const wide = Array.from({ length: 40 }, (_, at) => `column ${at}`);
const sheets = {
  Größen: [
    ['Höhe', 1],
    ['Summe', '=B1+41'],
  ],
  Breit: [wide, ...Array.from({ length: 80 }, () => wide)],
};
const small = { One: [['a', 2, '=B1*21']] };

describe.skipIf(!CAN_CONVERT)('tables, with soffice, pdftotext and unzip', () => {
  itConverts({
    rows: [
      { name: 'wide.xlsx', document: xlsx(sheets), to: 'pdf_sheets', check: isPdf(2, 'Höhe', '42', 'column 39') },
      { name: 'a.xlsx', document: xlsx(small), to: 'csv', check: isText(/^a,2,42$/m) },
      { name: 'b.ods', document: ods({ Eins: [['ü', 'x']] }), to: 'xlsx', check: isZip('xl/workbook.xml', 'Eins') },
      { name: 'c.csv', document: Buffer.from('ä;"b;c";3\n'), to: 'csv', check: isText(/^ä,b;c,3$/m) },
      {
        name: 'written.csv',
        document: Buffer.from('zip,id,price,part,when,f\n01067,12345678901234567890,3.10,1/2,1:30,=1+1\n'),
        to: 'csv',
        check: isText(/^01067,12345678901234567890,3.10,1\/2,1:30,=1\+1$/m),
      },
      {
        name: 'Größen.csv',
        document: Buffer.from('zip,price,when,day,f\n01067,3.10,1:30,2026-01-02,=1+1\n'),
        to: 'xlsx',
        check: isZip('xl/worksheets/sheet1.xml', /<v>3\.1<.*<v>46024</s, /^(?!.*<f[ >])/s),
      },
      { name: 'Größen.csv', document: Buffer.from('a,b\n'), to: 'pdf', check: isPdf(1, 'Größen') },
      { name: 'd.tsv', document: Buffer.from('a\tb,c\n'), to: 'csv', check: isText(/^a,"b,c"$/m) },
      {
        name: 'e.fods',
        document: flatOdf('spreadsheet', table('T', [['flat']])),
        to: 'ods',
        check: isOdf('spreadsheet', 'flat'),
      },
    ],
    more: [
      { name: 'a.xlsx', document: xlsx(small), to: 'pdf', check: isPdf(1, '42') },
      { name: 'a.xlsx', document: xlsx(small), to: 'png', check: isPng },
      { name: 'a.xlsx', document: xlsx(small), to: 'svg', check: isSvg('42') },
      { name: 'a.xlsx', document: xlsx(small), to: 'html', check: isText(/<table/i, '42') },
      { name: 'a.xlsx', document: xlsx(small), to: 'txt', check: isText(/^a\t2\t42$/m) },
    ],
  });
});
