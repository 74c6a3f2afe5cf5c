/** The view Runs by keyboard: ten thousand of them, one in every detail, and two compared. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyBundle } from '../../web/evidence/verify.js';
import { pdfText } from '../office/converter.ts';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { PHONE, WIDE } from './browser.ts';
import { begun, event, writeRuns } from './many-runs.ts';
import { ended, startRun } from './pages.ts';
import { ENDLESS, startProvider } from './provider.ts';
import { openAt, sharedConsole } from './shared-console.ts';

const RUNS = 10_000;
const provider = await startProvider();
let daemon: TestDaemon;
let page: Page;
/** A run with every kind of tool call. */
let run: string;

sharedConsole(
  async () => {
    const home = temporaryFolder('home');
    await writeRuns(home, RUNS);
    const started = await testDaemon({ home, env: provider.env });
    run = await startRun(started, { task: 'Describe the invoice import', approval: 'full-auto' });
    await ended(started, run);
    return started;
  },
  (shared) => {
    ({ daemon, page } = shared);
  },
);
afterAll(() => provider.close());

const open = (address: string): Promise<void> => openAt(page, address);

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

  it('lets the keyboard leave it at once after a row is chosen', async () => {
    await open('runs');
    const rows = page.locator('.virtual a');
    await rows.nth(1).waitFor();
    await page.keyboard.press('j');
    await page.locator('.virtual a:focus').waitFor();
    const place = (): Promise<string> =>
      page.evaluate(
        () =>
          new Promise((found) => {
            const press = (key: string): boolean =>
              document.activeElement!.dispatchEvent(
                new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
              );
            press('ArrowDown');
            const chosen = document.activeElement!.closest('li')!.dataset.index!;
            press('End');
            document.querySelector<HTMLElement>('.view-head button')!.focus();
            const frames = (left: number): unknown =>
              left === 0
                ? found(`${chosen} ${document.activeElement!.tagName}`)
                : requestAnimationFrame(() => frames(left - 1));
            frames(5);
          }),
      );
    expect(await place()).toBe('1 BUTTON');
  });

  it('searches, filters, and keeps both in its address', async () => {
    await open('runs');
    await page.locator('.virtual a').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('part 77');
    await page.waitForURL(/q=part\+77/);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Provider').selectOption('openai');
    await page.waitForURL(/q=part\+77.*status=failed.*provider=openai/);
    await page.getByText(/^\d+ runs$/).waitFor();
    // The reason of the failure stands behind the task.
    const shown = () =>
      page.locator('.runs-task').evaluateAll((found) => found.map(({ firstChild }) => firstChild?.textContent ?? ''));
    const tasks = await shown();
    expect(tasks.length).toBeGreaterThan(0);
    for (const task of tasks) expect(Number(task.split(' ').at(-1)) % 21).toBe(0);
    await page.reload();
    await page.locator('.virtual a').first().waitFor();
    expect(await shown()).toEqual(tasks);
  });

  it('is searched whole by the palette, however old a run is', async () => {
    await open('runs');
    await page.locator('.virtual a').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('.palette-field').waitFor();
    await page.keyboard.type('review 1005');
    await page.getByRole('option', { name: 'Review part 1005', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Review part 1005' }).waitFor();
  });

  it('says so when nothing is found', async () => {
    await open('runs?q=zzzzzz');
    await page.getByText('No run is like that').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).press('Enter');
    await page.locator('.virtual a').first().waitFor();
  });

  it('has no text in its search once the filters are cleared', async () => {
    await open('runs');
    await page.getByLabel('Search').fill('zzzzzz');
    await page.getByRole('link', { name: 'Clear the filters' }).press('Enter');
    await page.locator('.virtual a').first().waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  it('shows a filter of its address also when nothing of that name is known', async () => {
    await open('runs?goal=a-goal-that-was-deleted');
    await page.getByText('No run is like that').waitFor();
    expect(await page.getByLabel('Goal').inputValue()).toBe('a-goal-that-was-deleted');
    await page.getByLabel('Goal').selectOption('');
    await page.locator('.virtual a').first().waitFor();
  });

  it('shows on a phone the filters that have a value, and keeps one there while it is changed', async () => {
    await page.setViewportSize(PHONE);
    await open('runs?provider=openai');
    await page.locator('.virtual a').first().waitFor();
    const fields = page.locator('.runs-filters label');
    const shown = () => fields.locator('> span').filter({ visible: true }).allInnerTexts();
    await expect.poll(shown).toEqual(['Search', 'Status', 'Provider']);
    await page.getByLabel('Provider').focus();
    await page.getByLabel('Provider').selectOption('Any');
    await page.waitForURL(/#\/runs$/);
    expect(await shown()).toEqual(['Search', 'Status', 'Provider']);
    await page.getByLabel('Status').focus();
    expect(await shown()).toEqual(['Search', 'Status']);
    await page.setViewportSize(WIDE);
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

interface Recorded {
  readonly events: readonly object[];
}

/** What an item of the menu of the run saves. */
async function saved(name: RegExp): Promise<Download> {
  await open(`runs/${run}`);
  const item = page.getByRole('button', { name });
  await page.locator('.menu > summary').waitFor();
  if (!(await item.isVisible())) await page.locator('.menu > summary').press('Enter');
  const [download] = await Promise.all([page.waitForEvent('download'), item.press('Enter')]);
  return download;
}

describe('one run', () => {
  it('shows its conversation as text with form, and each call with its change and its exit code', async () => {
    await open(`runs/${run}`);
    await page.locator('.prose table').first().waitFor();
    const levels = await page.locator('.run :is(h1, h2, h3)').evaluateAll((all) => all.map(({ tagName }) => tagName));
    expect(levels.slice(0, 3)).toEqual(['H1', 'H2', 'H3']);
    await page.locator('.prose ol[start="3"]', { hasText: 'The order of the fields' }).waitFor();
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

  it('shows whole words of a wide table, each step that is left on its own line, and a sum of tokens of any size', async () => {
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const columns = Array.from({ length: 20 }, () => 'Amounts');
    const code = '```\nconst long = 1;\n```\n'.replace('long', 'l'.repeat(300));
    const task = `${line(columns)}\n${line(columns.map(() => '---'))}\n\n${code}`;
    const at = Date.now();
    const call = { call: 1, attempt: 0, provider: 'anthropic', model: 'm-1', request_hash: '', thinking_budget: null };
    const usage = { input_tokens: 149_389_867, output_tokens: 291 };
    const summary = 'So far.\n\nRemaining (2 of 3 steps not done):\n2. act\n3. check';
    const end = { reason: 'So far.', remaining_plan: ['act', 'check'], steps_completed: 1, steps_planned: 3, summary };
    const events = [
      ...begun({ task, provider: 'anthropic' }, at),
      event('ModelAsked', { at, data: call }),
      event('ModelAnswered', { at: at + 5_000_000, data: { call: 1, finish_reason: 'stop', usage } }),
      event('RunStopped', { at: at + 5_000_000, data: end }),
    ];
    const id = 'f'.repeat(32);
    await daemon.log.append([{ stream: `run-${id}`, expectedVersion: 'none', events }]);
    await open(`runs/${id}`);
    await page.getByText('Remaining (2 of 3 steps not done):').waitFor();
    expect(await page.locator('.entry-end .prose').innerText()).toContain('not done):\n2. act\n3. check');
    const heights = await page.locator('.entry-user th').evaluateAll((cells) => cells.map((cell) => cell.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(60);
    const isCut = (element: Element): boolean => element.scrollWidth > element.clientWidth;
    expect(await page.locator('.timeline-name').first().evaluate(isCut)).toBe(false);
    // A4 with margins of 1 cm.
    await page.setViewportSize({ width: 718, height: 900 });
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.prose-table', '.prose pre']) {
      expect([part, await page.locator(part).first().evaluate(isCut)]).toEqual([part, false]);
    }
    await page.emulateMedia({ media: null });
    await page.setViewportSize(WIDE);
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
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Fork from here…' }).isVisible()).toBe(false);
    // Bars are backgrounds, which browsers leave out of prints by default.
    const bar = page.locator('.timeline-bar').first();
    expect(await bar.evaluate((element) => getComputedStyle(element).printColorAdjust)).toBe('exact');
    await page.emulateMedia({ media: null });
    await page.getByRole('button', { name: 'Fork from here…' }).press('Enter');
    await page.getByLabel('What the new run is to do').fill('Go another way');
    await page.getByRole('button', { name: 'Fork', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Go another way' }).waitFor();
    await page.getByText('· forked from').waitFor();
    await page.getByText('Complete', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'compare with it' }).press('Enter');
    await page.getByRole('heading', { name: 'First difference' }).waitFor();
    await page.locator('.compare-differs').first().getByText('old_string is nowhere in notes.md.').waitFor();
  });

  it('follows the slider also while the browser takes no more addresses, which it does some hundred times only', async () => {
    await open(`runs/${run}`);
    const slider = page.getByRole('slider');
    await slider.waitFor();
    const ignores = 'history.replaceState = () => {}';
    const refuses = "history.replaceState = () => { throw new DOMException('Too many calls', 'SecurityError'); }";
    for (const [refusal, step] of [
      [ignores, 2],
      [refuses, 3],
    ] as const) {
      await page.evaluate(refusal);
      await slider.fill(String(step));
      await page.getByText(`This is the run as it was after step ${step}.`).waitFor();
      await page.evaluate('delete history.replaceState');
      await page.waitForURL(new RegExp(`step=${step}$`));
    }
  });

  it('is compared with a run that is found by the newest words, whichever answer comes first', async () => {
    const early = Promise.withResolvers<void>();
    await page.route(/\/jobs\?.*q=part/, async (route) => {
      await early.promise;
      await route.continue();
    });
    await open(`runs/${run}`);
    await page.getByRole('button', { name: 'Compare…' }).press('Enter');
    const choices = page.getByRole('dialog').locator('.runs-choice');
    const search = page.getByRole('searchbox');
    const asked = page.waitForRequest(/q=part/);
    await search.fill('part');
    await asked;
    await search.fill('no run has these words');
    await expect.poll(() => choices.allInnerTexts()).toEqual(['Nothing matches.']);
    const answered = page.waitForResponse(/q=part/);
    early.resolve();
    await (await answered).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    expect(await choices.allInnerTexts()).toEqual(['Nothing matches.']);
    await page.keyboard.press('Escape');
    await page.unroute(/\/jobs\?.*q=part/);
  });

  it('is forked from its last steps, also if its calls were rejected', async () => {
    const rejected = await startRun(daemon, { task: 'Look only', approval: 'read-only' });
    await ended(daemon, rejected);
    await open(`runs/${rejected}?step=3`);
    await page.getByText('after step 3 of 4').waitFor();
    await page.getByRole('button', { name: 'Fork from here…' }).press('Enter');
    await page.getByRole('button', { name: 'Fork', exact: true }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Look only (from step 3)' }).waitFor();
  });

  it('is started in another folder', async () => {
    const folder = temporaryFolder('other');
    await page.keyboard.press('c');
    await page.getByLabel('Folder').fill(folder);
    await page.getByLabel('Task', { exact: true }).fill('Look elsewhere');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { level: 1, name: 'Look elsewhere' }).waitFor();
    await page.locator('.run-facts').getByText(folder).waitFor();
  });

  it('is resumed with a further task, with its settings', async () => {
    const first = await startRun(daemon, { task: 'Look first', approval: 'read-only' });
    await ended(daemon, first);
    await open(`runs/${first}`);
    await page.getByRole('button', { name: 'Resume…' }).press('Enter');
    await page.getByLabel('What it is to do next').fill('Look again');
    await page.getByRole('button', { name: 'Resume', exact: true }).press('Enter');
    await page.locator('.entry-user', { hasText: 'Look again' }).waitFor();
    const events = await daemon.request(`/v1/events?stream=run-${first}&type=RunResumed`);
    expect(await events.json()).toMatchObject({
      events: [{ data: { request: { task: 'Look again', approval: 'read-only' } } }],
    });
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
    const [html, json] = [await saved(/^HTML$/), await saved(/^JSON$/)];
    expect(html.suggestedFilename()).toBe(`run-${run.slice(0, 12)}.html`);
    expect(readFileSync(await html.path(), 'utf8')).toContain('EDIFACT has no test at all.');
    expect(json.suggestedFilename()).toBe(`run-${run.slice(0, 12)}.json`);
    expect(JSON.parse(readFileSync(await json.path(), 'utf8'))).toMatchObject({ job: { session_id: run } });
  });

  it('is saved with all its events, and forked after its step, also before its events are read', async () => {
    const read = Promise.withResolvers<void>();
    const ofRun = /\/v1\/events\?.*stream=run-/;
    await page.route(ofRun, (route) => read.promise.then(() => route.continue()));
    await open(`runs/${run}?step=2`);
    await page.reload();
    await page.getByRole('button', { name: 'Fork…' }).press('Enter');
    expect(await page.getByRole('button', { name: 'Fork', exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.locator('.menu > summary').press('Enter');
    const download = page.waitForEvent('download');
    const json = page.getByRole('button', { name: /^JSON$/ });
    await json.press('Enter');
    await json.and(page.locator('[aria-busy="true"]')).waitFor();
    read.resolve();
    const recorded = (await (await daemon.request(`/v1/events?stream=run-${run}&limit=1000`)).json()) as Recorded;
    expect(JSON.parse(readFileSync(await (await download).path(), 'utf8'))).toMatchObject({ events: recorded.events });
    await page.getByRole('button', { name: 'Fork…' }).press('Enter');
    expect(await page.getByRole('dialog').getByLabel('After step').inputValue()).toBe('2');
    await page.keyboard.press('Escape');
    await page.unroute(ofRun);
  });

  it('is saved as an evidence bundle, which anybody can check', async () => {
    const report = await verifyBundle(readFileSync(await (await saved(/^Save the evidence bundle/)).path()));
    expect(report).toMatchObject({ ok: true, subject: { kind: 'run', id: run } });
  });

  it('is saved as PDF', async () => {
    const pdf = await (await daemon.request(`/jobs/${run}/export.pdf`)).arrayBuffer();
    expect(readFileSync(await (await saved(/^PDF$/)).path()).equals(Buffer.from(pdf))).toBe(true);
  });

  it('is printed whole: also what its calls said, and no button', async () => {
    await open(`runs/${run}`);
    await page.locator('.entry-call').first().waitFor();
    const pdf = join(temporaryFolder('pdf'), 'run.pdf');
    await page.pdf({ path: pdf });
    const text = pdfText(pdf);
    expect(text).toContain('EDIFACT (no tests)');
    expect(text).toContain('exit code 1');
    expect(text).not.toContain('Check replay');
    expect(await page.locator('.diff').count()).toBe(0);
  });

  it('is followed while it runs, and cancelled after a question that says what is lost', async () => {
    const id = await startRun(daemon, { task: `Follow me, ${ENDLESS}`, approval: 'full-auto' });
    await open(`runs/${id}`);
    await page.getByText('EDIFACT has no test at all.').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByText('A cancelled run goes on only when it is resumed').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the run' }).press('Enter');
    await page.locator('.entry-end').getByText('Cancelled').waitFor();
    await page.locator('.view-head').getByText('cancelled').waitFor();
  });

  it('is heard as each answer is whole, with its calls, requests and end, and not word by word', async () => {
    const asking = await startRun(daemon, { task: 'Tell it aloud', approval: 'suggest', interactive: true });
    await open(`runs/${asking}`);
    await page.locator('.entry-approval').waitFor();
    const heard = await page.evaluateHandle(() => {
      const texts: (string | null)[] = [];
      new MutationObserver((records) => {
        for (const { target, addedNodes } of records) {
          const region = target instanceof Element ? target.closest('[role="log"]') : null;
          if (region === null || region.getAttribute('aria-live') === 'off') continue;
          texts.push(...[...addedNodes].map(({ textContent }) => textContent));
        }
      }).observe(document.body, { childList: true, subtree: true });
      return texts;
    });
    for (const index of [0, 1, 2]) {
      await page.locator('.entry-approval').nth(index).waitFor();
      const response = await daemon.request(`/approvals?status=pending&session_id=${asking}`);
      const { approvals } = (await response.json()) as { approvals: { id: string }[] };
      await post(daemon, `/approvals/${approvals[0]!.id}`, { decision: 'allow_once' });
    }
    await page.locator('.entry-end').waitFor();
    expect(await page.locator('.entry-call .badge', { hasText: 'running' }).count()).toBe(0);
    expect(await page.locator('.entry-approval .badge', { hasText: 'waiting' }).count()).toBe(0);
    const waits = 'This run waits for your answer.';
    const texts = await heard.evaluate((found) => found);
    expect(texts.with(-2, texts.at(-2)!.slice(0, 50))).toEqual([
      ...['Step 2 write_file: ok', 'One line is wrong: I mend it.', `Approval for edit_file. ${waits}`],
      ...['Step 3 edit_file: ok', 'A check of the result.', `Approval for bash. ${waits}`],
      ...['Step 4 bash: failed', 'What I found\n\nThe import reads  three formats . Tw', 'Complete'],
    ]);
  });

  it('that is not there says so', async () => {
    await open('runs/nowhere');
    await page.getByText('There is no such run').waitFor();
    await open(`runs/${run}/compare/nowhere`);
    await page.locator('.note', { hasText: 'nowhere' }).waitFor();
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor();
  });
});
