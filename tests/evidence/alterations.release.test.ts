/**
 * Three verifiers agree on altered bundles: `evidence verify`, `verify.html` in Chromium (with the same messages), and
 * the program in Go. Without Go (see `go.release.test.ts`) the first two are compared.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyPage } from '../../src/http/evidence/routes.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { temporaryFolder } from '../support/folders.ts';
import { goProgram, hasGo, isGoRequired } from '../tlog/support.ts';
import { closeTabs, openTab, sharedBrowser } from '../web/browser.ts';
import { alterations, unaltered } from './alterations.ts';
import { logKeyOf } from './support.ts';

const key = logKeyOf(1);
let browser: Browser;
let page: Page;
let zip: Buffer;

beforeAll(async () => {
  browser = await sharedBrowser();
  const folder = temporaryFolder('alterations');
  writeFileSync(join(folder, 'verify.html'), verifyPage());
  ({ page } = await openTab(browser, pathToFileURL(join(folder, 'verify.html')).href));
  await page.getByLabel('The key that the owner').fill(key.vkey);
  zip = await unaltered();
});

afterAll(() => closeTabs(browser));

async function pageSays(bundle: Buffer): Promise<string> {
  await page.getByLabel('The bundle').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: bundle });
  const result = page.locator('#result.good, #result.wrong');
  await result.waitFor();
  const isGood = (await page.locator('#result.good').count()) === 1;
  return isGood ? 'ok' : await result.locator('p').innerText();
}

async function commandSays(bundle: Buffer): Promise<string> {
  const report = await verifyBundle(bundle, key.vkey);
  return report.ok ? 'ok' : report.fault.what;
}

async function goAccepts(bundle: Buffer): Promise<boolean> {
  const file = join(temporaryFolder('altered'), 'bundle.zip');
  writeFileSync(file, bundle);
  const program = await goProgram(resolve('tests/evidence/go'));
  return promisify(execFile)(program, [file, key.vkey]).then(
    () => true,
    () => false,
  );
}

it('all accept the bundle as it was made', async () => {
  expect([await commandSays(zip), await pageSays(zip)]).toEqual(['ok', 'ok']);
  if (hasGo || isGoRequired) expect(await goAccepts(zip)).toBe(true);
});

it.each(alterations(key))('none accepts: %s', async (_, alter) => {
  const altered = alter(Buffer.from(zip));
  expect(altered.equals(zip)).toBe(false);
  const said = await commandSays(altered);
  expect(said).not.toBe('ok');
  expect(await pageSays(altered)).toBe(said);
  if (hasGo || isGoRequired) expect(await goAccepts(altered)).toBe(false);
});
