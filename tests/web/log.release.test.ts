/** The view Log by keyboard: thousands of events, live and in the past, one event with its graph, and its proof. */
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/client/generated/types.ts';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { writtenOn } from './keyboard.ts';
import { writeRuns } from './many-runs.ts';
import { ended, startRun } from './pages.ts';
import { startProvider } from './provider.ts';
import { openAt, sharedConsole } from './shared-console.ts';

const provider = await startProvider();
let daemon: TestDaemon;
let page: Page;
let run: string;
/** Positions of events of the run by type: the first of each. */
let first: Readonly<Record<string, number>>;

sharedConsole(
  async () => {
    const home = temporaryFolder('home');
    await writeRuns(home, 1_000);
    const started = await testDaemon({ home, env: provider.env });
    run = await startRun(started, { task: 'Describe the invoice import', approval: 'full-auto' });
    await ended(started, run);
    const answer = await started.request(`/v1/events?stream=run-${run}&limit=1000`);
    const { events } = (await answer.json()) as { events: readonly Envelope[] };
    first = Object.fromEntries(events.toReversed().map(({ type, position }) => [type, position]));
    return started;
  },
  (shared) => {
    ({ daemon, page } = shared);
  },
);
afterAll(() => provider.close());

const open = (address: string): Promise<void> => openAt(page, address);
const rows = () => page.locator('.log-row');
const title = async (count: number): Promise<void> =>
  void (await post(daemon, '/api/tasks', { title: `task ${count}` }));

