/**
 * One daemon, one browser and one paired tab for all tests of a file; after each test the tab must have no error
 * messages.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { closeTabs, openPaired, sharedBrowser, type Tab } from './browser.ts';

const START_MS_MAX = 120_000;
const STEP_MS_MAX = 20_000;

interface Served {
  readonly url: string;
  stop(): Promise<unknown>;
}

export interface SharedConsole<Daemon> {
  readonly daemon: Daemon;
  readonly page: Page;
}

/** `use` gets the daemon and the page before the first test. */
export function sharedConsole<Daemon extends Served>(
  start: () => Promise<Daemon>,
  use: (shared: SharedConsole<Daemon>) => unknown,
): void {
  let daemon: Daemon;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    daemon = await start();
    browser = await sharedBrowser();
    tab = await openPaired(browser, daemon.url);
    tab.page.setDefaultTimeout(STEP_MS_MAX);
    await use({ daemon, page: tab.page });
  }, START_MS_MAX);
  afterEach(() => {
    expect([tab.complaints, tab.outside]).toEqual([[], []]);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await daemon.stop();
  });
}

/** Goes to a page of the console by its address behind `#/`. */
export function openAt(page: Page, address: string): Promise<void> {
  return page.evaluate((to) => {
    location.hash = to;
  }, `#/${address}`);
}
