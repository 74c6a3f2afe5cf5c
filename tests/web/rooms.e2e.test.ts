/** The view Rooms by keyboard: two people write one text together, and what they see of each other. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { violations } from './axe.ts';
import { launch, openPaired, type Tab } from './browser.ts';

const daemon = sharedDaemon();
let browser: Browser;
let tabs: readonly [Tab, Tab];

beforeAll(async () => {
  browser = await launch();
  tabs = [await openPaired(browser, daemon.url), await openPaired(browser, daemon.url)];
  for (const { page } of tabs) page.setDefaultTimeout(20_000);
}, 60_000);
afterEach(() => {
  expect(tabs.map(({ complaints, outside }) => [complaints, outside])).toEqual([
    [[], []],
    [[], []],
  ]);
});
afterAll(async () => {
  await browser.close();
});

const open = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = to;
  }, `#/${address}`);
const editor = (page: Page, name = 'text') => page.getByRole('textbox', { name: `Text ${name}` });
const lines = (page: Page, name?: string): Promise<readonly string[]> =>
  editor(page, name)
    .locator('.cm-line')
    .evaluateAll((all) =>
      all.map((line) => {
        const copy = line.cloneNode(true) as Element;
        for (const caret of copy.querySelectorAll('.cm-peer')) caret.remove();
        return copy.textContent ?? '';
      }),
    );

async function nameAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Your name…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Your name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByText(`${name} (you)`).waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
}

it('makes a room, in which two people write the same text and see each other', async () => {
  const [{ page: ann }, { page: bob }] = tabs;
  await open(ann, 'rooms');
  await ann.getByText('No room yet').waitFor();
  await ann.keyboard.press('n');
  await ann.getByLabel('Name of the room').fill('standup');
  await ann.keyboard.press('Enter');
  await editor(ann).waitFor();
  await nameAs(ann, 'Ann');
  await open(bob, 'rooms');
  await bob.keyboard.press('j');
  await bob.getByRole('link', { name: 'standup' }).press('Enter');
  await editor(bob).waitFor();
  await nameAs(bob, 'Bob');
  await editor(ann).focus();
  await ann.keyboard.type('gone next');
  await ann.keyboard.press('Home');
  await expect.poll(() => lines(bob)).toEqual(['gone next']);
  await editor(bob).focus();
  await bob.keyboard.press('Control+End');
  await Promise.all([ann.keyboard.type('I write, '), bob.keyboard.type(' and so do I')]);
  for (const page of [ann, bob]) await expect.poll(() => lines(page)).toEqual(['I write, gone next and so do I']);
  await bob.locator('.cm-peer-name', { hasText: 'Ann' }).waitFor();
  await ann.locator('.cm-peer-name', { hasText: 'Bob' }).waitFor();
  await ann.getByText('text, line 1').waitFor();
  await bob.keyboard.press('Shift+Home');
  await ann.locator('.cm-peer-selection').first().waitFor();
  for (const { page } of tabs) expect(await violations(page)).toEqual([]);
});
