/** verify.html in Chromium, opened from a file, as the receiver of a bundle uses it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyPage } from '../../src/http/evidence/routes.ts';
import { openStorage } from '../../src/storage/open.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { closeTabs, openTab, PHONE, sharedBrowser } from '../web/browser.ts';
import { bundleOf, logKeyOf, packed, resigned, unpacked } from './support.ts';

const key = logKeyOf(1);
let browser: Browser;
let page: string;
let zip: Buffer;

beforeAll(async () => {
  browser = await sharedBrowser();
  page = join(temporaryFolder('page'), 'verify.html');
  writeFileSync(page, verifyPage());
  const { log } = await openStorage({ directory: '', ephemeral: true });
  for (const number of [1, 2, 3]) await log.append([to('case-7', [event(number)])]);
  await log.erase([2]);
  zip = await bundleOf(log, { subject: { kind: 'stream', id: 'case-7' } });
});

afterAll(() => closeTabs(browser));

/** What the page says about a bundle, and that it asked for nothing but itself. */
async function said(bundle: Uint8Array, vkey = ''): Promise<string> {
  const url = pathToFileURL(page).href;
  const { page: tab, complaints, outside } = await openTab(browser, url);
  const file = join(mkdtempSync(join(temporaryFolder('bundles'), 'one-')), 'bundle.zip');
  writeFileSync(file, bundle);
  await tab.getByLabel('The key that the owner').fill(vkey);
  await tab.getByLabel('The bundle').setInputFiles(file);
  await tab
    .locator('#result.good, #result.wrong')
    .waitFor()
    .catch((error: Error) => {
      throw new Error(`${error.message}\n${complaints.join('\n')}`);
    });
  const text = await tab.locator('#result').innerText();
  expect([complaints, outside.filter((address) => address !== url)]).toEqual([[], []]);
  await tab.context().close();
  return text;
}

describe('verify.html', () => {
  it('accepts a good bundle, with the key and without it', async () => {
    const good = await said(zip, key.vkey);
    expect(good).toContain('Everything fits\n');
    expect(good).toContain('It holds 4 events; the content of 1 of them was erased.');
    expect(good).toContain('case-7: 3 events, from the first on, without a gap');
    const unknown = await said(zip);
    expect(unknown).toContain('Everything fits, if this is the key of the log');
    expect(unknown).toContain(key.vkey);
  });

  it('checks again with a key that is given after the bundle, and fits into a phone', async () => {
    const { page: tab } = await openTab(browser, pathToFileURL(page).href, { viewport: PHONE });
    const file = join(temporaryFolder('bundles'), 'bundle.zip');
    writeFileSync(file, zip);
    await tab.getByLabel('The bundle').setInputFiles(file);
    await tab.getByText(key.vkey).waitFor();
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await tab.getByLabel('The key that the owner').fill(key.vkey);
    await tab.keyboard.press('Enter');
    await tab.getByText('It is signed by the key that you gave').waitFor();
    await tab.context().close();
  });

  it('shows what it found in the newest bundle, when the check of an earlier one ends later', async () => {
    const { page: tab } = await openTab(browser, pathToFileURL(page).href);
    const folder = temporaryFolder('bundles');
    writeFileSync(join(folder, 'good.zip'), zip);
    writeFileSync(join(folder, 'cut.zip'), zip.subarray(0, -1));
    await tab.evaluate(`
      const { arrayBuffer } = Blob.prototype;
      const slow = Promise.withResolvers();
      globalThis.goOn = slow.resolve;
      Blob.prototype.arrayBuffer = async function () {
        if (this.name === 'good.zip') await slow.promise;
        return arrayBuffer.call(this);
      };
    `);
    const field = tab.getByLabel('The bundle');
    await field.setInputFiles(join(folder, 'good.zip'));
    await field.setInputFiles(join(folder, 'cut.zip'));
    await tab.getByText('it was cut off').waitFor();
    const checked = tab.evaluate(`new Promise((resolve) => {
      const { verify } = SubtleCrypto.prototype;
      let left = 2;
      SubtleCrypto.prototype.verify = async function (...of) {
        const answer = await verify.apply(this, of);
        left -= 1;
        if (left === 0) setTimeout(resolve, 0);
        return answer;
      };
      goOn();
    })`);
    await checked;
    expect(await tab.locator('#result').innerText()).toContain('it was cut off');
    await tab.context().close();
  });

  it('names a fault: a changed event, another key, a damaged file', async () => {
    const files = unpacked(zip);
    files.set('events.jsonl', Buffer.from(files.get('events.jsonl')!.toString().replace('"number":3', '"number":4')));
    expect(await said(packed(files), key.vkey)).toContain('Event 3 was changed');
    expect(await said(resigned(unpacked(zip), key), logKeyOf(2).vkey)).toContain('another key than the one you trust');
    expect(await said(zip.subarray(0, -1))).toContain('it was cut off');
  });
});
