/** The view Goals by keyboard: the tree, and all actions on a goal. */
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Goal } from '../../src/client/generated/types.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { ended } from './pages.ts';
import { startProvider } from './provider.ts';
import { hold, holdAnswer, holdNext, openAt, sharedConsole } from './shared-console.ts';

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

const open = (address: string): Promise<void> => openAt(page, address);

async function goals(): Promise<readonly Goal[]> {
  return ((await (await daemon.request('/v1/goals?limit=0')).json()) as { goals: readonly Goal[] }).goals;
}

/** A goal of its own, opened in the page. */
async function opened(title: string, body: object = {}): Promise<string> {
  const { id } = await post<Goal>(daemon, '/v1/goals', { title, ...body });
  await open(`goals/${id}`);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  return id;
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const item = (title: string) => page.getByRole('treeitem', { name: title });
const toast = (words: string) => page.locator('.toast', { hasText: words }).last().waitFor();

it('a goal that is not there is said to be missing, also where there is no goal at all', async () => {
  await open('goals/none');
  await page.getByRole('heading', { level: 1, name: 'There is no such goal' }).waitFor();
});

describe('the tree', () => {
  it('says what to do first; a goal and one below it are made by keyboard', async () => {
    await open('goals');
    await page.getByText('No goal yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Title').waitFor();
    await page.keyboard.type('Ship the import');
    // The form stays when the first goal comes behind it.
    const { id: other } = await post<Goal>(daemon, '/v1/goals', { title: 'Of somebody else' });
    await page.locator('.goals-item', { hasText: 'Of somebody else' }).waitFor();
    await daemon.request(`/v1/goals/${other}`, { method: 'DELETE' });
    await page.getByLabel('Criteria of success').fill('No error\nNo loss');
    await button('Create').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Ship the import' }).waitFor();
    await page.locator('.menu > summary').press('Enter');
    await button('New goal below…').press('Enter');
    await page.getByLabel('Title').fill('Read CSV');
    await page.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Read CSV' }).waitFor();
    const [child, parent] = await goals();
    expect(child).toMatchObject({ title: 'Read CSV', parent_goal_id: parent!.id });
    expect(parent!.success_criteria).toEqual(['No error', 'No loss']);
    const set = async (status: string): Promise<void> => {
      for (const { id } of [child!, parent!]) {
        await daemon.request(`/v1/goals/${id}`, { method: 'PATCH', body: JSON.stringify({ status }) });
      }
    };
    await set('done');
    await open('goals');
    await page.getByText('All goals are done or abandoned').waitFor();
    await set('active');
    await item('Read CSV').waitFor();
  });

  it('takes a title after another that the daemon refused; the refusal stands at the title', async () => {
    await open('goals?new=1');
    const title = page.getByLabel('Title');
    await title.fill('   ');
    await button('Create').press('Enter');
    await page.locator('input[name="title"][aria-invalid="true"]:focus').waitFor();
    const faultId = await title.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${faultId}"]`).innerText()).toBe('Must not be blank.');
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
    await title.fill('Read CSV');
    await button('Create').press('Enter');
    // A refusal that names no field stands at the foot of the form.
    await page.getByRole('alert').getByText('A goal with this title exists already').waitFor();
    expect(await title.getAttribute('aria-invalid')).toBe('false');
    await title.fill('Read the dates');
    await button('Create').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Read the dates' }).waitFor();
    await daemon.request(`/v1/goals/${page.url().split('/').at(-1)}`, { method: 'DELETE' });
  });

  it('tells a refusal that comes after the form was closed, and leaves the next form as it is', async () => {
    await open('goals');
    await page.getByRole('heading', { level: 1, name: 'Goals' }).waitFor();
    await page.keyboard.press('n');
    const title = page.getByLabel('Title');
    await title.fill('Read CSV');
    const slow = await hold(page, '**/v1/goals');
    await title.press('Enter');
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await title.fill('Read the times');
    await slow.release();
    await page.locator('.toast', { hasText: 'A goal with this title exists already' }).waitFor();
    await slow.end();
    expect(await title.inputValue()).toBe('Read the times');
    await title.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Read the times' }).waitFor();
    const id = page.url().split('/').at(-1);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Goals' }).waitFor();
    expect(await page.locator('dialog[open]').count()).toBe(0);
    await daemon.request(`/v1/goals/${id}`, { method: 'DELETE' });
  });

  it('is walked with the arrow keys, opened and closed; progress follows from the goals below', async () => {
    const all = await goals();
    const parent = all.find(({ title }) => title === 'Ship the import')!;
    await post(daemon, '/v1/goals', { title: 'Read XML', parent_goal_id: parent.id });
    const csv = all.find(({ title }) => title === 'Read CSV')!;
    await daemon.request(`/v1/goals/${csv.id}`, { method: 'PATCH', body: '{"status":"done"}' });
    await open('goals');
    await item('Read CSV').waitFor({ state: 'detached' });
    await item('Ship the import').getByText('50%').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowLeft');
    await item('Read XML').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=treeitem]:focus', { hasText: 'Read XML' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Read XML' }).waitFor();
    await page.getByLabel('With done and abandoned ones').press('Space');
    await item('Read CSV').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('csv');
    await item('Read CSV').waitFor();
    await page.waitForURL(/q=csv/);
    await page.keyboard.press('ArrowDown');
    await page.locator('[role=treeitem]:focus').waitFor();
    // One letter, and two characters that are shown as it.
    await post(daemon, '/v1/goals', { title: 'Cafe\u0301' });
    await open('goals?q=caf\u00e9');
    await item('Cafe\u0301').waitFor();
  });

  it('that is longer than the window scrolls beside the goal, and shows the chosen one', async () => {
    const before = page.viewportSize()!;
    await page.setViewportSize({ ...before, height: 500 });
    const ids: string[] = [];
    for (let made = 0; made < 12; made += 1) {
      ids.push((await post<Goal>(daemon, '/v1/goals', { title: `Long list ${made}: ${'words '.repeat(15)}` })).id);
    }
    await open(`goals/${ids[0]}`);
    await page.getByRole('heading', { level: 1, name: 'Long list 0' }).waitFor();
    // The newest is the first. Those that come later would move the others.
    await item('Long list 11:').waitFor();
    const chosen = page.locator('.goals-item[aria-selected="true"]');
    const isSeen = async (): Promise<boolean> => {
      const box = (await chosen.boundingBox())!;
      return box.y >= 0 && box.y + box.height <= 500;
    };
    await expect.poll(isSeen).toBe(true);
    const scrolled = () => page.evaluate(`document.querySelector('.goals-tree').scrollTop`);
    const top = await scrolled();
    await item('Long list 1:').click();
    await page.getByRole('heading', { level: 1, name: 'Long list 1' }).waitFor();
    expect([await isSeen(), await scrolled()]).toEqual([true, top]);
    await page.setViewportSize(before);
    for (const id of ids) await daemon.request(`/v1/goals/${id}`, { method: 'DELETE' });
  });
});

