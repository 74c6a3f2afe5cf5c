/** How a table in text is read: its separator, and the columns whose fields are no numbers. */
import { describe, expect, it } from 'vitest';
import { csvOptions, separatorOf, sheetName } from '../../src/integrations/office/csv.ts';

it.each([
  ['a,b\n1;2;3', ','],
  ['a;b;c\n1,5;2;3', ';'],
  ['a\tb', '\t'],
  ['"x;y;z",b', ','],
  ['one column', ','],
  ['', ','],
  ['a|b|c', '|'],
])('the separator of a table in text of %j is %j', (text, separator) => {
  expect(String.fromCharCode(separatorOf(text))).toBe(separator);
});

// 01067 became 1067, 12345678901234567890 became 1.23456789012346E+019, and =1+1 became 2.
describe('the columns of text in a workbook', () => {
  const columnsOf = async (text: string, target: 'xlsx' | 'pdf' = 'xlsx'): Promise<string | undefined> =>
    (await csvOptions(text, { extension: 'csv', target })).split(',')[4];

  it.each([
    ['zip,n\n01067,1\n80331,2', '1/2'],
    ['n,tel\n1,+4930123456\n', '2/2'],
    ['n,id\r\n1,1234567890123456\r\n', '2/2'],
    ['n,code\n1,12E4\n2, 007 ', '2/2'],
    ['a,b,c\n-01,x,00\n', '1/2/3/2'],
    ['n,m\n1,0.5\n-2,1e-5\n0,123456789012345\n3.14159265358979323846,0', ''],
    ['"a,01\n01""01",b\n1,01', '2/2'],
    ['a\n"01067"', ''],
    ['a\nit"s,01\nx', '2/2'],
    ['', ''],
  ])('of %j are %j', async (text, columns) => {
    expect(await columnsOf(text)).toBe(columns);
  });

  it('are all of them on a page', async () => {
    expect((await columnsOf('a,b\n1,2', 'pdf'))?.startsWith('1/2/2/2/3/2/')).toBe(true);
  });
});

it.each([
  ['ids.csv', 'ids'],
  ['Größen ☕ 2026.tsv', 'Größen _ 2026'],
  ['a:b*[c].csv', 'a_b__c_'],
  [`${'x'.repeat(40)}.csv`, 'x'.repeat(31)],
  ['.csv', '_csv'],
])('the sheet of a table in text of %j is %j', (file, name) => {
  expect(sheetName(file)).toBe(name);
});
