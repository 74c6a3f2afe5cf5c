/** Checks the output of the converter: not empty, and of the requested format from beginning to end. */
import type { FileHandle } from 'node:fs/promises';
import type { OfficeTarget } from '../../ports/office.ts';
import { readAt, type ZipDirectory, zipDirectory } from './zip-directory.ts';

export interface Produced {
  readonly file: FileHandle;
  readonly bytes: number;
}

/** Why the output is unusable, or null. */
export async function faultOf(target: OfficeTarget, { file, bytes }: Produced): Promise<string | null> {
  if (bytes === 0) return 'is empty';
  const fits = await CHECKS[target]({ file, bytes });
  return fits ? null : `is no ${target === 'pdf_sheets' ? 'pdf' : target}`;
}

type Check = (produced: Produced) => Promise<boolean>;

const EDGE_BYTES = 8 * 1024;

async function edges({ file, bytes }: Produced): Promise<{ readonly head: string; readonly tail: string }> {
  const head = await readAt(file, 0, EDGE_BYTES);
  const tail = await readAt(file, Math.max(0, bytes - EDGE_BYTES), EDGE_BYTES);
  return { head: head.toString('latin1'), tail: tail.toString('latin1') };
}

const pdf: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return head.startsWith('%PDF-') && tail.includes('%%EOF');
};

const png: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return head.startsWith('\x89PNG\r\n\x1a\n') && tail.endsWith('IEND\xae\x42\x60\x82');
};

const svg: Check = async (produced) => {
  const { head, tail } = await edges(produced);
  return /<svg[\s>]/.test(head) && tail.trimEnd().endsWith('</svg>');
};

const html: Check = async (produced) => /<html[\s>]/i.test((await edges(produced)).head);

const text: Check = async (produced) => !(await edges(produced)).head.includes('\0');

function packaged(fits: (zip: ZipDirectory) => boolean): Check {
  return async ({ file, bytes }) => {
    const zip = await zipDirectory(file, bytes);
    return zip !== null && fits(zip);
  };
}

const ooxml = (part: string): Check => packaged(({ names }) => names.includes(part));
const odf = (kind: string): Check =>
  packaged(({ mimetype }) => mimetype === `application/vnd.oasis.opendocument.${kind}`);

const CHECKS: Readonly<Record<OfficeTarget, Check>> = {
  pdf,
  pdf_sheets: pdf,
  png,
  svg,
  docx: ooxml('word/document.xml'),
  xlsx: ooxml('xl/workbook.xml'),
  pptx: ooxml('ppt/presentation.xml'),
  odt: odf('text'),
  ods: odf('spreadsheet'),
  odp: odf('presentation'),
  odg: odf('graphics'),
  html,
  txt: text,
  csv: text,
};
