/** Documents of every import format, built in the test, each as small as its format allows. */
import { zip } from './zip.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006/main';

interface Relation {
  readonly type: string;
  readonly target: string;
}

function relations(of: readonly Relation[]): string {
  const rows = of.map(
    ({ type, target }, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${rows.join('')}</Relationships>`;
}

function contentTypes(overrides: Readonly<Record<string, string>>): string {
  const rows = Object.entries(overrides).map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  const defaults =
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>';
  return `${XML}<Types xmlns="${PACKAGE}/content-types">${defaults}${rows.join('')}</Types>`;
}

export function docx(paragraphs: readonly string[], body = ''): Buffer {
  const text = paragraphs.map((line) => `<w:p><w:r><w:t xml:space="preserve">${line}</w:t></w:r></w:p>`).join('');
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  return zip([
    { name: '[Content_Types].xml', data: contentTypes({ 'word/document.xml': 'wordprocessingml.document.main' }) },
    { name: '_rels/.rels', data: relations([{ type: 'officeDocument', target: 'word/document.xml' }]) },
    {
      name: 'word/document.xml',
      data: `${XML}<w:document ${space}><w:body>${text}${body}<w:sectPr/></w:body></w:document>`,
    },
  ]);
}

/** Sheets of rows; a cell that begins with `=` is a formula. */
export function xlsx(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Buffer {
  const space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const names = Object.keys(sheets);
  const files = names.map((_, at) => `xl/worksheets/sheet${at + 1}.xml`);
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('');
  const types = { 'xl/workbook.xml': 'spreadsheetml.sheet.main' };
  for (const file of files) Object.assign(types, { [file]: 'spreadsheetml.worksheet' });
  return zip([
    { name: '[Content_Types].xml', data: contentTypes(types) },
    { name: '_rels/.rels', data: relations([{ type: 'officeDocument', target: 'xl/workbook.xml' }]) },
    {
      name: 'xl/workbook.xml',
      data: `${XML}<workbook ${space} xmlns:r="${OFFICE}"><sheets>${list}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relations(files.map((file) => ({ type: 'worksheet', target: file.slice('xl/'.length) }))),
    },
    ...names.map((name, at) => ({
      name: files[at]!,
      data: `${XML}<worksheet ${space}><sheetData>${sheets[name]!.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`,
    })),
  ]);
}

function cell(value: string | number): string {
  if (typeof value === 'number') return `<c><v>${value}</v></c>`;
  if (value.startsWith('=')) return `<c><f>${value.slice(1)}</f></c>`;
  return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
}

export function pptx(slides: readonly string[]): Buffer {
  const spaces = `xmlns:a="${DRAWING}" xmlns:r="${OFFICE}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`;
  const files = slides.map((_, at) => `ppt/slides/slide${at + 1}.xml`);
  const ids = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  const types = { 'ppt/presentation.xml': 'presentationml.presentation.main' };
  for (const file of files) Object.assign(types, { [file]: 'presentationml.slide' });
  return zip([
    { name: '[Content_Types].xml', data: contentTypes(types) },
    { name: '_rels/.rels', data: relations([{ type: 'officeDocument', target: 'ppt/presentation.xml' }]) },
    {
      name: 'ppt/presentation.xml',
      data: `${XML}<p:presentation ${spaces}><p:sldIdLst>${ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      data: relations(files.map((file) => ({ type: 'slide', target: file.slice('ppt/'.length) }))),
    },
    ...slides.map((text, at) => ({ name: files[at]!, data: `${XML}<p:sld ${spaces}>${slideTree(text)}</p:sld>` })),
  ]);
}

function slideTree(text: string): string {
  const group =
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm/></p:grpSpPr>';
  const place = '<a:xfrm><a:off x="900000" y="900000"/><a:ext cx="7000000" cy="1500000"/></a:xfrm>';
  return (
    `<p:cSld><p:spTree>${group}<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>` +
    `<p:spPr>${place}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr>` +
    `<p:txBody><a:bodyPr/><a:p><a:r><a:rPr sz="2800"/><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld>`
  );
}

export type OdfKind = 'text' | 'spreadsheet' | 'presentation' | 'graphics';

const ODF_SPACES = [
  'office:1.0',
  'text:1.0',
  'table:1.0',
  'drawing:1.0',
  'presentation:1.0',
  'script:1.0',
  'xsl-fo-compatible:1.0',
  'svg-compatible:1.0',
  'style:1.0',
]
  .map((name) => {
    const short = { drawing: 'draw', 'xsl-fo-compatible': 'fo', 'svg-compatible': 'svg' }[name.slice(0, -4)];
    return `xmlns:${short ?? name.slice(0, -4)}="urn:oasis:names:tc:opendocument:xmlns:${name}"`;
  })
  .concat('xmlns:xlink="http://www.w3.org/1999/xlink"')
  .join(' ');

export function odfType(kind: OdfKind): string {
  return `application/vnd.oasis.opendocument.${kind}`;
}

/** An ODF package around a body; `head` goes before it (scripts, automatic styles). */
export function odf(kind: OdfKind, body: string, head = ''): Buffer {
  const element = kind === 'graphics' ? 'drawing' : kind;
  const content = `<office:document-content ${ODF_SPACES} office:version="1.2">${head}<office:body><office:${element}>${body}</office:${element}></office:body></office:document-content>`;
  const entry = (path: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`;
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${entry('/', odfType(kind))}${entry('content.xml', 'text/xml')}</manifest:manifest>`;
  return zip([
    { name: 'mimetype', data: odfType(kind), stored: true },
    { name: 'content.xml', data: XML + content },
    { name: 'META-INF/manifest.xml', data: XML + manifest },
  ]);
}

/** The same as one XML file. */
export function flatOdf(kind: OdfKind, body: string): Buffer {
  const element = kind === 'graphics' ? 'drawing' : kind;
  return Buffer.from(
    `${XML}<office:document ${ODF_SPACES} office:version="1.2" office:mimetype="${odfType(kind)}"><office:body><office:${element}>${body}</office:${element}></office:body></office:document>`,
  );
}

export function paragraphs(lines: readonly string[]): string {
  return lines.map((line) => `<text:p>${line}</text:p>`).join('');
}

export function odt(lines: readonly string[]): Buffer {
  return odf('text', paragraphs(lines));
}

export function table(name: string, rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]): string =>
    row
      .map((text) => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`)
      .join('');
  const lines = rows.map((row) => `<table:table-row>${cells(row)}</table:table-row>`).join('');
  return `<table:table table:name="${name}">${lines}</table:table>`;
}

export function ods(sheets: Readonly<Record<string, readonly (readonly string[])[]>>): Buffer {
  const tables = Object.entries(sheets).map(([name, rows]) => table(name, rows));
  return odf('spreadsheet', tables.join(''));
}

export function page(text: string): string {
  return `<draw:page><draw:frame svg:width="15cm" svg:height="3cm" svg:x="2cm" svg:y="2cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
}

export function odp(slides: readonly string[]): Buffer {
  return odf('presentation', slides.map(page).join(''));
}

export function odg(pages: readonly string[]): Buffer {
  return odf('graphics', pages.map(page).join(''));
}

export function rtf(text: string): Buffer {
  return Buffer.from(`{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times;}}\\f0 ${text}\\par}`, 'latin1');
}
