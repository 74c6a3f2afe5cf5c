/** The view Engagements by keyboard: the board, an engagement, conflicts, past states, and documents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Deliverable, Gate } from '../../src/client/generated/types.ts';
import { verifyBundle } from '../../web/evidence/verify.js';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { WIDE } from './browser.ts';
import { staysAtReload } from './pages.ts';
import { hold, holdAnswer, holdNext, loseAnswer, openAt, sharedConsole } from './shared-console.ts';

const folder = temporaryFolder('client');
let daemon: TestDaemon;
let page: Page;

sharedConsole(
  async () => {
    mkdirSync(join(folder, 'docs'));
    mkdirSync(join(folder, 'Notes/2026'), { recursive: true });
    for (const name of ['Board', 'Steering']) writeFileSync(join(folder, `Notes/2026/${name} minutes.md`), `${name}\n`);
    writeFileSync(join(folder, 'docs/Roadmap.md'), '# Roadmap\n');
    writeFileSync(join(folder, 'docs/risk-register.md'), '# Risks\n');
    const started = await testDaemon();
    return started;
  },
  (shared) => {
    ({ daemon, page } = shared);
  },
);

const open = (address: string): Promise<void> => openAt(page, address);

async function read<Answer>(path: string): Promise<Answer> {
  return (await (await daemon.request(path)).json()) as Answer;
}

async function rows(id: string): Promise<readonly Deliverable[]> {
  return (await read<{ deliverables: readonly Deliverable[] }>(`/engagements/${id}/deliverables`)).deliverables;
}

async function gates(id: string): Promise<readonly Gate[]> {
  return (await read<{ gates: readonly Gate[] }>(`/engagements/${id}/gates`)).gates;
}

/** An engagement of its own, opened in the page. */
async function opened(name: string): Promise<string> {
  const { engagement } = await post<{ engagement: { id: string } }>(daemon, '/engagements', {
    name,
    client: 'Nordwind AG',
    workspace_path: folder,
  });
  await open(`engagements/${engagement.id}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.locator('.engagement-row').first().waitFor();
  return engagement.id;
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const toast = (words: string) => page.locator('.toast', { hasText: words }).last().waitFor();
/** What stands behind a dialog takes no key until the dialog has gone. */
const dialogCloses = () => page.getByRole('dialog').waitFor({ state: 'detached' });

describe('the board', () => {
  it('says what to do first, and opens the first engagement by keyboard', async () => {
    await open('engagements');
    await page.getByText('No engagement yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.type('First rollout');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Port of Kiel');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'First rollout' }).waitFor();
    const id = page.url().split('/').at(-1);
    await page.goBack();
    await page.locator('.engagements-card', { hasText: '12 blockers' }).waitFor();
    const set = (status: string) =>
      daemon.request(`/engagements/${id}`, { method: 'PATCH', body: `{"status":"${status}"}` });
    await set('closed');
    await page.getByText('All engagements are closed').waitFor();
    await page.getByLabel('With closed ones').press('Space');
    await page.locator('.engagements-card', { hasText: 'First rollout' }).waitFor();
    await page.getByLabel('With closed ones').press('Space');
    await set('draft');
    await page.locator('.engagements-card', { hasText: 'First rollout' }).waitFor();
  });

  it('is searched and walked by keyboard, and moves a card when somebody else changes the phase', async () => {
    const { engagement } = await post<{ engagement: { id: string } }>(daemon, '/engagements', { name: 'Second one' });
    await open('engagements');
    await page.locator('.engagements-card').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.locator('.engagements-card:focus', { hasText: 'First rollout' }).waitFor();
    await daemon.request(`/engagements/${engagement.id}`, { method: 'PATCH', body: '{"phase":"build"}' });
    await page.locator('section', { hasText: 'Build' }).locator('.engagements-card', { hasText: 'Second' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('kiel');
    await page.locator('.engagements-card', { hasText: 'Second one' }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'First rollout' }).waitFor();
  });

  it('keeps the field of the search while what is written there could not be searched for', async () => {
    await open('engagements');
    await page.locator('.engagements-card').first().waitFor();
    await page.keyboard.press('/');
    await page.route('**/engagements?*q=kie*', (route) => route.abort(), { times: 1 });
    await page.keyboard.type('kie');
    await page.getByRole('alert').getByText('The daemon cannot be reached.').waitFor();
    await page.keyboard.type('l');
    await page.locator('.engagements-card', { hasText: 'First rollout' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('kiel');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'First rollout' }).waitFor();
  });
});

describe('a board of many', () => {
  const card = (name: string) =>
    page.locator('.engagements-card').filter({ has: page.getByText(name, { exact: true }) });

  it('counts all, reads on when its end comes into sight, and finds what it has not read', async () => {
    for (let index = 1; index <= 40; index += 1) await post(daemon, '/engagements', { name: `Many ${index}` });
    await open('engagements?q=many');
    await page.locator('section', { hasText: 'Discover' }).getByRole('heading', { name: 'Discover 40' }).waitFor();
    await card('Many 40').waitFor();
    expect(await card('Many 1').count()).toBe(0);
    const cards = page.locator('.engagements-card');
    const { promise: isSeen, resolve: seen } = Promise.withResolvers<void>();
    const asked: (string | null)[] = [];
    await page.route('**/engagements?*q=many*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('limit_per_phase'));
      await isSeen;
      await route.continue();
    });
    // A key that leads to the last card may leave what is below it out of sight.
    const toEnd = () => cards.last().evaluate((last) => last.scrollIntoView({ block: 'end' }));
    await toEnd();
    await expect.poll(() => cards.count()).toBe(24);
    await toEnd();
    await page.evaluate(() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame)));
    seen();
    await cards.last().focus();
    const further = () => page.keyboard.press('j').then(() => card('Many 1').count());
    await expect.poll(further, { interval: 1 }).toBe(1);
    expect(asked).not.toContain('384');
    await page.unroute('**/engagements?*q=many*');
    await open('engagements');
    await page.keyboard.press('/');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('many 17');
    await page.getByRole('heading', { name: 'Discover 1', exact: true }).waitFor();
    await card('Many 17').waitFor();
  });

  it('reads how ready all are with the list, and asks for no card, also when somebody changes one', async () => {
    await open('settings');
    const asked = new Set<string>();
    const note = (request: Request): void => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/engagements')) asked.add(pathname);
    };
    page.on('request', note);
    await open('engagements?q=many&closed=1');
    await card('Many 40').waitFor();
    expect(await page.locator('.engagements-card').filter({ hasNotText: '12 blockers' }).count()).toBe(0);
    const { engagements } = await read<{ engagements: readonly { id: string }[] }>('/engagements?q=many%2040');
    const [first] = await rows(engagements[0]!.id);
    const waived = { method: 'PATCH', body: '{"status":"waived"}' };
    await daemon.request(`/engagements/${engagements[0]!.id}/deliverables/${first!.id}`, waived);
    await card('Many 40').filter({ hasText: '11 blockers' }).waitFor();
    await expect.poll(() => page.locator('.engagements-readiness.pending').count()).toBe(0);
    page.off('request', note);
    expect([...asked]).toEqual(['/engagements']);
  });
});

it('the palette opens a new engagement and an existing one', async () => {
  await open('now');
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('New engagement');
  await page.getByRole('option', { name: 'New engagement', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type('First roll');
  await page.getByRole('option', { name: 'First rollout', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'First rollout' }).waitFor();
});

describe('deliverables', () => {
  it('are edited where they stand, and marked until the daemon has confirmed', async () => {
    const id = await opened('Edited in place');
    let admit: () => void = () => {};
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    await page.route('**/deliverables/*', async (route) => {
      await admitted;
      await route.continue();
    });
    await page.getByLabel('Status of System inventory').press('ArrowDown');
    await page.locator('.engagement-row', { hasText: 'not confirmed yet' }).waitFor();
    expect((await rows(id)).find(({ title }) => title === 'System inventory')?.status).toBe('not_started');
    admit();
    await page.locator('.engagement-row', { hasText: 'not confirmed yet' }).waitFor({ state: 'detached' });
    await page.unroute('**/deliverables/*');
    await button(/^System inventory/).press('Enter');
    await page.getByLabel('Owner').fill('Ada');
    await page.getByLabel('Owner').press('Enter');
    await button(/^System inventory Ada/).waitFor();
    await page.getByLabel('Notes').fill('Two are missing.');
    await page.getByLabel('Notes').press('Control+Enter');
    await page.getByText('“System inventory” is in progress.').waitFor();
    await expect
      .poll(async () => (await rows(id)).find(({ title }) => title === 'System inventory'))
      .toMatchObject({
        status: 'in_progress',
        owner: 'Ada',
        notes: 'Two are missing.',
      });
  });

  it('show both texts when somebody else wrote meanwhile', async () => {
    const id = await opened('Written by two');
    const [first] = await rows(id);
    await button(/^Current-state architecture map/).press('Enter');
    await page.getByLabel('Notes').fill('Mine');
    const body = JSON.stringify({ notes: 'Theirs' });
    await daemon.request(`/engagements/${id}/deliverables/${first!.id}`, { method: 'PATCH', body });
    await page.getByText('Somebody else wrote meanwhile: “Theirs”').waitFor();
    expect(await page.getByLabel('Notes').inputValue()).toBe('Mine');
    await button('Take theirs').press('Enter');
    expect(await page.getByLabel('Notes').inputValue()).toBe('Theirs');
    await page.getByLabel('Notes').fill('Mine again');
    const later = JSON.stringify({ notes: 'Theirs again' });
    await daemon.request(`/engagements/${id}/deliverables/${first!.id}`, { method: 'PATCH', body: later });
    await button('Keep mine').press('Enter');
    await expect.poll(async () => (await rows(id))[0]!.notes).toBe('Mine again');
  });

  it('lose nothing that is written while the daemon takes its time', async () => {
    const id = await opened('Written slowly');
    await button(/^Current-state architecture map/).press('Enter');
    const notes = page.getByLabel('Notes');
    const pending = page.locator('.pending-mark');
    const saved = () => expect.poll(async () => (await rows(id))[0]!.notes);
    await notes.press('o');
    const slow = await hold(page, '**/deliverables/*');
    await notes.press('Control+Enter');
    await pending.waitFor();
    await notes.press('n');
    await slow.release();
    await pending.waitFor({ state: 'detached' });
    await staysAtReload(page);
    expect(await notes.inputValue()).toBe('on');
    await notes.press('Tab');
    await pending.waitFor();
    await notes.press('e');
    await notes.press('Tab');
    await slow.release();
    await slow.release();
    await saved().toBe('one');
    await slow.end();
    expect(await notes.inputValue()).toBe('one');
    await notes.press('!');
    await page.route('**/deliverables/*', (route) => route.abort(), { times: 1 });
    await notes.press('Tab');
    await page.locator('.toast', { hasText: 'The daemon cannot be reached.' }).waitFor();
    await pending.waitFor();
    await notes.press('Control+Enter');
    await pending.waitFor({ state: 'detached' });
    await saved().toBe('one!');
  });

  it('keep what the daemon has not taken, also when the view is left meanwhile', async () => {
    const id = await opened('Left unsaved');
    const unfolded = () => button(/^Current-state architecture map/).press('Enter');
    const notes = page.getByLabel('Notes');
    await unfolded();
    await notes.fill('Not lost');
    await page.route('**/deliverables/*', (route) => route.abort());
    await open('now');
    await page.locator('.toast', { hasText: 'The daemon cannot be reached.' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await staysAtReload(page);
    await page.unroute('**/deliverables/*');
    await open(`engagements/${id}`);
    await unfolded();
    expect(await notes.inputValue()).toBe('Not lost');
    await page.locator('.pending-mark').waitFor();
    await notes.press('Control+Enter');
    await page.locator('.pending-mark').waitFor({ state: 'detached' });
    expect((await rows(id))[0]!.notes).toBe('Not lost');
  });
});

describe('evidence', () => {
  it('is a file with its hash, which shows a change since; or a link', async () => {
    const id = await opened('With evidence');
    await button(/^Risk register/).press('Enter');
    await button('Attach…').press('Enter');
    await page.getByLabel('Path of the file').fill('docs/risk-register.md');
    await page.getByLabel('Path of the file').press('Enter');
    await dialogCloses();
    const item = page.locator('.engagement-item');
    await item.getByText('unchanged').waitFor();
    await item.locator('.engagement-hash').waitFor();
    await button('Attach…').press('Enter');
    await page.getByLabel('Link').press('Space');
    await page.getByLabel('Address').fill('https://example.com/risks');
    await page.getByLabel('Address').press('Enter');
    await item.nth(1).getByRole('link', { name: 'https://example.com/risks' }).waitFor();
    writeFileSync(join(folder, 'docs/risk-register.md'), '# Other risks\n');
    await page.reload();
    await button(/^Risk register/).press('Enter');
    await item.getByText('changed since').waitFor();
    await button('Remove: docs/risk-register.md').press('Enter');
    await page.getByLabel('Why').fill('It is out of date.');
    await page.getByLabel('Why').press('Enter');
    await item.nth(1).waitFor({ state: 'detached' });
    expect((await rows(id)).map(({ evidence_count }) => evidence_count).filter((count) => count > 0)).toEqual([1]);
  });

  it('is picked by keyboard from the files of the folder, by a part of the path', async () => {
    const id = await opened('With a picked file');
    await button(/^Risk register/).press('Enter');
    await button('Attach…').press('Enter');
    const field = page.getByRole('combobox', { name: 'Path of the file' });
    const options = page.getByRole('listbox', { name: 'Files of the folder' }).getByRole('option');
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    const chosen = (name: string) => page.getByRole('option', { name, exact: true, selected: true });
    await field.focus();
    await page.keyboard.type('2026 steer');
    await option('Notes/2026/Steering minutes.md').waitFor();
    expect(await options.count()).toBe(1);
    await page.keyboard.press('Escape');
    await options.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('nowhere at all');
    await page.getByText('No file of the folder has that in its path.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('minutes');
    await page.getByText('2 files', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await chosen('Notes/2026/Board minutes.md').waitFor();
    await page.keyboard.press('ArrowDown');
    await chosen('Notes/2026/Steering minutes.md').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('Notes/2026/Steering minutes.md');
    await page.keyboard.press('Enter');
    await page
      .locator('.engagement-item', { hasText: 'Notes/2026/Steering minutes.md' })
      .getByText('unchanged')
      .waitFor();
    expect((await rows(id)).map(({ evidence_count }) => evidence_count).filter((count) => count > 0)).toEqual([1]);
  });

  it('is found in the folder, and says so when no file is there', async () => {
    await opened('With found evidence');
    await button(/^Prioritised roadmap/).press('Enter');
    await button('Attach…').press('Enter');
    await button('Find files in the folder').press('Enter');
    await button(/docs\/roadmap.md/).press('Enter');
    await dialogCloses();
    await page.locator('.engagement-item .engagement-hash').waitFor();
    await button('Attach…').press('Enter');
    await page.getByLabel('Path of the file').fill('nowhere.md');
    await page.getByLabel('Path of the file').press('Enter');
    await toast('there is no hash');
    await page.locator('.engagement-item', { hasText: 'no hash' }).waitFor();
  });

  it('is attached late, and leaves the next evidence that is being written', async () => {
    await opened('Found late');
    await button(/^Prioritised roadmap/).press('Enter');
    await button('Attach…').press('Enter');
    await button('Find files in the folder').press('Enter');
    const found = button(/docs\/roadmap.md/);
    await found.waitFor();
    const slow = await hold(page, '**/scan');
    await found.press('Enter');
    await page.locator('.engagement-found [aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await dialogCloses();
    await button('Attach…').press('Enter');
    await page.getByLabel('Path of the file').fill('docs/risk');
    await slow.release();
    await page.locator('.engagement-item .engagement-hash').waitFor({ state: 'attached' });
    await slow.end();
    expect(await page.getByLabel('Path of the file').inputValue()).toBe('docs/risk');
    await button('Cancel').press('Enter');
    await dialogCloses();
  });

  it('is proposed by a scan, and accepted one by one', async () => {
    const id = await opened('Scanned');
    await page.keyboard.press('s');
    await page.getByLabel('Folder').press('Enter');
    await page.getByText(/^No scan can find these; attach them by hand: .*Pilot deployment/).waitFor();
    await page.getByRole('checkbox', { name: /docs\/roadmap.md/ }).press('Space');
    await button('Attach 1 file').press('Enter');
    await toast('1 attached.');
    await button(/^Prioritised roadmap no owner · 1 item/).waitFor();
    expect((await rows(id)).reduce((sum, { evidence_count }) => sum + evidence_count, 0)).toBe(1);
  });
});

describe('gates', () => {
  const card = () => page.locator('.engagement-gates > li', { hasText: 'Inventory is complete' });
  const judge = () => card().getByRole('button', { name: 'Judge…' });

  it('pass only with what was observed, and keep the verdicts before', async () => {
    const id = await opened('Judged');
    await judge().press('Enter');
    await page.getByRole('radio', { name: 'Fail' }).press('Space');
    await page.getByLabel('Why this verdict').fill('Nobody answered.\nAsked twice.');
    await button('Record: Fail').press('Enter');
    await toast('The verdict is recorded.');
    await dialogCloses();
    await judge().press('Enter');
    await page.getByRole('radio', { name: 'Pass' }).press('Space');
    await button('Record: Pass').press('Enter');
    expect(await page.getByLabel('What was observed').evaluate((field) => field.matches(':invalid'))).toBe(true);
    await page.getByLabel('What was observed').fill('9 of 9 answered.');
    await button('Record: Pass').press('Enter');
    await dialogCloses();
    await card().getByText('1 earlier verdict').press('Enter');
    await card().getByText('Nobody answered.').waitFor();
    expect(await card().innerText()).toContain('Nobody answered.\nAsked twice.');
    expect((await gates(id))[0]?.judgements.map(({ verdict }) => verdict)).toEqual(['fail', 'pass']);
  });

  it('show both verdicts when somebody else judged meanwhile, and record none over one that was not seen', async () => {
    const id = await opened('Judged by two');
    const [gate] = await gates(id);
    await judge().press('Enter');
    await page.getByLabel('What was observed').fill('All is well.');
    await post(daemon, `/engagements/${id}/gates/${gate!.id}/judge`, { verdict: 'fail', observed: 'All is lost.' });
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else judged this gate meanwhile' });
    await conflict.getByText('All is lost.').waitFor();
    expect(await button('Record: Pass').isDisabled()).toBe(true);
    expect((await gates(id))[0]?.judgements).toHaveLength(1);
    await button('Record mine as well').press('Enter');
    await button('Record: Pass').press('Enter');
    await card().getByText('1 earlier verdict').waitFor();
    expect((await gates(id))[0]?.judgements.map(({ observed }) => observed)).toEqual(['All is lost.', 'All is well.']);
  });

  it('show no conflict with the own verdict, also when its answer comes after its event', async () => {
    const id = await opened('Judged by one');
    const [gate] = await gates(id);
    const answer = await holdAnswer(page, `**/engagements/${id}/gates/${gate!.id}/judge`, 'All is seen.');
    await judge().press('Enter');
    await page.getByLabel('What was observed').fill('All is seen.');
    await button('Record: Pass').press('Enter');
    await answer.isShown;
    expect(await page.locator('.engagement-conflict').count()).toBe(0);
    answer.release();
    await dialogCloses();
  });
});

it('what is added again because the answer was lost is there once', async () => {
  const id = await opened('Added twice');
  const [first] = await rows(id);
  const added = (await gates(id)).length + 1;
  const lost = page.getByRole('dialog').getByText('The daemon cannot be reached.');
  await loseAnswer(page, `**/engagements/${id}/gates`);
  await page.locator('.engagement-gates').locator('..').getByRole('button', { name: 'Add' }).press('Enter');
  await page.getByLabel('Title').fill('All is measured');
  await page.getByLabel('Measured by').fill('A look');
  await page.getByLabel('Title').press('Enter');
  await lost.waitFor();
  await page.getByLabel('Title').press('Enter');
  await dialogCloses();
  expect(await gates(id)).toHaveLength(added);
  await loseAnswer(page, `**/engagements/${id}/deliverables/${first!.id}/evidence`);
  await button(/^Current-state architecture map/).press('Enter');
  await button('Attach…').press('Enter');
  await page.getByLabel('Link').press('Space');
  await page.getByLabel('Address').fill('https://example.com/map');
  await page.getByLabel('Address').press('Enter');
  await lost.waitFor();
  await page.getByLabel('Address').press('Enter');
  await dialogCloses();
  expect((await rows(id))[0]!.evidence_count).toBe(1);
});

it('a phase is left past its blockers by force only, in red, with a reason that the history keeps', async () => {
  const id = await opened('Forced');
  const focused = page.locator(':focus');
  await button('“Risk register” has not been started.').press('Enter');
  expect(await focused.textContent()).toContain('Risk register');
  await button('Gate “Inventory is complete” has not been measured.').press('Enter');
  expect(await focused.textContent()).toMatch(/^Inventory is complete/);
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('12 blockers hold the phase').waitFor();
  const force = button('Force: go on to Prove');
  expect(await force.isDisabled()).toBe(true);
  expect(await force.getAttribute('class')).toContain('danger');
  await page.getByLabel('Leave it all the same').press('Space');
  await page.getByLabel('Why in spite of them').fill('The client insists.');
  await force.press('Enter');
  await toast('The phase is now Prove.');
  await page.locator('.engagement-phases .card[aria-pressed="true"]', { hasText: 'Prove' }).waitFor();
  await button('History').press('Enter');
  const forced = page.locator('.engagement-forced');
  await forced.getByText('forced the way from Discover to Prove past 12 blockers').waitFor();
  await forced.getByText('The client insists.').waitFor();
  await forced.getByText('owner').waitFor();
  await page.emulateMedia({ media: 'print' });
  await forced.locator('time').waitFor();
  await page.emulateMedia({ media: null });
  await forced.getByRole('link').press('Enter');
  await page.getByText('You see this engagement as it was').waitFor();
  await page.goBack();
  await forced.waitFor();
  const { report } = await read<{ report: { phase_changes: readonly { kind: string; reason: string }[] } }>(
    `/engagements/${id}`,
  );
  expect(report.phase_changes).toMatchObject([{ kind: 'forced', reason: 'The client insists.' }]);
});

describe('the past', () => {
  it('is shown whole by the slider, read only, and as of any day and time', async () => {
    const id = await opened('With a past');
    const [first] = await rows(id);
    const path = `/engagements/${id}/deliverables/${first!.id}`;
    await daemon.request(path, { method: 'PATCH', body: JSON.stringify({ status: 'ready' }) });
    await daemon.request(path, { method: 'PATCH', body: JSON.stringify({ status: 'accepted' }) });
    await page.getByText('change 3 of 3').waitFor();
    await page.keyboard.press('t');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/at=\d+/);
    await page.getByText('after owner set “Current-state architecture map” from Not started to Ready').waitFor();
    await page.locator('.engagement-row .badge', { hasText: 'Ready' }).waitFor();
    expect(await page.getByRole('combobox').count()).toBe(0);
    expect(await button('Leave the phase…').count()).toBe(0);
    await page.keyboard.press('Home');
    await page.locator('.engagement-row .badge', { hasText: 'Ready' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('after owner opened the engagement').waitFor();
    await page.getByRole('link', { name: 'Report' }).press('Enter');
    await page.locator('.engagement-paper', { hasText: 'With a past' }).waitFor();
    expect(await page.locator('.engagement-paper').innerText()).not.toContain('accepted (');
    await page.goBack();
    await button('Back to now').press('Enter');
    await page.getByLabel('Status of Current-state architecture map').waitFor();
    expect(await page.getByLabel('Status of Current-state architecture map').inputValue()).toBe('accepted');
    await page.getByLabel('Day and time').fill('2020-01-01T12:00');
    await page.getByRole('alert').waitFor();
    await button('Back to now').press('Enter');
  });

  it('cannot be edited while the present is read', async () => {
    const id = await opened('Back from the past');
    const { position } = await read<{ position: number }>('/v1/log/head');
    const [first] = await rows(id);
    const accepted = { method: 'PATCH', body: JSON.stringify({ status: 'accepted' }) };
    await daemon.request(`/engagements/${id}/deliverables/${first!.id}`, accepted);
    const seen = Promise.withResolvers<void>();
    await page.route(`**/engagements/${id}/deliverables`, (route) => seen.promise.then(() => route.continue()));
    await open(`engagements/${id}?at=${position}`);
    await page.reload();
    await page.locator('.engagement-row .badge').first().waitFor();
    await button('Back to now').press('Enter');
    await page.waitForURL((url) => !url.hash.includes('at='));
    expect(await page.getByRole('combobox').count()).toBe(0);
    expect(await button('Leave the phase…').count()).toBe(0);
    seen.resolve();
    await page.getByLabel('Status of Current-state architecture map').waitFor();
    expect(await page.getByLabel('Status of Current-state architecture map').inputValue()).toBe('accepted');
    await button('Leave the phase…').waitFor();
    await page.unroute(`**/engagements/${id}/deliverables`);
  });
});

describe('documents', () => {
  it('are previewed, and saved as Markdown, as PDF and with all the evidence', async () => {
    const id = await opened('Handed over');
    const read = Promise.withResolvers<void>();
    await page.route('**/handover.md', (route) => read.promise.then(() => route.continue()));
    await page.getByRole('link', { name: 'Handover' }).press('Enter');
    // Also before it is read.
    const markdown = savedBytes('Save as Markdown');
    await button('Save as Markdown').and(page.locator('[aria-busy="true"]')).waitFor();
    read.resolve();
    expect(String(await markdown)).toBe(await (await daemon.request(`/engagements/${id}/handover.md`)).text());
    await page.unroute('**/handover.md');
    await page.locator('.engagement-paper h2').first().waitFor();
    const pdf = await (await daemon.request(`/engagements/${id}/handover.pdf`)).arrayBuffer();
    expect((await savedBytes('Save as PDF')).equals(Buffer.from(pdf))).toBe(true);
    const [first] = await rows(id);
    await post(daemon, `/engagements/${id}/deliverables/${first!.id}/evidence`, {
      kind: 'file',
      reference: 'docs/Roadmap.md',
    });
    const report = await verifyBundle(await savedBytes(/^Save the evidence bundle/));
    expect(report).toMatchObject({ ok: true, subject: { id }, files: { listed: 1, included: 1 } });
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: null });
  });

  it('are shown whole, and with every column of a table, on the page and on paper', async () => {
    const id = await opened('Long paths');
    const [first] = await rows(id);
    const path = 'deliverables/architecture/current-state/2026-11-30_current_state_architecture_map_final_v3.md';
    await post(daemon, `/engagements/${id}/deliverables/${first!.id}/evidence`, { kind: 'file', reference: path });
    for (const gate of (await gates(id)).slice(0, 3)) {
      const body = { verdict: 'pass', observed: 'as agreed with the client. '.repeat(3_700) };
      await post(daemon, `/engagements/${id}/gates/${gate.id}/judge`, body);
    }
    await open(`engagements/${id}/report`);
    await page.locator('.engagement-paper th', { hasText: 'SHA-256' }).waitFor();
    const last = (await (await daemon.request(`/engagements/${id}/report.md`)).text()).trim().split('\n').at(-1)!;
    await page.locator('.engagement-paper li').last().getByText(last.slice('- '.length).split(' (')[0]!).waitFor();
    const overflows = () =>
      page.locator('.prose-table').evaluateAll((tables) => tables.map((each) => each.scrollWidth > each.clientWidth));
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await overflows()).not.toContain(true);
    // A4 with margins of 1 cm.
    await page.setViewportSize({ width: 718, height: 900 });
    await page.emulateMedia({ media: 'print' });
    expect(await overflows()).not.toContain(true);
    await page.emulateMedia({ media: null });
    await page.setViewportSize(WIDE);
  });

  async function savedBytes(name: string | RegExp): Promise<Buffer> {
    const [download] = await Promise.all([page.waitForEvent('download'), button(name).press('Enter')]);
    return readFileSync(await download.path());
  }
});

describe('an engagement', () => {
  it('is removed after its losses are named', async () => {
    const id = await opened('Removed');
    await page.locator('.menu > summary').press('Enter');
    await button('Remove…').press('Enter');
    await page.getByText(/deliverables with their evidence and \d+ gates/).waitFor();
    await page.getByLabel('Why').fill('It was an exercise.');
    await page.getByLabel('Why').press('Enter');
    await page.locator('.engagements-board').waitFor();
    await page.locator('.engagements-card', { hasText: 'Removed' }).waitFor({ state: 'detached' });
    expect((await daemon.request(`/engagements/${id}`)).status).toBe(404);
  });

  it('is removed while the user goes on elsewhere, and leaves the user there', async () => {
    await opened('Removed late');
    await page.locator('.menu > summary').press('Enter');
    await button('Remove…').press('Enter');
    await page.getByLabel('Why').fill('It was an exercise.');
    const answer = await holdNext(page, '**/engagements/*');
    await page.getByLabel('Why').press('Enter');
    await page.locator('[type=submit][aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await open('rooms');
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    await answer();
    expect(page.url()).toMatch(/#\/rooms$/);
  });

  it('tells who works on it that somebody else removed the gate, and then all of it', async () => {
    const id = await opened('Removed by somebody else');
    const judge = page.getByRole('region', { name: 'Gates' }).getByRole('button', { name: 'Judge…' });
    await judge.first().press('Enter');
    await page.getByLabel('What was observed').fill('9 of 9 owners answered.');
    const [gate] = await gates(id);
    await daemon.request(`/engagements/${id}/gates/${gate!.id}`, { method: 'DELETE' });
    await toast('what it is about is not on this page');
    await dialogCloses();
    await daemon.request(`/engagements/${id}`, { method: 'DELETE' });
    await page.getByRole('heading', { level: 1, name: 'There is no such engagement' }).waitFor();
    await judge.first().waitFor({ state: 'detached' });
  });
});
