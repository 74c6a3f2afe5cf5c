/** A Chromium for tests of the console: pages that are paired with a daemon, and the messages of their consoles. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Chromium without windows, address field and devices: a page costs a fourth less CPU. */
const SHELL = '/usr/bin/chromium-headless-shell';
const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Chromium makes a renderer for the popups of each window's address field, which takes more CPU than most pages. The rest is
 * what Playwright switches off and tests could meet: this switch takes the place of its own.
 */
const FEATURES_OFF = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['Translate', 'HttpsUpgrades', 'PaintHolding', 'MediaRouter', 'OptimizationHints', 'GlobalMediaControls'],
];

/** Starts a whole Chromium, which has a microphone. `more` are further switches of it. */
export function launch(more: readonly string[] = []): Promise<Browser> {
  return launchOneOf(WHOLE, more);
}

function launchOneOf(places: readonly string[], more: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? places.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('These tests need Chromium: apt-get install chromium, or set CHROMIUM.');
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      `--disable-features=${FEATURES_OFF.join(',')}`,
      ...more,
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** One browser for all test files of this process, which ends with it. A file closes its tabs by `closeTabs`. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchOneOf([SHELL, ...WHOLE]);
  return shared;
}

export async function closeTabs(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

export interface Tab {
  readonly page: Page;
  /** Warnings and errors on the page's console, uncaught errors, and refusals of the content security policy. */
  readonly complaints: readonly string[];
  /** Addresses that the page asked for outside of the daemon. */
  readonly outside: readonly string[];
}

/** Closes a tab on which nothing was wrong and which asked for nothing outside of the daemon. */
export async function closeClean({ page, complaints, outside }: Tab): Promise<void> {
  assert.deepEqual({ complaints, outside }, { complaints: [], outside: [] });
  await page.context().close();
}

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/**
 * What Chromium says of a daemon that is away, or that was restarted and does not know the token any more: of a request,
 * and of a socket. The page shows that itself.
 */
const EXPECTED = /Failed to load resource|ERR_CONNECTION|net::ERR|failed: HTTP Authentication failed/;

/**
 * No request goes there. Chromium begins to intercept requests a moment after the first route of a tab is set, and on a busy
 * machine one of eight requests that follow at once is missed. A tab with this route intercepts from the beginning.
 */
const UNUSED = '**/none-has-this-address';

export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  await context.route(UNUSED, (route) => route.continue());
  const page = await context.newPage();
  const complaints: string[] = [];
  const outside: string[] = [];
  const complain = (words: string): void => {
    if (!EXPECTED.test(words)) complaints.push(words);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complain(message.text());
  });
  page.on('pageerror', (error) => complain(String(error.stack)));
  page.on('request', (request) => {
    const to = request.url();
    if (!to.startsWith(new URL(url).origin) && !/^(?:data|blob):/.test(to)) outside.push(to);
  });
  await page.goto(url);
  return { page, complaints, outside };
}

export interface PairedOptions extends BrowserContextOptions {
  /** The query of the page's address, such as `?dir=rtl`. */
  readonly query?: string;
}

/** A tab that has paired with the daemon at the address, as a person on this machine does. */
export async function openPaired(
  browser: Browser,
  url: string,
  { query = '', ...options }: PairedOptions = {},
): Promise<Tab> {
  const tab = await openTab(browser, `${url}/web${query}`, options);
  await tab.page.getByRole('button', { name: 'Pair with this daemon' }).press('Enter');
  await tab.page.locator('.connection.live').first().waitFor({ state: 'attached' });
  return tab;
}