describe('one goal', () => {
  it('is saved as an evidence bundle, which anybody can check', async () => {
    const id = await opened('With a bundle');
    await page.locator('.menu > summary').press('Enter');
    const download = page.waitForEvent('download');
    await button(/^Save the evidence bundle/).press('Enter');
    const report = await verifyBundle(readFileSync(await (await download).path()));
    expect(report).toMatchObject({ ok: true, subject: { kind: 'goal', id } });
  });

  it('is edited; when somebody else changes it meanwhile, both are shown', async () => {
    const id = await opened('Edited by two');
    await page.keyboard.press('e');
    await page.getByLabel('What is to be so').fill('My statement');
    const body = JSON.stringify({ statement: 'Their statement' });
    await daemon.request(`/v1/goals/${id}`, { method: 'PATCH', body });
    await page.getByRole('alert').getByText('Their statement').waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    await button('Save mine all the same').press('Enter');
    await button('Save').press('Enter');
    await page.locator('.goals-statement', { hasText: 'My statement' }).waitFor();
  });

  it('is edited without a conflict with its own change, also when the answer comes after the event', async () => {
    const id = await opened('Edited by one');
    const answer = await holdAnswer(page, `**/v1/goals/${id}`, 'Edited and shown');
    await button('Edit…').press('Enter');
    await page.getByLabel('Title').fill('Edited and shown');
    await button('Save').press('Enter');
    await answer.isShown;
    expect(await page.locator('.goals-conflict').count()).toBe(0);
    answer.release();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('is pinned and let go', async () => {
    const id = await opened('Pinned');
    const pinned = async (): Promise<unknown> =>
      ((await (await daemon.request('/v1/goals/current')).json()) as { goal_id: string | null }).goal_id;
    await page.locator('.menu > summary').press('Enter');
    await button(/^Pin/).press('Enter');
    await item('Pinned').getByText('pinned', { exact: true }).waitFor();
    await expect.poll(pinned).toBe(id);
    // A button that is busy takes no click.
    await button(/^Unpin/)
      .and(page.locator('[aria-busy="false"]'))
      .press('Enter');
    await item('Pinned').getByText('pinned', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(pinned).toBe(null);
  });

  it('starts a run, which is linked; a recap tells what has come of it', async () => {
    const id = await opened('With a run');
    await page.keyboard.press('s');
    await page.getByLabel('What it is to do').fill('Describe the invoice import');
    await button('Start').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Describe the invoice import' }).waitFor();
    const run = new URL(page.url()).hash.split('/').at(-1)!;
    await ended(daemon, run);
    await open(`goals/${id}`);
    await page.getByRole('link', { name: 'Describe the invoice import' }).waitFor();
    await button('Recap').press('Enter');
    await page.getByRole('dialog').getByText('by rules, from the recorded runs').waitFor();
    await page.keyboard.press('Escape');
    const early = Promise.withResolvers<void>();
    const fail = (route: Route) => early.promise.then(() => route.fulfill({ status: 500, json: { error: 'No.' } }));
    await page.route('**/recap', fail, { times: 1 });
    const asked = page.waitForRequest('**/recap');
    await button('Recap').press('Enter');
    await asked;
    await page.keyboard.press('Escape');
    await button('Recap').press('Enter');
    await page.getByRole('dialog').getByText('by rules, from the recorded runs').waitFor();
    const failed = page.waitForResponse('**/recap');
    early.resolve();
    await (await failed).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    expect(await page.getByRole('dialog').getByText('by rules, from the recorded runs').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('.menu > summary').press('Enter');
    await button('Link…').press('Enter');
    await page.getByLabel('Kind').selectOption('note');
    await page.getByLabel('Its id').fill('See the minutes');
    await page.getByLabel('Its id').press('Enter');
    await toast('Linked.');
    await page.locator('.goals-links', { hasText: 'See the minutes' }).waitFor();
  });

  it('has the marks of its criteria in their card, whatever their direction', async () => {
    await opened('In two scripts', { success_criteria: ['بلا خطأ', 'No error'] });
    const margins = await page.locator('.goals-criteria').evaluate((list) => {
      const { left, right } = list.getBoundingClientRect();
      const lines = [...list.children].map((line) => line.getBoundingClientRect());
      return [right - lines[0]!.right, lines[1]!.left - left];
    });
    expect(Math.min(...margins)).toBeGreaterThan(15);
  });

  it('is planned by a model, and shows its steps and risks', async () => {
    await opened('Planned');
    await page.keyboard.press('p');
    await button('Plan').press('Enter');
    await page.locator('.goals-steps > li', { hasText: 'Write a test for EDIFACT' }).getByText('to do').waitFor();
    await page.getByText('0 of 3 steps done').waitFor();
    await page.getByText('No sample of EDIFACT is at hand.').waitFor();
    await item('Planned').getByText('0%').waitFor();
    await button('Plan…').press('Enter');
    await page.getByRole('dialog').getByText('The present plan is replaced').waitFor();
    await page.keyboard.press('Escape');
  });

  it('is deleted after its losses are named', async () => {
    const id = await opened('Deleted');
    await post(daemon, '/v1/goals', { title: 'Left alone', parent_goal_id: id });
    await item('Left alone').waitFor();
    await page.locator('.menu > summary').press('Enter');
    await button('Delete…').press('Enter');
    await page.getByText('1 goal below it stays').waitFor();
    await button('Delete for good').press('Enter');
    await item('Deleted').waitFor({ state: 'detached' });
    await item('Left alone').waitFor();
    expect((await daemon.request(`/v1/goals/${id}`)).status).toBe(404);
  });

  it('is deleted while the user goes on elsewhere, and leaves the user there', async () => {
    await opened('Deleted late');
    await page.locator('.menu > summary').press('Enter');
    await button('Delete…').press('Enter');
    const answer = await holdNext(page, '**/v1/goals/*');
    await button('Delete for good').press('Enter');
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await open('rooms');
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await answer();
    expect(page.url()).toMatch(/#\/rooms$/);
  });

  it('is let go also when it is not among the goals that changed last', async () => {
    const { id } = await post<Goal>(daemon, '/v1/goals', { title: 'Pinned long ago' });
    await daemon.request('/v1/goals/current', { method: 'PUT', body: JSON.stringify({ goal_id: id }) });
    for (let number = 1; number <= 26; number += 1) await post(daemon, '/v1/goals', { title: `Later ${number}` });
    await open(`goals/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Pinned long ago' }).waitFor();
    await page.locator('.menu > summary').press('Enter');
    await button(/^Unpin/).press('Enter');
    await button(/^Pin/).waitFor();
    const { goal_id } = (await (await daemon.request('/v1/goals/current')).json()) as { goal_id: string | null };
    expect(goal_id).toBe(null);
  });
});
