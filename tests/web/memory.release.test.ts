/** The view Memory by keyboard: memories and their scores, facts over time, drawers, the context, and deletions. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { writtenOn } from './keyboard.ts';
import { holdNext, loseAnswer, openAt, sharedConsole } from './shared-console.ts';

let daemon: TestDaemon;
let page: Page;

sharedConsole(
  () => testDaemon(),
  (shared) => {
    ({ daemon, page } = shared);
  },
);

const open = (address: string): Promise<void> => openAt(page, address);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const card = (words: string) => page.locator('.memory-card', { hasText: words });

describe('memories', () => {
  it('are kept, by a dialog that the empty page leads to', async () => {
    await open('memory');
    await page.getByText('Nothing is remembered yet').waitFor();
    await page.getByText('let an MCP client keep one').waitFor();
    await page.keyboard.press('e');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('The invoice import reads CSV, XML and EDIFACT.');
    await page.keyboard.press('Tab');
    await page.keyboard.type('import, formats');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card('invoice import').getByText('#formats').waitFor();
    await post(daemon, '/memory/add', { content: 'Ada likes short reports.' });
    await card('short reports').waitFor();
  });

  it('that the daemon refuses stay in the dialog, which says why', async () => {
    await open('memory');
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('What is to be remembered').fill('   ');
    await button('Keep').press('Enter');
    await page.getByRole('dialog').getByText('Must not be blank.').waitFor();
    await page.locator('textarea[name="content"][aria-invalid="true"]:focus').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  });

  it('are found by a question, with every term of the score, which add up to it', async () => {
    await open('memory');
    await page.keyboard.press('/');
    await page.keyboard.type('Which formats does the import read?');
    await page.keyboard.press('Enter');
    await page.getByText('2 found, the best first').waitFor();
    const best = page.locator('.memory-card').first();
    await best.getByText('invoice import').waitFor();
    await best.locator('summary').press('Enter');
    const parts = await best.locator('tbody tr:not(:last-child) td:last-child').allInnerTexts();
    expect(parts).toHaveLength(5);
    const total = Number(await best.locator('.memory-total').innerText());
    expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBeCloseTo(total, 2);
    expect(page.url()).toContain('q=Which');
  });

  it('are those of the newest question, whichever answer comes first', async () => {
    await open('memory');
    const answerOlder = await holdNext(page, '**/memory/query');
    const ask = async (question: string): Promise<void> => {
      const asked = page.waitForRequest('**/memory/query');
      await page.getByLabel('Question').fill(question);
      await page.getByLabel('Question').press('Enter');
      await asked;
    };
    await ask('Who likes short reports?');
    await ask('Which formats are read?');
    const found = page.getByText('2 found, the best first');
    await found.waitFor();
    await answerOlder();
    expect(await found.count()).toBe(1);
  });

  it('are asked for with a text that can be written on at once', async () => {
    await open('memory');
    await page.getByLabel('Question').fill('Which');
    expect(await writtenOn(page.getByLabel('Question'), ' formats?')).toBe('Which formats?');
  });

  it('are pinned, and opened with the events that made them what they are', async () => {
    await open('memory');
    await card('short reports').getByRole('button', { name: 'Pin' }).press('Enter');
    await card('short reports').getByText('pinned').waitFor();
    await card('short reports').getByRole('link').press('Enter');
    await page.getByText('MemoryPinned').waitFor();
    await page.getByRole('link', { name: 'MemoryAdded' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'MemoryAdded' }).waitFor();
  });

  it('show on their page that they were recalled meanwhile', async () => {
    await open('memory');
    await card('short reports').waitFor();
    await post(daemon, '/memory/add', { content: 'The gardener comes on Tuesdays.' });
    await card('gardener').getByRole('link').press('Enter');
    await page.getByText('never', { exact: true }).waitFor();
    await post(daemon, '/memory/query', { query: 'When does the gardener come?' });
    await page.getByText('once,').waitFor();
  });

  it('are deleted for good after a dialog that says what is lost, and are gone from the log', async () => {
    await open('memory');
    await card('short reports').getByRole('button', { name: 'Delete for good…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete for good?' });
    await dialog.getByText('Its text leaves the views, the index and the log').waitFor();
    await page.keyboard.press('Escape');
    await card('short reports').getByRole('button', { name: 'Delete for good…' }).press('Enter');
    await dialog.getByRole('button', { name: 'Delete for good' }).press('Enter');
    await card('short reports').waitFor({ state: 'detached' });
    expect(await (await daemon.request('/v1/events?limit=500')).text()).not.toContain('short reports');
  });

  it('that are deleted while the user goes on elsewhere leave the user there', async () => {
    const { id } = await post<{ id: string }>(daemon, '/memory/add', { content: 'The office moves in May.' });
    await open(`memory/entry/${id}`);
    await page.getByRole('button', { name: 'Delete for good…' }).press('Enter');
    const answer = await holdNext(page, '**/memory/delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).press('Enter');
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await open('memory/context');
    await page.getByLabel('Task or question').waitFor();
    await answer();
    expect(page.url()).toMatch(/#\/memory\/context$/);
  });

  it('that are not there say so', async () => {
    await open('memory/entry/nothing');
    await page.getByText('There is no such memory').waitFor();
  });

  it('are kept once, also by a form that is sent again because the answer was lost', async () => {
    await open('memory');
    await loseAnswer(page, '**/memory/add');
    await page.getByLabel('Question').waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('What is to be remembered').fill('The port closes at noon.');
    await button('Keep').press('Enter');
    await page.getByRole('dialog').getByText('The daemon cannot be reached.').waitFor();
    await button('Keep').press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card('The port closes').first().waitFor();
    expect(await card('The port closes').count()).toBe(1);
  });
});

