/**
 * Each page of the console in both themes, from right to left, with more contrast, and on a phone; and the findings of
 * axe.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { IS_LONG } from '../support/depth.ts';
import { violations } from './axe.ts';
import { closeClean, closeTabs, openPaired, PHONE, sharedBrowser, WIDE } from './browser.ts';
import { closePage, type Filled, fill, openPage, PAGES } from './pages.ts';
import { startProvider } from './provider.ts';
import { START_MS_MAX } from './shared-console.ts';

const provider = await startProvider();
const daemon = sharedDaemon({ env: provider.env });
let browser: Browser;
let filled: Filled;

beforeAll(async () => {
  browser = await sharedBrowser();
  filled = await fill(daemon);
}, START_MS_MAX);
afterAll(async () => {
  await closeTabs(browser);
  provider.close();
});

/** Each look at one width, of which each layout and each set of colours is seen; at both with DAYBOOK_LONG=1. */
const byWidth = (width: typeof WIDE): readonly (typeof WIDE)[] => (IS_LONG ? [WIDE, PHONE] : [width]);

describe.each([
  ['light', byWidth(WIDE)],
  ['dark', byWidth(PHONE)],
] as const)('in %s colours', (colorScheme, viewports) => {
  it('no page has a serious fault of accessibility, and none is wider than its window', async () => {
    for (const viewport of viewports) {
      const tab = await openPaired(browser, daemon.url, { viewport, colorScheme });
      for (const each of PAGES) {
        await openPage(tab.page, each, filled);
        const [page, window] = (await tab.page.evaluate(
          '[document.documentElement.scrollWidth, innerWidth]',
        )) as number[];
        expect([each.name, page! <= window!]).toEqual([each.name, true]);
        expect([each.name, viewport.width, await violations(tab.page)]).toEqual([each.name, viewport.width, []]);
        await closePage(tab.page, each);
      }
      await closeClean(tab);
    }
  }, 120_000);

  it('a page of another time shows the last one, with enough contrast, until it is read or its reading fails', async () => {
    const { page, complaints, outside } = await openPaired(browser, daemon.url, { viewport: WIDE, colorScheme });
    await openPage(page, PAGES.find(({ name }) => name === 'engagement')!, filled);
    const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>();
    await page.route(`**/engagements/${filled.engagement}/**`, (route) => isSeen.then(() => route.abort()));
    await page.evaluate((at) => {
      location.hash += `?at=${at}`;
    }, filled.before);
    await page.locator('.pending .engagement-row').first().waitFor();
    expect(await violations(page)).toEqual([]);
    seen();
    await page.locator('.failure').first().waitFor();
    expect(await page.locator('.engagement-row').count()).toBe(0);
    expect(await page.getByText('You see this engagement as it was').isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    expect(complaints.filter((each) => !each.includes('ERR_FAILED'))).toEqual([]);
    expect(outside).toEqual([]);
    await page.context().close();
  });
});

/** Of the pages that people use most, on a phone too. */
const USED_MOST = ['now', 'runs', 'run', 'engagement', 'goal', 'talk'];
const LOOKED_AT = PAGES.filter(({ name }) => USED_MOST.includes(name));

describe.each([
  ['from right to left', byWidth(PHONE), { query: '?dir=rtl' }],
  ['in forced colours', byWidth(WIDE), { forcedColors: 'active' }],
  ['with more contrast', byWidth(PHONE), { contrast: 'more' }],
] as const)('laid out %s', (_name, viewports, look) => {
  it('no page is wider than its window, and each control is in it', async () => {
    for (const viewport of viewports) {
      const tab = await openPaired(browser, daemon.url, { viewport, ...look });
      for (const each of LOOKED_AT) {
        await openPage(tab.page, each, filled);
        const { width, outside } = (await tab.page.evaluate(OUTSIDE)) as { width: number; outside: string[] };
        expect([each.name, width]).toEqual([each.name, viewport.width]);
        expect([each.name, outside]).toEqual([each.name, []]);
        expect([each.name, await violations(tab.page)]).toEqual([each.name, []]);
        await closePage(tab.page, each);
      }
      await closeClean(tab);
    }
  }, 120_000);
});

it('in forced colours the facts are on their time line, and progress that has not begun has an edge', async () => {
  const tab = await openPaired(browser, daemon.url, { viewport: WIDE, forcedColors: 'active' });
  const style = (selector: string, name: 'backgroundColor' | 'borderTopWidth'): Promise<string> =>
    tab.page
      .locator(selector)
      .first()
      .evaluate((element, property) => getComputedStyle(element)[property], name);
  await openPage(tab.page, PAGES.find(({ name }) => name === 'memory-facts')!, filled);
  const behind = await style('.memory-facts', 'backgroundColor');
  for (const span of ['.memory-open', '.memory-span:not(.memory-open)']) {
    expect(await style(span, 'backgroundColor')).not.toBe(behind);
  }
  await openPage(tab.page, PAGES.find(({ name }) => name === 'engagements')!, filled);
  expect(await style('.progress', 'borderTopWidth')).toBe('1px');
  await closeClean(tab);
});

it('on paper, where backgrounds are left out, the colours are printed that say something', async () => {
  const tab = await openPaired(browser, daemon.url);
  await tab.page.emulateMedia({ media: 'print' });
  for (const [name, coloured] of [
    ['run', '.timeline-bar'],
    ['memory', '.memory-bar > *'],
    ['memory-facts', '.memory-span'],
    ['metrics', '.metrics-key'],
  ]) {
    await openPage(tab.page, PAGES.find((each) => each.name === name)!, filled);
    const adjust = tab.page.locator(coloured!).first();
    expect([name, await adjust.evaluate((element) => getComputedStyle(element).printColorAdjust)]).toEqual([
      name,
      'exact',
    ]);
  }
  await closeClean(tab);
});

it('Ctrl-K tells on a phone what it found apart, and its chosen line has enough contrast', async () => {
  const tab = await openPaired(browser, daemon.url, { viewport: PHONE });
  const { page } = tab;
  await openPage(page, PAGES.find(({ name }) => name === 'now')!, filled);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('harbour');
  const chosen = page.getByRole('option', { name: /^Harbour timetable/, selected: true });
  await chosen.getByText('draft').waitFor();
  expect(await violations(page)).toEqual([]);
  const isWhole = (name: Element): boolean => name.scrollWidth <= name.clientWidth;
  expect(await chosen.locator('.palette-name').evaluate(isWhole)).toBe(true);
  await closeClean(tab);
});

/** Runs in the page: its width, and the controls that stick out of the window. */
const OUTSIDE = `({
  width: document.documentElement.scrollWidth,
  outside: [...document.querySelectorAll('button, a, input, select, summary')]
    .filter((element) => element.checkVisibility() && !element.matches('.skip') && !element.closest('.tabs, .table, .well'))
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 1 && (left < -1 || right > innerWidth + 1);
    })
    .map((element) => element.textContent || element.outerHTML),
})`;

it('with larger text, as a user of the browser sets it, no row of a list and no node of a graph is cut off', async () => {
  const tab = await openPaired(browser, daemon.url, { viewport: PHONE });
  await tab.page.addInitScript(() => {
    const larger = new CSSStyleSheet();
    larger.replaceSync('html { font-size: 28px; }');
    document.adoptedStyleSheets = [larger];
  });
  await tab.page.reload();
  for (const each of PAGES.filter(({ name }) => ['runs', 'log', 'log-event'].includes(name))) {
    await openPage(tab.page, each, filled);
    const rows = tab.page.locator('.runs-row, .log-row, .log-node');
    expect(await rows.count()).toBeGreaterThan(2);
    const cut = await rows.evaluateAll((all) => {
      const isHigher = (row: Element, part: Element): boolean => {
        const [outer, inner] = [row.getBoundingClientRect(), part.getBoundingClientRect()];
        return part.checkVisibility() && (inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1);
      };
      return all.filter((row) => [...row.children].some((part) => isHigher(row, part))).map((row) => row.textContent);
    });
    expect([each.name, cut]).toEqual([each.name, []]);
  }
  await closeClean(tab);
});

it('enlarged to 400 % Ctrl-K shows how much it found', async () => {
  const tab = await openPaired(browser, daemon.url, { viewport: { width: 320, height: 256 } });
  await openPage(tab.page, PAGES.find(({ name }) => name === 'palette')!, filled);
  const [dialog, foot] = await Promise.all(
    ['.palette', '.palette-foot'].map((each) => tab.page.locator(each).boundingBox()),
  );
  expect(foot!.y + foot!.height).toBeLessThanOrEqual(dialog!.y + dialog!.height);
  await closeClean(tab);
});

it.each([
  [360, ''],
  [360, '?dir=rtl'],
  [500, ''],
])('a menu opens within a window of %i pixels, with the query %j', async (width, query) => {
  const tab = await openPaired(browser, daemon.url, { viewport: { ...PHONE, width }, query });
  for (const name of ['run', 'goal', 'engagement']) {
    await openPage(tab.page, PAGES.find((each) => each.name === name)!, filled);
    const menu = tab.page.locator('.view-head .menu');
    await menu.locator('> summary').press('Enter');
    await expect.poll(async () => isWithin(width, await menu.locator('.menu-items').boundingBox())).toBe(true);
    await tab.page.keyboard.press('Escape');
  }
  await closeClean(tab);
});

function isWithin(width: number, box: { readonly x: number; readonly width: number } | null): boolean {
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}

describe('a page from right to left', () => {
  it('begins at the right, with programs as they are written, and the texts of people in their own direction', async () => {
    const tab = await openPaired(browser, daemon.url, { query: '?dir=rtl' });
    const { page } = tab;
    await openPage(page, PAGES.find(({ name }) => name === 'run')!, filled);
    const [side, main] = await Promise.all([
      page.locator('.sidebar').boundingBox(),
      page.locator('.main').boundingBox(),
    ]);
    expect(side!.x).toBeGreaterThan(main!.x);
    const direction = (selector: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    expect(await direction('.diff')).toBe('ltr');
    expect(await direction('.view-head h1')).toBe('ltr');
    expect(await direction('.view-head')).toBe('rtl');
    for (const selector of ['.view-head h1', '.run-facts dd']) {
      const element = page.locator(selector).first();
      expect(await element.evaluate((each) => getComputedStyle(each).textAlign)).toBe('right');
    }
    const ordered = await page
      .locator('time')
      .first()
      .evaluate((element) => getComputedStyle(element).unicodeBidi);
    expect(ordered).toBe('plaintext');
    await closeClean(tab);
  });
});
