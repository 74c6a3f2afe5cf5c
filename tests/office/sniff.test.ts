/** The format of a document is detected from its bytes; the name decides only between text formats. */
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMPORT_EXTENSIONS } from '../../src/integrations/office/formats.ts';
import { sniff } from '../../src/integrations/office/sniff.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { temporaryFolder } from '../support/folders.ts';
import * as made from './documents.ts';
import { zip } from './zip.ts';

const folder = temporaryFolder('sniff');

/** The extension it is taken for, or the fault. */
async function look(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'document');
  writeFileSync(path, bytes);
  const file = await open(path, 'r');
  try {
    return (await sniff(file, { name, bytes: bytes.length })).extension;
  } catch (error) {
    if (error instanceof PortError) return error.fault;
    throw error;
  } finally {
    await file.close();
  }
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const png = latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');

/** A compound file of one sector table and a directory that names streams. */
function ole(...names: string[]): Buffer {
  const head = Buffer.alloc(512);
  head.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  head.writeUInt16LE(9, 30);
  head.writeUInt32LE(0, 48);
  const directory = Buffer.alloc(512);
  for (const [at, name] of names.entries()) directory.write(name, at * 128, 'utf16le');
  return Buffer.concat([head, directory]);
}

describe('what a document is', () => {
  it.each<[name: string, bytes: Uint8Array, taken: string]>([
    ['a.docx', made.docx(['x']), 'docx'],
    ['a.doc', made.docx(['x']), 'docx'],
    ['A.DOCX', made.docx(['x']), 'docx'],
    ['a.odt', made.docx(['x']), 'docx'],
    ['a.xlsx', made.docx(['x']), 'unsupported'],
    ['a.xlsx', made.xlsx({ A: [['x']] }), 'xlsx'],
    ['a.ods', made.ods({ A: [['x']] }), 'ods'],
    ['a.pptx', made.pptx(['x']), 'pptx'],
    ['a.odp', made.odp(['x']), 'odp'],
    ['a.odg', made.odg(['x']), 'odg'],
    ['a.odg', made.odp(['x']), 'unsupported'],
    ['a.docx', made.pptx(['x']), 'unsupported'],
    ['a.fodt', made.flatOdf('text', ''), 'fodt'],
    ['a.fods', made.flatOdf('spreadsheet', ''), 'fods'],
    ['a.fods', latin(made.flatOdf('spreadsheet', '').toString('latin1').replaceAll('"', "'")), 'fods'],
    ['a.rtf', made.rtf('x'), 'rtf'],
    ['a.doc', made.rtf('x'), 'rtf'],
    ['a.doc', ole('Root Entry', 'WordDocument'), 'doc'],
    ['a.xls', ole('Root Entry', 'Workbook'), 'xls'],
    ['a.ppt', ole('Root Entry', 'PowerPoint Document'), 'ppt'],
    ['a.ppt', ole('Root Entry', 'WordDocument'), 'unsupported'],
    ['a.docx', ole('Root Entry', 'EncryptedPackage'), 'unsupported'],
    ['a.pdf', latin('%PDF-1.7\n'), 'pdf'],
    ['a.pdf', latin('junk before\n%PDF-1.7\n'), 'pdf'],
    ['a.png', png, 'png'],
    ['a.jpg', png, 'png'],
    ['a.docx', png, 'unsupported'],
    ['a.png', latin('\xff\xd8\xff\xe0'), 'jpg'],
    ['a.webp', latin('RIFF\0\0\0\0WEBPVP8 '), 'webp'],
    ['a.svg', latin('<?xml version="1.0"?>\n<!-- c -->\n<svg xmlns="x"/>'), 'svg'],
    ['a.svg', latin('<!-- a -- b --><!----><svg>'), 'svg'],
    ['a.svg', latin('<html></html>'), 'unsupported'],
    ['a.html', latin('<!DOCTYPE html><p>x'), 'html'],
    ['a.html', latin('<!-- one -->\n<!-- two\nlines --><html>'), 'html'],
    ['a.htm', latin('<p>only a part'), 'htm'],
    ['a.txt', latin('<!DOCTYPE html><p>x'), 'txt'],
    ['a.txt', latin('{\\rtf1 x}'), 'txt'],
    ['a.csv', latin('a,b\n1,2\n'), 'csv'],
    ['a.csv', latin('BMI;age\n22;40\n'), 'csv'],
    ['a.md', latin('# A file begins with %PDF-1.7\n'), 'md'],
    ['a.txt', latin('BM\x36\0\0\0'), 'unsupported'],
    ['a.txt', Buffer.from('\ufeffx', 'utf16le'), 'txt'],
    ['a.txt', latin(''), 'txt'],
    ['a.txt', latin('a\0b'), 'unsupported'],
    ['a.txt', made.docx(['x']), 'unsupported'],
    ['a.docx', latin(''), 'unsupported'],
    ['a.docx', latin('plain'), 'unsupported'],
    ['a.docx', zip([{ name: 'x', data: 'y' }]), 'unsupported'],
    ['a.docx', latin('PK\x03\x04 and no end'), 'unsupported'],
    ['a.exe', latin('MZ'), 'unsupported'],
    ['docx', made.docx(['x']), 'unsupported'],
  ])('%s %# is %s', async (name, bytes, taken) => {
    expect([name, await look(name, bytes)]).toEqual([name, taken]);
  });

  it('is found in linear time after many comments', async () => {
    expect(await look('a.html', latin(`${'<!---->'.repeat(500)}text`))).toBe('html');
  });

  it('is too large when it unpacks to more than 1 GiB', async () => {
    const bytes = made.docx(['x']);
    bytes.writeUInt32LE(0xffffffff, bytes.lastIndexOf(latin('PK\x01\x02')) + 24);
    expect(await look('a.docx', bytes)).toBe('too_large');
  });

  it('never fails on bytes, whatever they are', async () => {
    const heads = ['', 'PK\x03\x04', '\xd0\xcf\x11\xe0', '%PDF-', '<svg ', '<office:document office:mimetype="'];
    const bytes = fc
      .tuple(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 600 }), fc.constantFrom('', 'PK\x05\x06'))
      .map(([head, middle, tail]) => Buffer.concat([latin(head), middle, latin(tail), Buffer.alloc(18, 1)]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...IMPORT_EXTENSIONS), bytes, async (extension, of) => {
        expect([...IMPORT_EXTENSIONS, 'unsupported', 'too_large']).toContain(await look(`a.${extension}`, of));
      }),
      { numRuns: process.env.DAYBOOK_LONG === '1' ? 5_000 : 150 },
    );
  });
});