it('facts are told, stand on both axes of time, and are shown as they were known earlier', async () => {
  await open('memory/facts');
  await page.getByText('No fact was told yet').waitFor();
  await post(daemon, '/memory/fact', {
    subject: 'Ada',
    predicate: 'lives in',
    object: 'Paris',
    valid_from: new Date(2017, 6, 14).getTime() / 1_000,
  });
  await page.locator('.memory-fact', { hasText: 'Paris' }).getByText('since 14 Jul 2017').first().waitFor();
  const told = Date.now();
  while (Date.now() - told < 1_100) await page.waitForTimeout(50);
  await page.getByRole('button', { name: 'Tell a fact' }).press('Enter');
  await page.locator('input[name="subject"]:focus').waitFor();
  for (const words of ['Ada', 'lives in', 'Lyon', '']) {
    await page.keyboard.type(words);
    await page.keyboard.press('Tab');
  }
  await page.getByLabel('Holds since').fill('2020-01-01');
  await page.getByRole('dialog').getByRole('button', { name: 'Tell' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const paris = page.locator('.memory-fact', { hasText: 'Paris' });
  await paris.getByText('14 Jul 2017 to 1 Jan 2020').first().waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/memory/facts?at=')) asked.push(request.url());
  });
  await page.getByRole('slider').evaluate(async (slider: HTMLInputElement) => {
    for (const at of ['1', '0', '1']) {
      slider.value = at;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      // The page renders, and no time passes.
      await Promise.resolve().then(() => null);
    }
  });
  await page.getByText('Told later: 0.').waitFor();
  expect(asked).toHaveLength(1);
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.getByText('Told later: 1.').waitFor();
  await paris.getByText('since 14 Jul 2017').first().waitFor();
  expect(await page.locator('.memory-fact').count()).toBe(1);
  await page.keyboard.press('End');
  await page.locator('.memory-fact', { hasText: 'Lyon' }).waitFor();
  await page.getByLabel('What held on').fill('2019-01-01');
  await page.getByText('1 held then.').waitFor();
  expect(await page.locator('.memory-not-held').innerText()).toContain('Lyon');
});

it('facts that are deleted leave the past too, and the slider stays in it', async () => {
  await open('memory/facts');
  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Told later: 0.').waitFor();
  const paris = page.locator('.memory-fact', { hasText: 'Paris' });
  await paris.getByRole('button', { name: 'Delete for good' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).press('Enter');
  await paris.waitFor({ state: 'detached' });
  // Of a time before all that are left, the first is shown.
  await open('memory/facts');
  await page.locator('.memory-past').waitFor({ state: 'detached' });
  await open('memory/facts?known=1');
  await page.getByText('Told later: 0.').waitFor();
});

describe('drawers and the context', () => {
  it('show texts word for word, and what an agent would be told', async () => {
    await open('memory/drawers');
    await page.getByText('There are no drawers yet').waitFor();
    await post(daemon, '/memory/chunk', { content: 'XML is read as a whole.', source: 'docs/import.md' });
    await page.locator('.memory-drawer summary').press('Enter');
    await page.locator('.memory-drawer').getByText('piece 1').waitFor();
    await open('memory/context');
    await page.getByLabel('Task or question').fill('How is XML read?');
    await page.keyboard.press('Enter');
    await page.locator('pre', { hasText: '<memory-context>' }).waitFor();
    await page.locator('.memory-layer', { hasText: 'XML is read as a whole.' }).first().waitFor();
    await page.locator('.memory-layer', { hasText: 'Ada lives in Lyon' }).waitFor();
  });

  it('show the context of the newest question, whichever answer comes first', async () => {
    await open('memory/context');
    const answerOlder = await holdNext(page, '**/memory/context');
    const question = page.getByLabel('Task or question');
    const block = page.locator('pre', { hasText: '<memory-context>' });
    const asked = page.waitForRequest('**/memory/context');
    await question.fill('Where does Ada live?');
    await question.press('Enter');
    await asked;
    await question.fill('How is XML read?');
    await question.press('Enter');
    const shown = await block.innerText();
    await answerOlder();
    expect(await block.innerText()).toBe(shown);
  });

  it('come in pages, each once, also by a double click', async () => {
    for (let number = 0; number < 120; number += 1) {
      await post(daemon, '/memory/chunk', {
        content: `Format ${number} has ${number} fields.`,
        source: 'docs/formats.md',
      });
    }
    await open('memory/drawers');
    await expect.poll(() => page.locator('.memory-drawer').count()).toBe(50);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.dblclick();
    await expect.poll(() => page.locator('.memory-drawer').count()).toBe(100);
    await more.press('Enter');
    await more.waitFor({ state: 'detached' });
    expect(await page.locator('.memory-drawer').count()).toBe(121);
  });

  it('leave the list when they are deleted, also after the dialog was closed', async () => {
    await open('memory/drawers');
    const drawer = page.locator('.memory-drawer', { hasText: 'Format 119 has' });
    await drawer.locator('summary').press('Enter');
    await drawer.getByRole('button', { name: 'Delete for good…' }).press('Enter');
    const answer = await holdNext(page, '**/memory/delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).press('Enter');
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await answer();
    await drawer.waitFor({ state: 'detached' });
  });
});