describe('the list', () => {
  it('begins with the newest event, and walks back to the first of the log', async () => {
    await open('log');
    await rows().first().waitFor();
    await page.keyboard.press('j');
    while ((await page.locator('.virtual li').last().locator('.number').first().innerText()) !== '1') {
      await page.keyboard.press('End');
    }
    expect(await page.locator('.virtual li').count()).toBeLessThan(100);
  }, 60_000);

  it('is where it was after a look at one of its events', async () => {
    await open('log');
    await rows().first().waitFor();
    const scrolled = () => page.evaluate(`document.querySelector('.virtual')?.scrollTop`);
    // Further than the first page of events, so until the next one is loaded.
    await expect
      .poll(() => page.evaluate(() => document.querySelector('.virtual')!.scrollTo(0, 9_000)).then(scrolled))
      .toBe(9_000);
    await page.evaluate(() => document.querySelectorAll<HTMLElement>('.virtual a')[12]!.click());
    await page.locator('.log-graph').waitFor();
    await page.goBack();
    await expect.poll(scrolled).toBe(9_000);
  });

  it('takes new events in at the top; holds them while a person reads further down', async () => {
    await open('log?type=TaskCreated');
    await page.getByText('No event is like that').waitFor();
    await title(1);
    await rows().filter({ hasText: 'task 1' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
    await title(2);
    const show = page.getByRole('button', { name: 'Show 1 new' });
    await show.waitFor();
    expect(await rows().count()).toBe(1);
    await show.press('Enter');
    await rows().filter({ hasText: 'task 2' }).waitFor();
    await page.getByRole('button', { name: 'Following' }).waitFor();
  });

  it('filters by stream, type and correlation, and keeps them in its address', async () => {
    await open('log');
    await rows().first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(`run-${run}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/stream=run-/);
    await page.getByLabel('Type').fill('ToolStarted');
    await page.getByLabel('Type').press('Enter');
    await page.waitForURL(/type=ToolStarted/);
    await page.waitForFunction(() => document.querySelectorAll('.log-row').length === 4);
    await open(`log?correlation=${run}&type=RunBegun`);
    await page.waitForFunction(() => document.querySelectorAll('.log-row').length === 1);
    await open('log?to=2001-01-01T00:00');
    await page.getByText('No event is like that').waitFor();
  });

  it('has filters that can be written on at once', async () => {
    await open('log');
    await rows().first().waitFor();
    await page.getByLabel('Type').fill('Run');
    expect(await writtenOn(page.getByLabel('Type'), 'Begun')).toBe('RunBegun');
  });
});

describe('an event', () => {
  it('shows what it came from and led to, and each of them is opened from there', async () => {
    await open(`log/${first.ToolStarted}`);
    await page.getByRole('heading', { level: 1, name: 'ToolStarted' }).waitFor();
    await page.locator('.log-node[aria-current]', { hasText: 'ToolStarted' }).waitFor();
    const [causes, , effects] = await page.locator('.log-column').all();
    await causes!.getByText('ModelAnswered').waitFor();
    await causes!.getByText('RunRequested').waitFor();
    await effects!.locator('a', { hasText: 'ToolFinished' }).first().press('Enter');
    await page.getByRole('heading', { level: 1, name: 'ToolFinished' }).waitFor();
  });

  it('is copied, and the page says so, or that the browser does not allow it', async () => {
    await open(`log/${first.ToolStarted}`);
    await page.getByRole('heading', { level: 1, name: 'ToolStarted' }).waitFor();
    await page.context().grantPermissions(['clipboard-write']);
    const copy = page.getByRole('button', { name: 'Copy the event' });
    await copy.press('Enter');
    await page.locator('.toast.good', { hasText: 'Copied.' }).waitFor();
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }));
    await copy.press('Enter');
    await page.locator('.toast.bad', { hasText: 'The browser does not allow copying here' }).waitFor();
    await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'));
  });

  it('that began a run shows what its stream set off', async () => {
    await open(`log/${first.RunRequested}`);
    const effects = page.locator('.log-column').last();
    await effects.getByText('RunBegun').waitFor();
    await page.getByText('Nothing: this began it.').waitFor();
  });

  it('is proven by the browser, which finds a changed event and a rewritten log', async () => {
    await open(`log/${first.ToolFinished}`);
    await page.locator('.log-node[aria-current]', { hasText: 'ToolFinished' }).waitFor();
    await page.keyboard.press('p');
    await page.getByText(/Proven: event [\d,]+ is in the log of [\d,]+ events/).waitFor();
    await page.getByText('has seen no earlier log').waitFor();
    await title(3);
    await page.keyboard.press('p');
    await page.getByText(/is the beginning of this one/).waitFor();
    await page.getByText(/Proven: event/).waitFor();
    await page.evaluate(() => {
      const seen = JSON.parse(localStorage.getItem('daybook.log-head')!);
      localStorage.setItem('daybook.log-head', JSON.stringify({ ...seen, hash: '0'.repeat(64) }));
    });
    await page.keyboard.press('p');
    await page.getByText('Not proven.').waitFor();
    await page.getByText('the log was replaced or rewritten since').waitFor();
    await page.getByRole('button', { name: 'This browser trusts it from now on' }).press('Enter');
    await page.getByText(/Proven: event/).waitFor();
  });

  it('has no key for its proof where the browser makes no hashes', async () => {
    await page.evaluate(() => Object.defineProperty(crypto, 'subtle', { value: undefined, configurable: true }));
    await open(`log/${first.RunRequested}`);
    await page.getByText('A browser makes hashes only').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Next event of the log').waitFor();
    expect(await page.getByRole('dialog').getByText('Check the proof').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.evaluate(() => Reflect.deleteProperty(crypto, 'subtle'));
  });

  it('is walked from one to the next, and its stream is followed', async () => {
    await open(`log/${first.ToolStarted}`);
    await page.getByRole('heading', { level: 1, name: 'ToolStarted' }).waitFor();
    await page.keyboard.press('k');
    await page.waitForURL(new RegExp(`#/log/${first.ToolStarted! - 1}$`));
    await page.getByRole('link', { name: 'Follow this stream' }).press('Enter');
    await page.waitForURL(new RegExp(`stream=run-${run}`));
    await page.locator('.log-row', { hasText: 'RunEnded' }).or(rows().first()).first().waitFor();
  });

  it('that is not there says so', async () => {
    for (const position of ['99999999', 'abc']) {
      await open(`log/${position}`);
      await page.getByRole('heading', { level: 1, name: 'There is no such event' }).waitFor();
      await open('log');
      await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor();
    }
  });

  it('that is not there yet is shown when it is', async () => {
    const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
    await open(`log/${position + 1}`);
    await page.getByRole('heading', { level: 1, name: 'There is no such event' }).waitFor();
    await title(4);
    await page.getByRole('heading', { level: 1, name: 'TaskCreated' }).waitFor();
  });
});
