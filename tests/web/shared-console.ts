/**
 * One daemon, one browser and one paired tab for all tests of a file; after each test the tab must have no error
 * messages.
 */
import type { Browser, Page, Request, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { closeTabs, openPaired, sharedBrowser, type Tab } from './browser.ts';

export { openAt } from './pages.ts';

/** For what a file does before its first test: a busy machine needs a minute to fill a daemon and open a browser. */
export const START_MS_MAX = 120_000;
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

export interface Held {
  /** Waits for the next request, and lets it go. */
  release(): Promise<void>;
  /** Lets every request go from now on. */
  end(): Promise<void>;
}

/** Holds the requests to an address that change something, as a slow daemon does. */
export async function hold(page: Page, address: string): Promise<Held> {
  const held: Route[] = [];
  await page.route(address, (route) => {
    if (route.request().method() === 'GET') return route.continue();
    held.push(route);
    return undefined;
  });
  return {
    async release() {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      await held.shift()!.continue();
    },
    end: () => page.unroute(address),
  };
}

/**
 * Holds the next request to an address that changes something. The returned function lets it go, and resolves when the page
 * has had the time to show its answer.
 */
export async function holdNext(page: Page, address: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  let first: Request | undefined;
  const wait = async (route: Route): Promise<void> => {
    if (first === undefined && route.request().method() !== 'GET') {
      first = route.request();
      await held.promise;
    }
    await route.continue();
  };
  await page.route(address, wait);
  return async () => {
    await expect.poll(() => first).toBeDefined();
    const answered = page.waitForResponse((response) => response.request() === first);
    held.resolve();
    await (await answered).finished();
    await page.unroute(address, wait);
    await hasRendered(page);
  };
}

export interface HeldAnswer {
  /** Resolves when the page shows `words` of the change, which it read by another request, as after the event. */
  readonly isShown: Promise<void>;
  release(): void;
}

/** Holds the answer to the next request to an address, which the daemon has received. */
export async function holdAnswer(page: Page, address: string, words: string): Promise<HeldAnswer> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const wait = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await isReleased;
    await route.fulfill({ response });
  };
  await page.route(address, wait, { times: 1 });
  const read = page.waitForResponse(async (answer) => (await answer.text()).includes(words));
  return { isShown: read.then(() => hasRendered(page)), release };
}

/** Loses the answer to the next request to an address that changes something; the daemon does what it asks for. */
export function loseAnswer(page: Page, address: string): Promise<unknown> {
  let isLost = false;
  return page.route(address, async (route) => {
    if (isLost || route.request().method() === 'GET') return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
}

function hasRendered(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  });
}
