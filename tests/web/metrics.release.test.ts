/** The view Metrics by keyboard: plots, a verified backup, and delivery metrics of a repository. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scriptedModel, startTestDaemon, type TestDaemon, testClock } from '../../src/testing/testing.ts';
import { temporaryFolder } from '../support/folders.ts';
import { closeTabs, openPaired, sharedBrowser, type Tab } from './browser.ts';
import { openAt } from './pages.ts';

let daemon: TestDaemon;
let browser: Browser;
let tab: Tab;
let page: Page;

beforeAll(async () => {
  const models = scriptedModel(['It is done.']);
  daemon = await startTestDaemon({ models, clock: testClock(Date.now()), backend: 'cow' });
  browser = await sharedBrowser();
  tab = await openPaired(browser, daemon.url);
  ({ page } = tab);
  page.setDefaultTimeout(20_000);
}, 120_000);
afterEach(() => {
  expect([tab.complaints, tab.outside]).toEqual([[], []]);
});
afterAll(async () => {
  await closeTabs(browser);
  await daemon[Symbol.asyncDispose]();
});

const open = (address: string): Promise<void> => openAt(page, address);

describe('what was measured', () => {
  it('says so while there is nothing, and shows plots of the store once there is', async () => {
    await open('metrics');
    await page.getByText('Nothing was measured yet').waitFor();
    const { session_id } = await daemon.json<{ session_id: string }>('POST', '/agent', { task: 'Say that it is done' });
    await daemon.event(({ stream, type }) => stream === `run-${session_id}` && type === 'RunCompleted');
    await daemon.clock.advance('1 min');
    await open('metrics?range=6h');
    const appends = page.getByRole('img', { name: /^Appends to the log: median .*99th percentile/ });
    await appends.waitFor();
    await expect.poll(() => page.locator('.metrics-plot canvas').count()).toBe(8);
  });

  it('has the process and the providers, and keeps the span of time in its address', async () => {
    await open('metrics/process?range=6h');
    await page.getByRole('img', { name: /^Memory of the process: size .*[MG]B/ }).waitFor();
    await open('metrics/process?range=toString');
    await page.getByRole('img', { name: /^Memory of the process/ }).waitFor();
    await page.locator('.metrics-range select').selectOption('24 hours');
    await page.waitForURL(/range=24h/);
    await page.getByRole('link', { name: 'Providers' }).press('Enter');
    await page.getByRole('heading', { name: 'scripted' }).waitFor();
    await page.getByRole('img', { name: /^Calls and errors: calls 0–1/ }).waitFor();
  });

  it('makes a backup, and says when it was proven', async () => {
    await open('metrics');
    await page.getByText('No backup was made yet.').waitFor();
    await page.getByRole('button', { name: 'Back up and verify now' }).press('Enter');
    await page.getByText('The backup is made, and was restored for the proof.').waitFor();
    await page.getByText('Proven by restoring it').waitFor();
  });
});

it('delivery asks for a repository, and shows its keys, releases and practices', async () => {
  const repository = temporaryFolder('repository');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: repository });
  git('init', '-q');
  for (const version of ['1.0.0', '1.1.0']) {
    writeFileSync(join(repository, 'README.md'), `# ${version}\n`);
    git('add', '.');
    git('commit', '-q', '-m', `feat: ${version}`);
    git('tag', `v${version}`);
  }
  await open('metrics/delivery');
  await page.getByText('Which repository?').waitFor();
  await page.getByLabel('Repository').fill(repository);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Deployment frequency' }).waitFor();
  await page.getByRole('img', { name: /^Releases a week/ }).waitFor();
  await page.locator('.metrics-practices li').first().waitFor();
  await page.getByRole('heading', { level: 2, name: /delivery keys/ }).waitFor();
  await page.getByRole('heading', { name: 'SPACE' }).waitFor();
  const dimensions = page.locator('section[aria-labelledby="metrics-space"] section.card');
  await dimensions.nth(4).waitFor();
  const tops = await dimensions.evaluateAll((cards) => cards.map((each) => each.getBoundingClientRect().top));
  expect([tops[0], tops[3]]).toEqual([tops[2], tops[4]]);
  await page.getByText('First commits in this time: 1').waitFor();
  await page.getByText('Ada').waitFor();
  git('commit', '-q', '--allow-empty', '-m', 'feat: more');
  await page.getByText('2 commits of 1 author in 90 days').waitFor();
  await page.getByRole('button', { name: 'Measure' }).press('Enter');
  await page.getByText('3 commits of 1 author in 90 days').waitFor();
  await page.getByLabel('Repository').fill('/nowhere/at/all');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
});
