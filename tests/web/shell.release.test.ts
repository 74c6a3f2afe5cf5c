/** The shell of the console in a real browser, with a real daemon, by keyboard. */
import { cpSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { post } from '../support/asking.ts';
import { childDaemon, daemonHere, killableDaemon, sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { runProgram } from '../support/program.ts';
import {
  closeClean,
  closeTabs,
  openPaired,
  openTab,
  type PairedOptions,
  PHONE,
  sharedBrowser,
  type Tab,
} from './browser.ts';
import { goBy } from './keyboard.ts';
import { ended, startRun, staysAtReload } from './pages.ts';
import { startProvider } from './provider.ts';
import { hold, openAt } from './shared-console.ts';

const provider = await startProvider();
const daemon = sharedDaemon({ env: provider.env });
let browser: Browser;
let run: string;

beforeAll(async () => {
  browser = await sharedBrowser();
  run = await startRun(daemon, { task: 'Describe the invoice import', approval: 'full-auto' });
  await ended(daemon, run);
}, 60_000);
afterAll(async () => {
  await closeTabs(browser);
  provider.close();
});

/** The page of a tab on which nothing may have been wrong when its test ends. */
async function opened(address: string): Promise<Page> {
  return closedClean(await openTab(browser, address));
}

/** The same for a tab that has paired with the daemon. */
async function paired(options?: PairedOptions): Promise<Page> {
  return closedClean(await openPaired(browser, daemon.url, options));
}

function closedClean(tab: Tab): Page {
  onTestFinished(() => closeClean(tab));
  return tab.page;
}

/** Holds the requests to an address until the returned function is called. */
async function holdAll(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, (route) => promise.then(() => route.continue()));
  return resolve;
}

describe('connecting', () => {
  it('tells a wrong token, and forgets it', async () => {
    const page = await opened(`${daemon.url}/web`);
    await page.getByLabel('Bearer token').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('Invalid bearer token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('keeps a pasted token while the daemon cannot be reached', async () => {
    const page = await opened(`${daemon.url}/web`);
    await page.route('**/v1/log/head', (route) => route.abort(), { times: 1 });
    await page.getByLabel('Bearer token').fill(daemon.token);
    await page.keyboard.press('Enter');
    await page.getByText('The daemon cannot be reached.').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.connection.live').first().waitFor();
  });

  it('pairs, and works, in a browser that blocks the data of sites', async () => {
    const context = await browser.newContext();
    await context.addInitScript(() => {
      const blocked = (): never => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: blocked });
    });
    const page = await context.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(`${daemon.url}/web`);
    await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await page.locator('.connection.live').first().waitFor();
    await page.keyboard.press('c');
    await page.getByRole('dialog').waitFor();
    expect(errors).toEqual([]);
  });

  it('pairs on loopback: the token is in the tab, and not in its address', async () => {
    const page = await paired();
    expect(await page.evaluate(`sessionStorage.getItem('daybook.token')`)).toBe(daemon.token);
    expect(page.url()).not.toContain(daemon.token);
  });

  it.each([
    ['the connect page', '/web', 'Pairing…'],
    ['the page that `daybook open` opens', `/web#pair=${'0'.repeat(32)}`, ''],
  ])('says on %s that the limit of requests is reached, and for how long', async (_, address, busy) => {
    const page = await opened(`${daemon.url}/favicon.svg`);
    await page.clock.install();
    const headers = { 'Retry-After': '5' };
    await page.route('**/pair', (route) => route.fulfill({ status: 429, headers, json: { error: 'Too many.' } }));
    await page.goto(`${daemon.url}${address}`);
    if (busy !== '') await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await page.getByText('This goes on by itself within a minute.').waitFor();
    expect(await page.getByText('Pairing…').count()).toBe(busy === '' ? 0 : 1);
    await page.unroute('**/pair');
    await page.clock.fastForward(5_000);
    await page.getByText('This goes on by itself within a minute.').waitFor({ state: 'detached' });
  });

  it('shows what happens while its subscription begins', async () => {
    const page = await opened(`${daemon.url}/web#/goals`);
    const made = await holdAll(page, '**/v1/events?before=*');
    const asked = page.waitForRequest('**/v1/events?before=*');
    await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await asked;
    // What the page asks for together with it is on its way.
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    const { id } = await post<{ id: string }>(daemon, '/v1/goals', { title: 'Made at the beginning' });
    made();
    await page.getByText('Made at the beginning').waitFor();
    await daemon.request(`/v1/goals/${id}`, { method: 'DELETE' });
  });

  it('shows what happened before its subscription could be opened', async () => {
    const page = await opened(`${daemon.url}/web#/goals`);
    const made = Promise.withResolvers<void>();
    let attempts = 0;
    await page.route('**/v1/events?before=*', async (route) => {
      attempts += 1;
      if (attempts === 1) return route.abort();
      await made.promise;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await page.getByText('No goal yet').waitFor();
    const { id } = await post<{ id: string }>(daemon, '/v1/goals', { title: 'Made before it' });
    made.resolve();
    await page.getByText('Made before it').waitFor();
    await daemon.request(`/v1/goals/${id}`, { method: 'DELETE' });
  });

  it('the address of `daybook open` pairs once, and loses its code', async () => {
    const { stdout } = await runProgram(['open', '--print'], { env: { DAYBOOK_HOME: daemon.home } });
    const address = stdout.trim();
    expect(address).toMatch(/\/web#pair=[0-9a-f]{32}$/);
    const first = await opened(address);
    await first.locator('.connection.live').first().waitFor();
    await first.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    expect(first.url()).not.toContain('pair=');
    const second = await opened(address);
    await second.getByText('unknown, used or expired').waitFor();
  });
});

describe('the frame', () => {
  it('goes to every view by keyboard, back and by its address', async () => {
    const page = await paired();
    await goBy(page, 'r');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await page.goto(`${daemon.url}/web#/runs`);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.goto(`${daemon.url}/web#/nowhere`);
    await page.getByText('There is no such page').waitFor();
  });

  it('begins a page that is opened at its top, and shows a page again where it was left', async () => {
    const page = await paired({ viewport: { width: 800, height: 300 } });
    const scrolled = () => page.evaluate('scrollY');
    const showSettings = () => page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.goto(`${daemon.url}/web#/runs/${run}`);
    await page.locator('.entry-end').waitFor();
    await page.evaluate('scrollTo(0, 400)');
    await page.goto(`${daemon.url}/web#/settings/plugins`);
    await showSettings();
    expect(await scrolled()).toBe(0);
    // Until the page is tall enough.
    await expect.poll(() => page.evaluate('scrollTo(0, 200), scrollY')).toBe(200);
    await page.goBack();
    await page.locator('.entry-end').waitFor();
    await expect.poll(scrolled).toBe(400);
    await page.goForward();
    await showSettings();
    await expect.poll(scrolled).toBe(200);
    await page.reload();
    await showSettings();
    await expect.poll(scrolled).toBe(200);
    await page.goBack();
    await expect.poll(scrolled).toBe(400);
  });

  it('finds a run with Ctrl+K and opens it', async () => {
    const page = await paired();
    await page.keyboard.press('Control+k');
    await page.getByText(/results/).waitFor();
    await page.keyboard.type(`invoice ${run.slice(0, 8)}`);
    await page.getByRole('option', { name: /Describe the invoice/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**#/runs/${run}`);
  });

  it('opens what is chosen with Ctrl+K before the next key is pressed', async () => {
    const page = await paired();
    await page.keyboard.press('Control+k');
    await page.getByText(/results/).waitFor();
    await page.keyboard.type('go to goals');
    await page.getByRole('option', { name: 'Go to Goals', selected: true }).waitFor();
    const next = await page.evaluate(async () => {
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
      await new Promise((turn) => setTimeout(turn));
      return [document.querySelectorAll('dialog[open]').length, location.hash];
    });
    expect(next).toEqual([0, '#/goals']);
  });

  it('names the keys as they are on a Mac', async () => {
    const userAgent =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Safari/605.1.15';
    const page = await paired({ userAgent });
    expect(await page.locator('.search-button kbd').textContent()).toBe('⌘ K');
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByText('⌘+Enter starts').waitFor();
  });

  it('leaves Enter to an input method with which a word is composed, also as Safari tells it', async () => {
    const page = await paired();
    await page.keyboard.press('Control+k');
    await page.getByText(/results/).waitFor();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Input.imeSetComposition', { text: 'goals', selectionStart: 5, selectionEnd: 5 });
    await page.getByRole('option', { name: 'Go to Goals', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const after = await page.evaluate(async () => {
      const enter = { key: 'Enter', keyCode: 229, bubbles: true };
      document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', enter));
      await new Promise((turn) => setTimeout(turn));
      return [document.querySelectorAll('dialog[open]').length, location.hash];
    });
    expect(after).toEqual([1, '']);
    await devtools.send('Input.insertText', { text: 'goals' });
    await page.keyboard.press('Enter');
    await page.waitForURL('**#/goals');
  });

  it('keeps what is chosen with Ctrl+K when better results come', async () => {
    const page = await paired();
    const { id } = await post<{ id: string }>(daemon, '/v1/goals', { title: 'Room for all' });
    const chosen = await holdAll(page, '**/v1/goals?*');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('room');
    const option = page.getByRole('option', { name: 'Go to Rooms' });
    await option.waitFor();
    await page.keyboard.press('ArrowDown');
    await option.and(page.locator('[aria-selected="true"]')).waitFor();
    chosen();
    await page.getByRole('option', { name: 'Room for all' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**#/rooms');
    await daemon.request(`/v1/goals/${id}`, { method: 'DELETE' });
  });

  it('finds a run with Ctrl+K by what is not shown of it: its whole id', async () => {
    const page = await paired();
    await page.keyboard.press('Control+k');
    await page.getByText(/results/).waitFor();
    await page.keyboard.type(run);
    await page.getByRole('option', { name: /Describe the invoice/ }).waitFor();
  });

  it('shows the page, and no dialog, to a tab that pairs again after More has forgotten its token', async () => {
    const page = await paired({ viewport: PHONE });
    await page.getByRole('button', { name: 'More' }).press('Enter');
    await page.getByRole('button', { name: 'Forget token' }).press('Enter');
    await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    expect(await page.locator('dialog[open]').count()).toBe(0);
  });

  it('loses no key that is pressed while the palette is loaded', async () => {
    const page = await opened(`${daemon.url}/web`);
    const typed = await holdAll(page, '**/scripts/palette-*.js');
    await page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
    await page.locator('.connection.live').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to golas');
    for (let back = 0; back < 3; back += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('als');
    await page.keyboard.press('Enter');
    typed();
    await page.waitForURL('**#/goals');
  });

  it('shows its shortcuts, and gives the focus back', async () => {
    const page = await paired();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('starts a run by keyboard', async () => {
    const page = await paired();
    // The answer with the default policy comes after the task is written.
    const typed = await holdAll(page, '**/approval-policy');
    await page.keyboard.press('c');
    await page.getByLabel('Task', { exact: true }).waitFor();
    await page.keyboard.type('Write keyboard.md with hello');
    typed();
    await page.getByRole('option', { name: /^As the daemon is set \(/ }).waitFor({ state: 'attached' });
    // The text is selected with the mouse, which is released outside of the dialog.
    const field = (await page.getByLabel('Task', { exact: true }).boundingBox())!;
    await page.mouse.move(field.x + field.width / 2, field.y + 10);
    await page.mouse.down();
    await page.mouse.move(1, 1);
    await page.mouse.up();
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/#\/runs\/[0-9a-f]{32}$/);
    const id = page.url().split('/').at(-1)!;
    const job = (await (await daemon.request(`/jobs/${id}`)).json()) as { task: string };
    expect(job.task).toBe('Write keyboard.md with hello');
  });
});

it('a new run that is started after its dialog was closed leaves the task that is written meanwhile', async () => {
  const page = await paired();
  const task = page.locator('textarea[name=task]');
  const slow = await hold(page, '**/agent');
  await page.keyboard.press('c');
  await task.fill('Write first.md');
  await task.press('Control+Enter');
  await page.locator('[type=submit][aria-busy=true]').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('c');
  await task.fill('Write second.md');
  await slow.release();
  await page.locator('.toast', { hasText: 'The run has started.' }).waitFor();
  expect([await task.inputValue(), new URL(page.url()).hash]).toEqual(['Write second.md', '']);
  await slow.end();
  await task.press('Control+Enter');
  await page.waitForURL(/#\/runs\/[0-9a-f]{32}$/);
});

it('words that are not sent are not lost by a reload without a question', async () => {
  const page = await paired();
  await openAt(page, 'goals?new=1');
  await page.getByLabel('Title').focus();
  await page.keyboard.type('Half a tit');
  await staysAtReload(page);
  expect(await page.getByLabel('Title').inputValue()).toBe('Half a tit');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const task = page.locator('textarea[name=task]');
  await page.keyboard.press('c');
  await task.waitFor();
  await page.keyboard.type('A task');
  await staysAtReload(page);
  await page.keyboard.press('Escape');
  await task.waitFor({ state: 'detached' });
  let questions = 0;
  page.on('dialog', (dialog) => {
    questions += 1;
    void dialog.accept();
  });
  await page.reload();
  await page.locator('.connection.live').first().waitFor();
  await page.keyboard.press('c');
  expect(await task.inputValue()).toBe('A task');
  expect(questions).toBe(0);
});

describe('a form in which something is written', () => {
  it('is closed by Escape, or a click outside of it, at the second attempt only', async () => {
    const page = await paired();
    const title = page.getByLabel('Title');
    const question = page.getByText('Close the form again to discard it.');
    const fresh = async (): Promise<void> => {
      await openAt(page, 'goals?new=1');
      await title.focus();
      expect(await title.inputValue()).toBe('');
    };
    await fresh();
    await page.keyboard.type('Half a tit');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.type('le');
    await question.waitFor({ state: 'detached' });
    await page.mouse.click(1, 1);
    await question.waitFor();
    expect(await title.inputValue()).toBe('Half a title');
    await page.mouse.click(1, 1);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await fresh();
    await page.keyboard.type('Another');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await fresh();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

it('motion is there for those who like it, and not for those who asked for less', async () => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const page = await paired({ reducedMotion });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    const moving = await page.evaluate(`getComputedStyle(document.querySelector('dialog')).animationName`);
    expect([reducedMotion, moving]).toEqual([reducedMotion, reducedMotion === 'reduce' ? 'none' : 'rise']);
  }
});

function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

describe('a hidden tab', () => {
  it('misses nothing, also when the log was empty', async () => {
    const empty = await daemonHere();
    const page = await opened(`${empty.url}/web#/goals`);
    await page.clock.install();
    await page.getByLabel('Bearer token').fill(empty.token);
    await page.keyboard.press('Enter');
    await page.locator('.connection.live').first().waitFor();
    await page.locator('.empty').waitFor();
    await hide(page, true);
    await page.clock.fastForward(61_000);
    await page.locator('.connection.paused').first().waitFor({ state: 'attached' });
    await post(empty, '/v1/goals', { title: 'Made meanwhile' });
    await hide(page, false);
    await page.getByText('Made meanwhile').waitFor();
  });

  it('that opens in the background releases its connection, and is live again when it is shown', async () => {
    const page = await paired();
    await page.addInitScript(() => {
      Object.defineProperty(document, 'hidden', { get: () => !('isShown' in globalThis) });
    });
    await page.clock.install();
    await page.reload();
    await page.locator('.connection.live').first().waitFor({ state: 'attached' });
    await page.clock.fastForward(61_000);
    await page.locator('.connection.paused').first().waitFor({ state: 'attached' });
    await page.evaluate(() => {
      Object.assign(globalThis, { isShown: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.locator('.connection.live').first().waitFor({ state: 'attached' });
  });
});

describe('a daemon that is killed and started again', () => {
  it('is found again by a page whose first attempts to pair fail', async () => {
    const flags = { port: await freePort() };
    const first = await childDaemon({ flags });
    const { page } = await openPaired(browser, first.url);
    const answers: (number | null)[] = [null, 503, 500];
    await page.route('**/pair', async (route) => {
      const status = answers.shift();
      if (status === null) await route.abort('connectionreset');
      else if (status !== undefined) await route.fulfill({ status, json: { error: 'Not ready.' } });
      else await route.continue();
    });
    await first.kill('SIGKILL');
    const second = await childDaemon({ home: first.home, flags });
    try {
      await page.locator('.connection.resumed, .connection.live').first().waitFor();
      await expect.poll(() => page.evaluate(`sessionStorage.getItem('daybook.token')`)).toBe(second.token);
      expect(answers).toEqual([]);
    } finally {
      await second.kill('SIGTERM');
      await page.context().close();
    }
  }, 60_000);

  it('is found again by the open page, which missed nothing', async () => {
    const flags = { port: await freePort() };
    const first = await childDaemon({ flags });
    const tab = await openPaired(browser, first.url);
    const { page } = tab;
    await first.kill('SIGKILL');
    await page
      .getByText(/Cut since/)
      .first()
      .waitFor();
    await goBy(page, 'o');
    await page.locator('.empty', { hasText: 'the daemon cannot be reached' }).waitFor();
    await page.keyboard.press('c');
    await page.locator('.toast', { hasText: 'the daemon cannot be reached' }).waitFor();
    const second = await childDaemon({ home: first.home, flags });
    onTestFinished(async () => void (await second.kill('SIGTERM')));
    await page.locator('.connection.resumed, .connection.live').first().waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { level: 1, name: 'Goals' }).waitFor();
    await page.goBack();
    expect(await page.evaluate(`sessionStorage.getItem('daybook.token')`)).toBe(second.token);
    const run = await startRun(second, { task: 'After the restart' });
    await ended(second, run);
    await page.locator('.now-row', { hasText: 'After the restart' }).getByText('complete').waitFor();
    await closeClean(tab);
  }, 120_000);

  it('fills a list whose first page could not be read, once it is back', async () => {
    const flags = { port: await freePort() };
    const first = await killableDaemon({ flags });
    const { page } = await openPaired(browser, first.url);
    await openAt(page, 'runs');
    await page.locator('.empty', { hasText: 'No run yet' }).waitFor();
    await openAt(page, 'now');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await first.kill('SIGKILL');
    await openAt(page, 'runs');
    await page.locator('.failure', { hasText: 'cannot be reached' }).waitFor();
    const second = await killableDaemon({ home: first.home, flags });
    await page.locator('.empty', { hasText: 'No run yet' }).waitFor();
    await page.context().close();
    await second.kill('SIGTERM');
  });

  it.each([
    ['shorter', 0],
    ['longer', 50],
  ])('is shown with its log after a restore from a backup, also if it is %s than before', async (_, goals) => {
    const flags = { port: await freePort() };
    const first = await killableDaemon({ flags, env: provider.env });
    await ended(first, await startRun(first, { task: 'Before the backup' }));
    await first.kill('SIGTERM');
    const backup = temporaryFolder('backup');
    cpSync(first.home, backup, { recursive: true });
    const second = await killableDaemon({ home: first.home, flags, env: provider.env });
    await ended(second, await startRun(second, { task: 'After the backup' }));
    const { page } = await openPaired(browser, second.url);
    await openAt(page, 'runs');
    await page.getByText('After the backup').waitFor();
    await second.kill('SIGTERM');
    // On another port, so that the page does not see the log grow.
    const restored = await killableDaemon({ home: backup });
    for (let goal = 0; goal < goals; goal += 1) await post(restored, '/v1/goals', { title: `Goal ${goal}` });
    await restored.kill('SIGTERM');
    const third = await killableDaemon({ home: backup, flags });
    await page.getByText('After the backup').waitFor({ state: 'detached' });
    await page.getByText('Before the backup').waitFor();
    await post(third, '/v1/goals', { title: 'Of the restored log' });
    await openAt(page, 'goals');
    await page.getByText('Of the restored log').waitFor();
    await page.context().close();
    await third.kill('SIGTERM');
  });
});
