/**
 * Converts real documents with LibreOffice and opens the results. Where LibreOffice is missing these tests are skipped,
 * unless DAYBOOK_TEST_SOFFICE=required; then they fail.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { IS_LONG } from '../support/depth.ts';
import { answers, HAS_PDFTOTEXT, pdfPages, pdfText } from './converter.ts';
import { unzip } from './zip.ts';

/** soffice, and what opens its results again. */
export const CAN_CONVERT =
  process.env.DAYBOOK_TEST_SOFFICE === 'required' ||
  (HAS_PDFTOTEXT && answers('unzip', '-v') && answers('soffice', '--version'));

export interface Row {
  readonly name: string;
  readonly document: Uint8Array;
  readonly to: string;
  /** Looks at the result; throws or expects. */
  readonly check: (path: string) => void;
}

interface Done {
  readonly status: number;
  readonly body: { readonly output: string; readonly bytes: number; readonly error?: string };
}

const AT_ONCE = 2;
const HOOK_MS = 300_000;

/**
 * One test a row. The conversions run beforehand, as many at once as the daemon allows. Each starts the converter, which takes
 * more than a second of CPU: `more`, rows with a format that is read in another row and a kind of target that another row has,
 * are converted in long runs only.
 */
export function itConverts({
  rows: usual,
  more,
}: {
  readonly rows: readonly Row[];
  readonly more: readonly Row[];
}): void {
  const rows = IS_LONG ? [...usual, ...more] : usual;
  let daemon: TestDaemon;
  const done = new Map<Row, Done>();
  beforeAll(async () => {
    daemon = await testDaemon({ env: { PATH: process.env.PATH } });
    const open = [...rows];
    const worker = async (): Promise<void> => {
      for (let row = open.shift(); row !== undefined; row = open.shift()) done.set(row, await convert(daemon, row));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }, HOOK_MS);
  afterAll(() => daemon.stop());
  it.each(rows.map((row) => ({ ...row, label: `${row.name} to ${row.to}`, row })))('$label', ({ row }) => {
    const { status, body } = done.get(row)!;
    expect([status, body.error]).toEqual([200, undefined]);
    expect(readFileSync(body.output)).toHaveLength(body.bytes);
    row.check(body.output);
  });
}

export function convert(daemon: TestDaemon, { name, document, to }: Omit<Row, 'check'>): Promise<Done> {
  writeFileSync(join(daemon.workspace, name), document);
  return ask(daemon, 'POST', '/office/convert', { path: name, to, timeout_secs: 120 });
}

export const isPdf =
  (pages: number, ...texts: string[]) =>
  (path: string): void => {
    expect(pdfPages(path)).toBe(pages);
    for (const text of texts) expect(pdfText(path)).toContain(text);
  };

/** A zip whose part holds the texts. */
export const isZip =
  (part: string, ...texts: (string | RegExp)[]) =>
  (path: string): void => {
    const found = unzip(readFileSync(path)).get(part)?.toString('utf8') ?? '';
    for (const text of texts) expect(found).toMatch(text);
    execFileSync('unzip', ['-tq', path]);
  };

export const isOdf =
  (kind: string, ...texts: string[]) =>
  (path: string): void => {
    const parts = unzip(readFileSync(path));
    expect(parts.get('mimetype')!.toString()).toBe(`application/vnd.oasis.opendocument.${kind}`);
    for (const text of texts) expect(parts.get('content.xml')!.toString('utf8')).toContain(text);
  };

export const isText =
  (...texts: (string | RegExp)[]) =>
  (path: string): void => {
    const found = readFileSync(path, 'utf8');
    expect(found).not.toMatch(/^\ufeff/);
    for (const text of texts) expect(found).toMatch(text);
  };

export const isSvg =
  (...texts: string[]) =>
  (path: string): void => {
    const found = readFileSync(path, 'utf8');
    expect(found).toMatch(/<svg[\s>]/);
    expect(found).not.toMatch(/<script/i);
    for (const text of texts) expect(found).toContain(text);
  };

/** Decodes the picture: it has a size, and something was drawn on it. */
export function isPng(path: string): void {
  const bytes = readFileSync(path);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  expect(Math.min(width, height)).toBeGreaterThan(10);
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const pixels = inflateSync(Buffer.concat(data));
  expect(pixels.length).toBeGreaterThan(height * width * 0.1);
  expect(new Set(pixels).size).toBeGreaterThan(1);
}
