/** The view Runs by keyboard: ten thousand of them, one in every detail, and two side by side. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { launch, openPaired, type Tab } from './browser.ts';
import { writeRuns } from './many-runs.ts';
import { ended, startRun } from './pages.ts';
import { ENDLESS, startProvider } from './provider.ts';

const RUNS = 10_000;
const provider = await startProvider();
let daemon: TestDaemon;
let browser: Browser;
let tab: Tab;
let page: Page;
/** A run with every kind of tool call. */
let run: string;

beforeAll(async () => {
  const home = temporaryFolder('home');
  await writeRuns(home, RUNS);
  daemon = await testDaemon({ home, env: provider.env });
  run = await startRun(daemon, { task: 'Describe the invoice import', approval: 'full-auto' });
  await ended(daemon, run);
  browser = await launch();
  tab = await openPaired(browser, daemon.url);
  ({ page } = tab);
}, 120_000);
afterEach(() => {
  expect([tab.complaints, tab.outside]).toEqual([[], []]);
});
afterAll(async () => {
  await browser.close();
  await daemon.stop();
  provider.close();
});

const open = (address: string): Promise<void> =>
  page.evaluate((to) => {
    location.hash = to;
  }, `#/${address}`);

describe('the list', () => {
  it('has few rows in the page, and comes to the last of ten thousand runs by keyboard', async () => {
    await open('runs');
    await page.getByText(/the newest [16]00 runs/).waitFor();
    await page.keyboard.press('j');
    // Each jump to the end asks for more.
    while ((await page.locator('.note').innerText()) !== '10,001 runs') await page.keyboard.press('End');
    await page.keyboard.press('End');
    await page.getByText('part 0', { exact: false }).last().waitFor();
    expect(await page.locator('.virtual li').count()).toBeLessThan(80);
    await page.keyboard.press('Home');
    await page.locator('.virtual a:focus', { hasText: 'Describe the invoice import' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Describe the invoice import' }).waitFor();
  }, 60_000);

  it('searches, filters, and keeps both in its address', async () => {
    await open('runs');
    await page.locator('.virtual a').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('part 77');
    await page.waitForURL(/q=part\+77/);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Provider').selectOption('openai');
    await page.waitForURL(/q=part\+77.*status=failed.*provider=openai/);
    await page.locator('.virtual a').first().waitFor();
    const tasks = await page.locator('.runs-task').allInnerTexts();
    expect(tasks.length).toBeGreaterThan(0);
    for (const task of tasks) expect(Number(task.split(' ').at(-1)) % 21).toBe(0);
    await page.reload();
    await page.locator('.virtual a').first().waitFor();
    expect(await page.locator('.runs-task').allInnerTexts()).toEqual(tasks);
  });

  it('says so when nothing is found', async () => {
    await open('runs?q=zzzzzz');
    await page.getByText('No run is like that').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).press('Enter');
    await page.locator('.virtual a').first().waitFor();
  });

  it('shows a run that somebody else starts', async () => {
    await open('runs');
    await page.locator('.virtual a').first().waitFor();
    const id = await startRun(daemon, { task: 'Started elsewhere', approval: 'full-auto' });
    await page.locator('.virtual a', { hasText: 'Started elsewhere' }).waitFor();
    await ended(daemon, id);
    await page.locator('.virtual a', { hasText: 'Started elsewhere' }).getByText('complete').waitFor();
  });
});

describe('one run', () => {
  it('shows its conversation as text with form, and each call with its change and its exit code', async () => {
    await open(`runs/${run}`);
    await page.locator('.prose table').first().waitFor();
    const calls = page.locator('.entry-call > summary');
    expect(await calls.count()).toBe(4);
    await calls.nth(2).press('Enter');
    await page.locator('.diff-removed', { hasText: '- EDIFACT' }).waitFor();
    await page.locator('.diff-added', { hasText: '- EDIFACT (no tests)' }).waitFor();
    await calls.nth(3).press('Enter');
    await page.getByText('Output · exit code 1').waitFor();
    expect(await page.locator('.timeline-bar.model').count()).toBe(5);
    expect(await page.locator('.timeline-bar.tool').count()).toBe(4);
    await page
      .getByText(/tokens$/)
      .first()
      .waitFor();
  });

  it('goes back to a step with the slider, and is forked from there', async () => {
    await open(`runs/${run}`);
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.getByText('This is the run as it was after step 2.').waitFor();
    expect(await page.locator('.entry-call').count()).toBe(2);
    await page.getByRole('button', { name: 'Fork from here…' }).press('Enter');
    await page.getByLabel('What the new run is to do').fill('Go another way');
    await page.getByRole('button', { name: 'Fork', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Go another way' }).waitFor();
    await page.getByText('· forked from').waitFor();
    await page.getByText('Complete', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'compare with it' }).press('Enter');
    await page.getByRole('heading', { name: 'First difference' }).waitFor();
  });

  it('shows its events, and checks its replay', async () => {
    await open(`runs/${run}`);
    await page.getByRole('button', { name: 'Events' }).press('Enter');
    await page.locator('.event-row').first().press('Enter');
    await page.locator('.event-list .well', { hasText: 'leaf_hash' }).waitFor();
    await page.getByRole('button', { name: 'Check replay' }).press('Enter');
    await page.getByText(/Identical: the same \d+ effects/).waitFor();
    await page.keyboard.press('Escape');
  });

  it('is saved as HTML and as JSON', async () => {
    await open(`runs/${run}`);
    for (const [name, ending] of [
      ['HTML', '.html'],
      ['JSON', '.json'],
    ] as const) {
      if (!(await page.getByRole('button', { name, exact: true }).isVisible())) {
        await page.locator('.menu > summary').press('Enter');
      }
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).press('Enter');
      expect((await download).suggestedFilename()).toBe(`run-${run.slice(0, 12)}${ending}`);
    }
  });

  it('is followed while it runs, and cancelled after a question that says what is lost', async () => {
    const id = await startRun(daemon, { task: `Follow me, ${ENDLESS}`, approval: 'full-auto' });
    await open(`runs/${id}`);
    await page.getByText('EDIFACT has no test at all.').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByText('A cancelled run does not go on.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    await page.locator('.entry-end').getByText('Cancelled').waitFor();
    await page.locator('.view-head').getByText('cancelled').waitFor();
  });

  it('that is not there says so', async () => {
    await open('runs/nowhere');
    await page.getByText('There is no such run').waitFor();
  });
});
