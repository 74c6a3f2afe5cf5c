/** The bundle of `npm ci` is started only while it is what the sources say. */
import { copyFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

interface FastStart {
  readonly STAMP: string;
  stampOfSources(): string;
  bundledMain(): string | null;
  plainMain(): string;
}

let checkout: string;
let start: FastStart;

beforeEach(async () => {
  checkout = temporaryFolder('fast-start');
  for (const folder of ['bin', 'src/cli', 'node_modules/.cache/daybook/bundle']) {
    mkdirSync(join(checkout, folder), { recursive: true });
  }
  copyFileSync(new URL('../../bin/fast-start.js', import.meta.url), join(checkout, 'bin/fast-start.mjs'));
  writeFileSync(join(checkout, 'package.json'), '{}');
  writeFileSync(join(checkout, 'src/cli/main.ts'), 'export const main = 1;');
  writeFileSync(join(checkout, 'src/other.ts'), 'export const other = 1;');
  start = (await import(pathToFileURL(join(checkout, 'bin/fast-start.mjs')).href)) as FastStart;
});

test('without a bundle the sources are started', () => {
  expect(start.bundledMain()).toBeNull();
  expect(start.plainMain()).toBe(join(checkout, 'src/cli/main.ts'));
});

test('a bundle of these sources is started', () => {
  writeFileSync(start.STAMP, start.stampOfSources());
  expect(start.bundledMain()).toBe(join(checkout, 'node_modules/.cache/daybook/bundle/main.mjs'));
});

test.each<[string, () => void]>([
  ['an edited file', () => writeFileSync(join(checkout, 'src/other.ts'), 'export const other = 2;')],
  ['a file touched back in time', () => utimesSync(join(checkout, 'src/other.ts'), 1, 1)],
  ['a new file', () => writeFileSync(join(checkout, 'src/new.ts'), '')],
  ['a removed file', () => rmSync(join(checkout, 'src/other.ts'))],
  ['another package.json', () => utimesSync(join(checkout, 'package.json'), 2, 2)],
])('%s makes the bundle a stale one', (_name, change) => {
  writeFileSync(start.STAMP, start.stampOfSources());
  change();
  expect(start.bundledMain()).toBeNull();
});
