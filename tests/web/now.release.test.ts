/** The view Now by keyboard: live runs, approvals with their answers, and concurrent changes by others. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Approval } from '../../src/client/generated/types.ts';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { PHONE, WIDE } from './browser.ts';
import { ended, startRun, staysAtReload } from './pages.ts';
import { ENDLESS, startProvider } from './provider.ts';
import { openAt, sharedConsole } from './shared-console.ts';

const provider = await startProvider();
let daemon: TestDaemon;
let page: Page;

sharedConsole(
  () => testDaemon({ env: provider.env }),
  (shared) => {
    ({ daemon, page } = shared);
  },
);
afterAll(() => provider.close());

/** A run whose tool waits for a person, and its approval. */
async function waitingRun(task: string): Promise<{ readonly run: string; newest(): Promise<Approval> }> {
  const run = await startRun(daemon, { task, approval: 'suggest', interactive: true });
  return {
    run,
    async newest() {
      const response = await daemon.request(`/approvals?session_id=${run}`);
      return ((await response.json()) as { approvals: Approval[] }).approvals.at(-1)!;
    },
  };
}

const card = (task: string) => page.locator('.approval', { hasText: task });

it('says what to do first when there is nothing', async () => {
  await page.getByText('No agent is at work').waitFor();
  await page.getByText('No goal in progress.').waitFor();
  await page.getByText('No engagement is open.').waitFor();
  await page.getByText('No briefing yet.').waitFor();
  await page.getByText('takes writes').waitFor();
  // A screen reader says what comes into a region that is in the page before.
  expect(await page.locator('.now-asked').getAttribute('aria-live')).toBe('polite');
});

it('shows the newest backup, and why the latest attempt failed', async () => {
  const backups = join(daemon.home, 'backups');
  const backUp = async (): Promise<void> => {
    const { id } = await post<{ id: string }>(daemon, '/v1/storage/operations', { kind: 'verified_backup' });
    await daemon.request(`/v1/storage/operations/${id}?wait=20000`);
    await page.reload();
  };
  await backUp();
  await page.locator('.facts > div', { hasText: 'Newest backup' }).waitFor();
  renameSync(backups, `${backups}.away`);
  writeFileSync(backups, 'not a folder');
  await backUp();
  await page.getByText('The latest backup failed: ').waitFor();
  rmSync(backups);
  renameSync(`${backups}.away`, backups);
  await backUp();
  await page.getByText('takes writes').waitFor();
  expect(await page.getByText('The latest backup failed: ').count()).toBe(0);
});

it('a run that somebody else starts appears with its growing text, and is cancelled', async () => {
  const run = await startRun(daemon, { task: `Tell me, ${ENDLESS}`, approval: 'full-auto' });
  const shown = page.locator('.now-run', { hasText: 'Tell me' });
  await shown.getByText('the model is answering').waitFor();
  await shown.getByText('See https://example.com/format').waitFor();
  await shown.getByRole('button', { name: /^Cancel/ }).press('Enter');
  await shown.waitFor({ state: 'detached' });
  const status = page.locator('.now-row', { hasText: 'Tell me' }).getByText('cancelled');
  await status.waitFor();
  await page.setViewportSize(PHONE);
  await status.waitFor();
  await page.setViewportSize(WIDE);
  const job = (await (await daemon.request(`/jobs/${run}`)).json()) as { status: string };
  expect(job.status).toBe('cancelled');
});

it('a run that waits for an approval says so in every view', async () => {
  const { run } = await waitingRun('Say it everywhere');
  const { id } = await post<{ readonly id: string }>(daemon, '/v1/goals', { title: 'Waits everywhere' });
  await post(daemon, `/v1/goals/${id}/link`, { kind: 'session', target_id: run });
  for (const [address, row] of [
    ['now', '.now-run'],
    ['runs', '.virtual li'],
    [`runs/${run}`, '.view-head'],
    [`goals/${id}`, '.goals-links li'],
  ] as const) {
    await openAt(page, address);
    await page.locator(row, { hasText: 'Say it everywhere' }).getByText('waits for you', { exact: true }).waitFor();
  }
  await post(daemon, `/jobs/${run}/cancel`, {});
  await openAt(page, 'now');
});

