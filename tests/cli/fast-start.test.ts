/** The bundle of `npm ci` is started only while it matches the sources. */
import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { takeHomeDirectoryAway } from '../support/home-directory.ts';

interface FastStart {
  readonly STAMP: string;
  readonly DAEMON: string;
  readonly COMPILED: string;
  stampOfSources(): string;
  bundledMain(): string | null;
  plainMain(): string;
  cacheFolder(): string | undefined;
  start(words: readonly string[]): Promise<void>;
}

let checkout: string;
let start: FastStart;

beforeEach(async () => {
  checkout = temporaryFolder('fast-start');
  for (const folder of ['bin', 'src/cli', 'node_modules/.cache/daybook/bundle/daemon']) {
    mkdirSync(join(checkout, folder), { recursive: true });
  }
  copyFileSync(new URL('../../bin/fast-start.js', import.meta.url), join(checkout, 'bin/fast-start.mjs'));
  writeFileSync(join(checkout, 'package.json'), '{}');
  writeFileSync(join(checkout, 'src/cli/main.ts'), 'export const main = 1;');
  writeFileSync(join(checkout, 'src/other.ts'), 'export const other = 1;');
  // An edit of the same length is seen by its time, which file systems keep in steps of up to 10 ms.
  utimesSync(join(checkout, 'src/other.ts'), 3, 3);
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

test('serve runs the bundle of the daemon and leaves its compiled code, which the next start takes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  writeFileSync(start.STAMP, start.stampOfSources());
  writeFileSync(start.DAEMON, DAEMON);
  writeFileSync(join(start.DAEMON, '../entry.cjs'), "module.exports = require('./daemon.cjs');");

  await start.start(['serve', '--port', '0']);
  expect(globalThis).toHaveProperty('served', ['daybook serve', '--port', '0']);
  expect(existsSync(start.COMPILED)).toBe(false);
  vi.advanceTimersByTime(2_000);
  const { mtimeMs, size } = statSync(start.COMPILED);
  expect(size).toBeGreaterThan(100);

  await start.start(['serve']);
  expect(vi.getTimerCount()).toBe(0);
  expect(statSync(start.COMPILED).mtimeMs).toBe(mtimeMs);

  // Code of another source is not taken, and is replaced.
  writeFileSync(start.DAEMON, `${DAEMON} // edited`);
  await start.start(['serve']);
  expect(vi.getTimerCount()).toBe(1);
});

test('an installed package keeps its compiled code in the cache of the user, who may have no home directory', () => {
  rmSync(join(checkout, 'src'), { recursive: true });
  vi.stubEnv('XDG_CACHE_HOME', '');
  expect(start.cacheFolder()).toBe(join(homedir(), '.cache/daybook'));
  takeHomeDirectoryAway();
  expect(start.cacheFolder()).toBeUndefined();
  vi.stubEnv('XDG_CACHE_HOME', '/var/cache/me');
  expect(start.cacheFolder()).toBe('/var/cache/me/daybook');
});

const DAEMON = `
exports.serveCommand = () => ({ name: (name) => name });
exports.execute = async (load, words) => { globalThis.served = [await load(), ...words]; };
`;
