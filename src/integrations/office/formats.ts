/**
 * The formats of the converter: which documents are read, and the steps from each to each target.
 *
 * - Filters are explicit, so that the suite never chooses one by the content of a file.
 * - Targets without a filter are made from PDF in a second step.
 */
import { OFFICE_TARGETS, type OfficeTarget } from '../../ports/office.ts';

export type Family = 'writer' | 'calc' | 'impress' | 'draw' | 'pdf';

export interface Step {
  readonly infilter?: string;
  /** Argument of `--convert-to`. */
  readonly to: string;
  /** Extension of the output. */
  readonly extension: string;
}

const EXTENSIONS: Readonly<Record<Family, readonly string[]>> = {
  writer: ['docx', 'docm', 'dotx', 'dotm', 'doc', 'dot', 'odt', 'ott', 'fodt', 'rtf', 'html', 'htm', 'txt', 'md'],
  calc: ['xlsx', 'xlsm', 'xltx', 'xltm', 'xls', 'xlt', 'ods', 'ots', 'fods', 'csv', 'tsv'],
  impress: ['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'ppt', 'pps', 'pot', 'odp', 'otp', 'fodp'],
  draw: ['odg', 'otg', 'fodg', 'svg', 'png', 'jpg', 'jpeg', 'gif', 'bmp', 'tif', 'tiff', 'webp'],
  pdf: ['pdf'],
};

export const TEXT_EXTENSIONS: ReadonlySet<string> = new Set(['txt', 'md', 'csv', 'tsv']);

const FAMILY_BY_EXTENSION: ReadonlyMap<string, Family> = new Map(
  Object.entries(EXTENSIONS).flatMap(([family, names]) => names.map((name) => [name, family as Family] as const)),
);

export const IMPORT_EXTENSIONS: readonly string[] = [...FAMILY_BY_EXTENSION.keys()].sort();

export function familyOf(extension: string): Family | undefined {
  return FAMILY_BY_EXTENSION.get(extension);
}

/** Import filters of formats that the suite would otherwise guess. */
const INFILTERS: Readonly<Record<string, string>> = {
  html: 'HTML (StarWriter)',
  htm: 'HTML (StarWriter)',
  txt: 'Text (encoded):UTF8',
  md: 'Text (encoded):UTF8',
  // The options are appended after the text is inspected.
  csv: 'Text - txt - csv (StarCalc)',
  tsv: 'Text - txt - csv (StarCalc)',
  pdf: 'draw_pdf_import',
};

type Export = { readonly [Target in OfficeTarget]?: string };

/** UTF-8, line feeds, without a byte order mark. */
const TEXT = 'Text (encoded):UTF8,LF,,,false';
/** Comma, double quotes, UTF-8, from line 1, values as shown, without formulas. */
const CSV = 'Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
const TABS = 'Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false';
const ONE_PAGE = '{"SinglePageSheets":{"type":"boolean","value":"true"}}';

const EXPORTS: Readonly<Record<Family, Export>> = {
  writer: {
    pdf: 'writer_pdf_Export',
    png: 'writer_png_Export',
    docx: 'MS Word 2007 XML',
    odt: 'writer8',
    html: 'HTML (StarWriter):EmbedImages',
    txt: TEXT,
  },
  calc: {
    pdf: 'calc_pdf_Export',
    pdf_sheets: `calc_pdf_Export:${ONE_PAGE}`,
    png: 'calc_png_Export',
    xlsx: 'Calc MS Excel 2007 XML',
    ods: 'calc8',
    html: 'HTML (StarCalc)',
    csv: CSV,
    txt: TABS,
  },
  impress: {
    pdf: 'impress_pdf_Export',
    png: 'impress_png_Export',
    pptx: 'Impress MS PowerPoint 2007 XML',
    odp: 'impress8',
  },
  draw: {
    pdf: 'draw_pdf_Export',
    png: 'draw_png_Export',
    svg: 'draw_svg_Export',
    odg: 'draw8',
  },
  pdf: {
    pdf: 'draw_pdf_Export',
    png: 'draw_png_Export',
    svg: 'draw_svg_Export',
    odg: 'draw8',
    html: 'XHTML Draw File',
  },
};

/**
 * From PDF to targets for which a family has no good filter: the SVG of slides contains a script, their HTML lacks the
 * text of shapes.
 */
const FROM_PDF: Readonly<Partial<Record<OfficeTarget, Step>>> = {
  svg: { infilter: 'draw_pdf_import', to: 'svg:draw_svg_Export', extension: 'svg' },
  odg: { infilter: 'draw_pdf_import', to: 'odg:draw8', extension: 'odg' },
  html: { infilter: 'draw_pdf_import', to: 'html:XHTML Draw File', extension: 'html' },
  odp: { infilter: 'impress_pdf_import', to: 'odp:impress8', extension: 'odp' },
  pptx: { infilter: 'impress_pdf_import', to: 'pptx:Impress MS PowerPoint 2007 XML', extension: 'pptx' },
  docx: { infilter: 'writer_pdf_import', to: 'docx:MS Word 2007 XML', extension: 'docx' },
  odt: { infilter: 'writer_pdf_import', to: 'odt:writer8', extension: 'odt' },
};

const BY_WAY_OF_PDF: Readonly<Record<Family, readonly OfficeTarget[]>> = {
  writer: ['svg', 'odg'],
  calc: ['svg', 'odg'],
  impress: ['svg', 'odg', 'html'],
  draw: ['odp', 'pptx', 'html'],
  pdf: ['odp', 'pptx', 'docx', 'odt'],
};

export function targetExtension(target: OfficeTarget): string {
  return target === 'pdf_sheets' ? 'pdf' : target;
}

export function targetsOf(family: Family): readonly OfficeTarget[] {
  return OFFICE_TARGETS.filter(
    (target) => EXPORTS[family][target] !== undefined || BY_WAY_OF_PDF[family].includes(target),
  );
}

/**
 * The steps from a document to a target; undefined when the target is not supported. `infilterTail` is appended to the
 * import filter.
 */
export function stepsTo(
  target: OfficeTarget,
  { extension, infilterTail = '' }: { readonly extension: string; readonly infilterTail?: string },
): readonly Step[] | undefined {
  const family = familyOf(extension);
  if (family === undefined) return undefined;
  const named = INFILTERS[extension];
  const first = named === undefined ? {} : { infilter: named + infilterTail };
  const direct = EXPORTS[family][target];
  const out = targetExtension(target);
  if (direct !== undefined) return [{ ...first, to: `${out}:${direct}`, extension: out }];
  const second = BY_WAY_OF_PDF[family].includes(target) ? FROM_PDF[target] : undefined;
  if (second === undefined) return undefined;
  if (family === 'pdf') return [second];
  return [{ ...first, to: `pdf:${EXPORTS[family].pdf}`, extension: 'pdf' }, second];
}
