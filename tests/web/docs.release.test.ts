/** `/docs` in a real browser: it fits a phone and a desktop, and tries a route with the token of the tab. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { violations } from './axe.ts';
import { closeTabs, openTab, PHONE, sharedBrowser, WIDE } from './browser.ts';

const daemon = sharedDaemon();
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
}, 60_000);
afterAll(() => closeTabs(browser));

describe('/docs', () => {
  it('tries a route, and stops a stream, with the token of the tab; nothing leaves the daemon', async () => {
    const { page, complaints, outside } = await openTab(browser, `${daemon.url}/docs`);
    const part = (id: string) => page.locator(`article[id="${id}"] details.try`);
    const send = async (id: string): Promise<void> => {
      if (!(await part(id).evaluate((details) => (details as HTMLDetailsElement).open))) {
        await part(id).locator('summary').click();
      }
      await part(id).getByRole('button', { name: 'Send' }).click();
    };
    const status = (id: string) => part(id).getByRole('status');
    await send('goals.create');
    await status('goals.create').filter({ hasText: '401' }).waitFor();
    await page.getByLabel('Token of this tab').fill(daemon.token);
    await page.getByRole('button', { name: 'Use token' }).click();
    await send('goals.create');
    await status('goals.create').filter({ hasText: '201' }).waitFor();
    expect(await part('goals.create').locator('pre').textContent()).toContain('"title": "Accept empty lines"');
    await part('log.events').locator('summary').click();
    await part('log.events').getByLabel('after').fill('0');
    await send('log.events');
    await part('log.events').locator('pre').filter({ hasText: 'GoalCreated' }).waitFor();
    await part('log.events').getByRole('button', { name: 'Stop' }).click();
    await status('log.events').filter({ hasText: 'Stopped.' }).waitFor();
    expect([complaints, outside]).toEqual([[], []]);
    await page.context().close();
  });

  it.each([
    ['light', WIDE],
    ['dark', PHONE],
  ] as const)('fits its window, and axe finds nothing serious: %s', async (colorScheme, viewport) => {
    const { page, complaints } = await openTab(browser, `${daemon.url}/docs`, { colorScheme, viewport });
    // The whole page has ten thousand elements: one group of routes is like the others.
    await page.evaluate(
      "document.querySelectorAll('section').forEach((each) => each.querySelector('#goals') || each.remove())",
    );
    await page.evaluate("document.querySelectorAll('section details').forEach((each) => { each.open = true; })");
    const [width, window] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
    expect(width).toBeLessThanOrEqual(window);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
