/**
 * Detects the format of a document by its bytes; the name decides only where bytes do not.
 *
 * - If name and bytes belong to one family (a DOCX called `.doc`), the bytes win; if to two, the document is refused.
 * - Documents with a password are refused here, where the reason is known.
 */
import type { FileHandle } from 'node:fs/promises';
import { PortError } from '../../ports/port-error.ts';
import { readAt } from '../documents/guard.ts';
import { familyOf, TEXT_EXTENSIONS } from './formats.ts';
import { type ZipDirectory, zipDirectory } from './zip-directory.ts';

export interface Sniffed {
  /** Actual extension, used for the converter's copy. */
  readonly extension: string;
  /** The bytes are text and must be converted to UTF-8. */
  readonly text: boolean;
}

const HEAD_BYTES = 64 * 1024;
const UNPACKED_BYTES_MAX = 1024 * 1024 * 1024;

export async function sniff(file: FileHandle, { name, bytes }: { name: string; bytes: number }): Promise<Sniffed> {
  const claimed = extensionOf(name);
  if (familyOf(claimed) === undefined) {
    throw new PortError('unsupported', 'The input has no supported extension; see import_extensions.');
  }
  const head = await readAt(file, 0, HEAD_BYTES);
  const found = await formatOf(file, { head, bytes, claimed });
  const extension = reconciled(claimed, found);
  if (extension === undefined) {
    const what =
      bytes === 0 ? 'nothing' : found === null ? 'something unknown' : found === 'text' ? 'plain text' : found;
    throw new PortError('unsupported', `The input is named .${claimed} but holds ${what}.`);
  }
  return { extension, text: isText(extension) };
}

function isText(extension: string): boolean {
  return TEXT_EXTENSIONS.has(extension);
}

function extensionOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

function reconciled(claimed: string, found: string | null): string | undefined {
  if (found === null) return undefined;
  if (isText(claimed)) return found === 'text' ? claimed : undefined;
  if (found === 'text') return claimed === 'html' || claimed === 'htm' ? claimed : undefined;
  return familyOf(found) === familyOf(claimed) ? found : undefined;
}

interface Inspected {
  readonly head: Buffer;
  readonly bytes: number;
  readonly claimed: string;
}

/** The extension of the format, `text`, or null for unknown bytes. */
async function formatOf(file: FileHandle, { head, bytes, claimed }: Inspected): Promise<string | null> {
  const text = headText(head);
  // Text may begin as another format does: "BMI;age" as a bitmap.
  if (text !== null && isText(claimed)) return 'text';
  const magic = MAGIC.find(([signature]) => head.subarray(0, signature.length).equals(signature));
  if (magic !== undefined) return magic[1];
  const latin = head.toString('latin1', 0, 12);
  if (latin.startsWith('RIFF') && latin.slice(8) === 'WEBP') return 'webp';
  if (latin.startsWith('PK\x03\x04')) return zipFormat(await zipDirectory(file, bytes));
  if (latin.startsWith('\xd0\xcf\x11\xe0')) return oleFormat(await oleNames(file, head), claimed);
  // Some writers put a few bytes before the header; readers search the first kilobyte.
  if (head.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  return text === null ? null : markupFormat(text);
}

const MAGIC: readonly (readonly [Buffer, string])[] = [
  [Buffer.from('%PDF-'), 'pdf'],
  [Buffer.from('{\\rtf'), 'rtf'],
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'png'],
  [Buffer.from('\xff\xd8\xff', 'latin1'), 'jpg'],
  [Buffer.from('GIF87a'), 'gif'],
  [Buffer.from('GIF89a'), 'gif'],
  [Buffer.from('II*\0', 'latin1'), 'tif'],
  [Buffer.from('MM\0*', 'latin1'), 'tif'],
  [Buffer.from('BM'), 'bmp'],
];

const ODF: Readonly<Record<string, string>> = {
  text: 'odt',
  'text-template': 'ott',
  spreadsheet: 'ods',
  'spreadsheet-template': 'ots',
  presentation: 'odp',
  'presentation-template': 'otp',
  graphics: 'odg',
  'graphics-template': 'otg',
};

function zipFormat(zip: ZipDirectory | null): string | null {
  if (zip === null) return null;
  if (zip.unpackedBytes > UNPACKED_BYTES_MAX) {
    throw new PortError('too_large', 'The input unpacks to more than 1 GiB.');
  }
  const odf = /^application\/vnd\.oasis\.opendocument\.([a-z-]+)/.exec(zip.mimetype ?? '')?.[1];
  if (odf !== undefined) return ODF[odf] ?? null;
  if (!zip.names.includes('[Content_Types].xml')) return null;
  if (zip.names.some((name) => name.startsWith('word/'))) return 'docx';
  if (zip.names.some((name) => name.startsWith('xl/'))) return 'xlsx';
  return zip.names.some((name) => name.startsWith('ppt/')) ? 'pptx' : null;
}

const OLE_DIRECTORY_BYTES_MAX = 64 * 1024;

/** The start of the directory of a compound file, decoded so that its UTF-16 names are readable. */
async function oleNames(file: FileHandle, head: Buffer): Promise<string> {
  if (head.length < 512) return '';
  const sectorBytes = 2 ** Math.min(head.readUInt16LE(30), 16);
  const at = (head.readUInt32LE(48) + 1) * sectorBytes;
  return (await readAt(file, at, OLE_DIRECTORY_BYTES_MAX)).toString('utf16le');
}

function oleFormat(names: string, claimed: string): string | null {
  if (names.includes('EncryptedPackage')) {
    throw new PortError('unsupported', 'The input is locked with a password.');
  }
  if (names.includes('WordDocument')) return 'doc';
  if (names.includes('Workbook') || names.includes('Book\0')) return 'xls';
  if (names.includes('PowerPoint Document')) return 'ppt';
  return ['doc', 'dot', 'xls', 'xlt', 'ppt', 'pps', 'pot'].includes(claimed) ? claimed : null;
}

const FLAT: Readonly<Record<string, string>> = {
  text: 'fodt',
  spreadsheet: 'fods',
  presentation: 'fodp',
  graphics: 'fodg',
};

function markupFormat(text: string): string | null {
  const [root = ''] = /<office:document\s[^>]*/.exec(text) ?? [];
  const flat = /\soffice:mimetype=["']application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(root);
  if (flat !== null) return FLAT[flat[1]!] ?? null;
  const start = text.slice(0, 4_096).trimStart();
  if (/^(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/i.test(start)) return 'svg';
  if (/^(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start))
    return 'html';
  return 'text';
}

/** Decodes the head; null when it contains control characters that no text has. */
function headText(head: Buffer): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be').decode(head);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(head.toString('latin1')) ? null : head.toString('utf8');
}