describe('an approval', () => {
  it('is allowed once', async () => {
    const { newest } = await waitingRun('Allow one');
    // The time that is left changes every second at last, which a screen reader does not say.
    expect(await card('Allow one').getByText('expires').getAttribute('aria-live')).toBe('off');
    await card('Allow one').getByRole('button', { name: 'Allow once' }).press('Enter');
    await page.getByText('Allowed.').first().waitFor();
    const response = await daemon.request('/approvals?status=allowed');
    const [allowed] = ((await response.json()) as { approvals: Approval[] }).approvals;
    expect(allowed).toMatchObject({ decision: 'allow_once' });
    // The next tool of the run asks again.
    await card('Allow one').getByText('edit_file').waitFor();
    expect(await card('Allow one').locator('.diff').innerText()).toMatch(
      /^−- EDIFACT\n+\+- EDIFACT \(no tests\)\n+\+- JSON/,
    );
    await card('Allow one').getByRole('button', { name: 'Allow for this run' }).press('Enter');
    await card('Allow one').getByText('bash').waitFor();
    expect(['pending', 'allowed']).toContain((await newest()).status);
  });

  it('is denied with a reason that the model reads', async () => {
    const { run } = await waitingRun('Deny me');
    await card('Deny me').getByRole('button', { name: 'Deny…' }).press('Enter');
    await page.keyboard.type('Use another file');
    await page.route('**/approvals/*', (route) => route.abort(), { times: 1 });
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'The daemon cannot be reached.' }).waitFor();
    const reason = page.getByLabel('Why not?');
    await staysAtReload(page);
    expect(await reason.inputValue()).toBe('Use another file');
    await reason.press('Enter');
    await page.getByText('Denied.').first().waitFor();
    const response = await daemon.request(`/approvals?session_id=${run}&status=denied`);
    expect(((await response.json()) as { approvals: Approval[] }).approvals).toMatchObject([
      { decision: 'deny', reason: 'Use another file' },
    ]);
  });

  it('that comes while an older answer is under way stays, with the reason that is being written', async () => {
    await waitingRun('Asked before');
    await card('Asked before').getByRole('button', { name: 'Allow once' }).waitFor();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const older = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      asked.resolve();
      await isWritten;
      await route.fulfill({ response });
    };
    await page.route('**/approvals?*', older, { times: 1 });
    await card('Asked before').getByRole('button', { name: 'Allow once' }).press('Enter');
    await asked.promise;
    await waitingRun('Asked meanwhile');
    await card('Asked meanwhile').getByRole('button', { name: 'Deny…' }).press('Enter');
    await page.keyboard.type('Not now');
    const answered = page.waitForResponse(/\/approvals\?/);
    written();
    await (await answered).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    expect(await page.getByLabel('Why not?').inputValue()).toBe('Not now');
    await page.keyboard.press('Enter');
    await page.getByText('Denied.').first().waitFor();
  });

  it('that somebody else answered in the same moment shows both answers', async () => {
    const { newest } = await waitingRun('Two people');
    await card('Two people').getByRole('button', { name: 'Allow once' }).waitFor();
    const { id } = await newest();
    await page.evaluate(
      async ([address, token]) => {
        const button = [...document.querySelectorAll<HTMLElement>('.approval')]
          .find((each) => each.textContent.includes('Two people'))!
          .querySelector<HTMLElement>('.button.primary')!;
        // The answer of the other person is in the log before this one is sent, and the page has not heard of it.
        await fetch(address!, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ decision: 'deny', reason: 'No' }),
        });
        button.click();
      },
      [`${daemon.url}/approvals/${id}`, daemon.token],
    );
    await page.getByText('You chose: allow once.').waitFor();
    await page.getByText(/The log has: .*was denied already/).waitFor();
    await page.getByRole('button', { name: 'Understood' }).press('Enter');
    await page.getByText('You chose: allow once.').waitFor({ state: 'detached' });
  });
});

it('goals, blockers and the newest briefing come by themselves', async () => {
  await post(daemon, '/v1/goals', { title: 'A goal of mine', statement: 's' });
  await page.getByRole('link', { name: 'A goal of mine' }).waitFor();
  await post(daemon, '/engagements', { name: 'Nordwind', client: 'N' });
  await page.getByText(/^\d+ blockers$/).waitFor();
  await page.getByRole('button', { name: 'Make one now' }).press('Enter');
  await page.getByRole('button', { name: 'Read it' }).press('Enter');
  await page.locator('.card .prose').getByText('Agent runs').waitFor();
});

it('an earlier briefing can still be read, also after a newer one', async () => {
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Newest briefing' }) });
  const [before] = ((await (await daemon.request('/briefing')).json()) as { history: { headline: string }[] }).history;
  const make = page.getByRole('button', { name: 'Make one now' });
  // A button that is busy with the one before takes no click.
  await make.and(page.locator('[aria-busy="false"]')).press('Enter');
  await card.getByText('Earlier briefings').press('Enter');
  const earlier = card.locator('details li').filter({ hasText: before!.headline });
  await earlier.getByRole('button', { name: 'Read it' }).press('Enter');
  await earlier.locator('.prose').getByText('Agent runs').waitFor();
});

it('a run that ends moves to the ended ones', async () => {
  const run = await startRun(daemon, { task: 'A whole run', approval: 'full-auto' });
  await ended(daemon, run);
  await page.locator('.now-row', { hasText: 'A whole run' }).getByText('complete').waitFor();
});

it('a run that is resumed is among the running ones only', async () => {
  const run = await startRun(daemon, { task: 'Begun once', approval: 'full-auto' });
  await ended(daemon, run);
  const endedRow = page.locator('.now-row', { hasText: 'Begun once' });
  await endedRow.waitFor();
  await post(daemon, '/agent', { resume_session_id: run, task: `Go on, ${ENDLESS}`, approval: 'full-auto' });
  await page.locator('.now-run', { hasText: 'Begun once' }).waitFor();
  await endedRow.waitFor({ state: 'detached' });
  await post(daemon, `/jobs/${run}/cancel`, {});
  await endedRow.getByText('cancelled').waitFor();
});

it('lists the goals and engagements that changed last, and leads to all of them', async () => {
  for (let made = 1; made <= 7; made += 1) {
    await post(daemon, '/v1/goals', { title: `Goal ${made}` });
    await post(daemon, '/engagements', { name: `Engagement ${made}` });
  }
  for (const [name, all] of [
    ['Goal', 'Goals'],
    ['Engagement', 'Engagements'],
  ] as const) {
    await openAt(page, 'now');
    await page.getByRole('link', { name: `${name} 7` }).waitFor();
    await page.getByRole('link', { name: `${name} 1` }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: `All ${all.toLowerCase()}` }).press('Enter');
    await page.getByRole('heading', { level: 1, name: all }).waitFor();
    await page.getByText(`${name} 1`, { exact: true }).waitFor();
  }
});
