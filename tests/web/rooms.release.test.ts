/** The view Rooms by keyboard: two people edit one text at the same time and see each other's cursors. */
import { join } from 'node:path';
import type { Browser, Page, Route, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import * as Y from 'yjs';
import { createClient } from '../../src/client/client.ts';
import { connectRoom } from '../../src/client/yjs.ts';
import { childDaemon, sharedDaemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';
import { type SmallDisk, smallDisk } from '../support/small-disk.ts';
import { violations } from './axe.ts';
import { closeTabs, openPaired, sharedBrowser, type Tab } from './browser.ts';
import { focusOf } from './keyboard.ts';
import { openAt as open, staysAtReload } from './pages.ts';

const DISK_MEGABYTES = 48;

const daemon = sharedDaemon();
let browser: Browser;
let tabs: readonly [Tab, Tab];

beforeAll(async () => {
  browser = await sharedBrowser();
  tabs = [await openPaired(browser, daemon.url), await openPaired(browser, daemon.url)];
  for (const { page } of tabs) page.setDefaultTimeout(20_000);
}, 60_000);
afterEach(() => {
  expect(tabs.map(({ complaints, outside }) => [complaints, outside])).toEqual([
    [[], []],
    [[], []],
  ]);
});
afterAll(async () => {
  await closeTabs(browser);
});

const editor = (page: Page, name = 'text') => page.getByRole('textbox', { name: `Text ${name}` });
const lines = (page: Page, name?: string): Promise<readonly string[]> =>
  editor(page, name)
    .locator('.cm-line')
    .evaluateAll((all) =>
      all.map((line) => {
        const copy = line.cloneNode(true) as Element;
        for (const caret of copy.querySelectorAll('.cm-peer')) caret.remove();
        return copy.textContent ?? '';
      }),
    );

async function nameAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Your name…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Your name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByText(`${name} (you)`).waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
}

/** Opens the address of a room that is not there yet, and makes the room. */
async function make(page: Page, room: string): Promise<void> {
  await open(page, `rooms/${room}`);
  await page.getByRole('button', { name: 'Make this room' }).press('Enter');
  await page.getByText('Connected', { exact: true }).waitFor();
}

it('makes a room, in which two people write the same text and see each other', async () => {
  const [{ page: ann }, { page: bob }] = tabs;
  await open(ann, 'rooms');
  await ann.getByText('No room yet').waitFor();
  await ann.keyboard.press('n');
  await ann.getByLabel('Name of the room').fill('standup');
  await ann.keyboard.press('Enter');
  await editor(ann).waitFor();
  await nameAs(ann, 'Ann');
  await open(bob, 'rooms');
  await bob.keyboard.press('j');
  await bob.getByRole('link', { name: 'standup' }).press('Enter');
  await editor(bob).waitFor();
  await nameAs(bob, 'Bob');
  await editor(ann).focus();
  await ann.keyboard.type('gone next');
  await ann.keyboard.press('Home');
  await expect.poll(() => lines(bob)).toEqual(['gone next']);
  await editor(bob).focus();
  await bob.keyboard.press('Control+End');
  await Promise.all([ann.keyboard.type('I write, '), bob.keyboard.type(' and so do I')]);
  for (const page of [ann, bob]) await expect.poll(() => lines(page)).toEqual(['I write, gone next and so do I']);
  await bob.locator('.cm-peer-name', { hasText: 'Ann' }).waitFor();
  await ann.locator('.cm-peer-name', { hasText: 'Bob' }).waitFor();
  await ann.getByText('text, line 1').waitFor();
  await bob.keyboard.press('Shift+Home');
  await ann.locator('.cm-peer-selection').first().waitFor();
  for (const { page } of tabs) expect(await violations(page)).toEqual([]);
});

it('lists rooms by their names, numbers in them by their size, and finds them by Ctrl-K', async () => {
  const [{ page }] = tabs;
  for (const room_id of ['plan 10', 'plan 2']) {
    await daemon.request('/collab/rooms', { method: 'POST', body: JSON.stringify({ room_id }) });
  }
  await open(page, 'rooms');
  const names = () => page.locator('.rooms-row', { hasText: 'plan' }).locator('[dir]').allTextContents();
  await expect.poll(names).toEqual(['plan 2', 'plan 10']);
  await open(page, 'now');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('plan 1');
  await page.getByRole('option', { name: 'plan 10' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'plan 10' }).waitFor();
  // Chromium warns of a socket that is closed while it connects.
  await page.getByText('Connected', { exact: true }).waitFor();
});

it('gives the focus to the text as soon as it is there, and never takes it back', async () => {
  const [{ page }] = tabs;
  await open(page, 'rooms');
  await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
  const places = { appears: '.rooms-editor', other: '.view-head button' };
  expect(await focusOf(page, places, () => open(page, 'rooms/standup'))).toEqual([true, true]);
});

// `/health` used up the limit of ten public requests a minute: a room could be loaded three times.
it('asks whether the log takes writes where the limit of the page does not count', async () => {
  const [{ page }] = tabs;
  const asked = page.waitForRequest('**/v1/storage/stats');
  await make(page, 'limits');
  await asked;
});

it('makes no room by an address that is mistyped, but enters it as soon as somebody has made it', async () => {
  const [{ page: ann }, { page: bob }] = tabs;
  for (const { page } of tabs) {
    await open(page, 'rooms/standpu');
    await page.getByRole('heading', { level: 1, name: 'There is no such room' }).waitFor();
  }
  const events = await daemon.request('/v1/events?stream=room-standpu');
  expect(await events.json()).toMatchObject({ events: [] });
  expect(await violations(ann)).toEqual([]);
  await make(ann, 'standpu');
  await bob.getByText('Connected', { exact: true }).waitFor();
});

// It opened as an empty text, and what was typed was put between the paragraphs.
it('opens no editor for what another editor keeps in a room', async () => {
  const [{ page }] = tabs;
  const doc = new Y.Doc();
  const room = connectRoom(createClient({ url: daemon.url, token: daemon.token }), 'board', { Y, doc, name: 'Eve' });
  await room.synced;
  doc.getText('notes').insert(0, 'typed');
  doc.getXmlFragment('page').insert(0, [new Y.XmlElement('paragraph')]);
  await open(page, 'rooms/board');
  await expect.poll(() => lines(page, 'notes')).toEqual(['typed']);
  await page.getByRole('link', { name: 'page' }).press('Enter');
  await page.getByText('page is no plain text').waitFor();
  expect(await editor(page, 'page').count()).toBe(0);
  room.close();
});

it('shows that nobody is in a room any more', async () => {
  const [{ page: ann }, { page: bob }] = tabs;
  await make(bob, 'quiet');
  await open(ann, 'rooms');
  const quiet = ann.locator('.rooms-row', { hasText: 'quiet' });
  await quiet.getByText('open', { exact: true }).waitFor();
  await open(bob, 'now');
  await quiet.getByText('nobody is in it').waitFor();
});

it('undoes the words of its person only, and has more than one text', async () => {
  const [{ page: ann }, { page: bob }] = tabs;
  await make(ann, 'plan');
  await open(bob, 'rooms/plan');
  await editor(bob).waitFor();
  await editor(ann).focus();
  // One change: of letters that come slowly each is undone alone.
  await ann.keyboard.insertText('mine');
  await expect.poll(() => lines(bob)).toEqual(['mine']);
  await editor(bob).focus();
  await bob.keyboard.press('Control+End');
  await bob.keyboard.type(' yours');
  await expect.poll(() => lines(ann)).toEqual(['mine yours']);
  await ann.keyboard.press('Control+z');
  for (const page of [ann, bob]) await expect.poll(() => lines(page)).toEqual([' yours']);
  await ann.getByRole('button', { name: 'New text' }).press('Enter');
  await ann.getByLabel('Name of the text').fill('notes.md');
  await ann.keyboard.press('Enter');
  await editor(ann, 'notes.md').waitFor();
  await editor(ann, 'notes.md').focus();
  await ann.keyboard.type('g r שלום');
  await bob.getByText('notes.md, line 1').waitFor();
  // The text in which Bob writes stays before him, although the other comes first.
  await bob.getByRole('link', { name: 'notes.md' }).waitFor();
  expect(await editor(bob).count()).toBe(1);
  await bob.getByRole('link', { name: 'notes.md' }).press('Enter');
  await expect.poll(() => lines(bob, 'notes.md')).toEqual(['g r שלום']);
});

it('keeps what is written while the daemon is away, and sends it when it is back', async () => {
  const flags = { port: await freePort() };
  const first = await childDaemon({ flags });
  const { page, complaints } = await openPaired(browser, first.url);
  await make(page, 'away');
  await editor(page).focus();
  await page.keyboard.type('before');
  await first.kill('SIGKILL');
  await page.getByText('What you write stays in this tab').waitFor();
  await editor(page).focus();
  await page.keyboard.type(' and after');
  const second = await childDaemon({ home: first.home, flags });
  onTestFinished(async () => void (await second.kill('SIGKILL')));
  await page.getByText('What you write stays in this tab').waitFor({ state: 'detached', timeout: 30_000 });
  const other = await openPaired(browser, second.url);
  await open(other.page, 'rooms/away');
  await expect.poll(() => lines(other.page)).toEqual(['before and after']);
  expect([complaints, other.complaints]).toEqual([[], []]);
}, 60_000);

it('sends what was written without a connection also when its person has gone to another view', async () => {
  const [{ page: ann }] = tabs;
  const { page, complaints } = await openPaired(browser, daemon.url);
  const connections: WebSocketRoute[] = [];
  let isAway = false;
  await page.routeWebSocket('**/ws/collab/**', (socket) => {
    if (isAway) return void socket.close();
    socket.connectToServer();
    connections.push(socket);
  });
  await make(page, 'left');
  isAway = true;
  // That of the daemon stays open: the page may be sending something, of which Chromium would complain.
  for (const socket of connections) await socket.close();
  await page.getByText('What you write stays in this tab').waitFor();
  await editor(page).focus();
  await page.keyboard.type('kept');
  await open(page, 'now');
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  await staysAtReload(page);
  isAway = false;
  await open(ann, 'rooms/left');
  await expect.poll(() => lines(ann)).toEqual(['kept']);
  expect(complaints).toEqual([]);
  await page.context().close();
});

/** The daemon's own answer, with a log that takes writes. */
async function healthy(route: Route): Promise<void> {
  const response = await route.fetch();
  await route.fulfill({ response, json: { ...((await response.json()) as object), failure: null } });
}

it('ends at a text that is too long, says why, and keeps the words until the page is reloaded', async () => {
  const [{ page }, { page: other }] = tabs;
  await make(page, 'encyclopedia');
  await open(other, 'rooms/encyclopedia');
  await editor(page).focus();
  await page.keyboard.type('Kept.');
  await expect.poll(() => lines(other)).toEqual(['Kept.']);
  await editor(page).evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', `${'x'.repeat(1_000)}\n`.repeat(2_200));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.getByText('This text is full').waitFor();
  await page.getByText('Copy from the text what you want to keep.').waitFor();
  const before = await lines(page);
  await page.keyboard.type('More.');
  expect(await lines(page)).toEqual(before);
  await staysAtReload(page);
  expect(await lines(other)).toEqual(['Kept.']);
}, 60_000);

it('is read-only while the log takes no writes, and says so', async (test) => {
  const disk: SmallDisk | null = smallDisk(DISK_MEGABYTES);
  if (disk === null) return test.skip('no disk can be mounted here');
  const daemon = await childDaemon({ home: join(disk.path, 'home') });
  try {
    const { page, complaints } = await openPaired(browser, daemon.url);
    await page.clock.install();
    await make(page, 'full');
    await editor(page).focus();
    disk.fill();
    const goal = JSON.stringify({ title: 'Too much' });
    expect((await daemon.request('/v1/goals', { method: 'POST', body: goal })).status).toBe(503);
    await page.keyboard.insertText('x'.repeat(200));
    const notice = page.getByText('The log takes no writes now.');
    await notice.waitFor();
    const before = await lines(page);
    await editor(page).focus();
    await page.keyboard.type('refused');
    expect(await lines(page)).toEqual(before);
    // There is room for a moment only. The page asks every ten seconds.
    await page.route('**/v1/storage/stats', healthy);
    await page.clock.fastForward('00:10');
    await notice.waitFor({ state: 'detached', timeout: 40_000 });
    await page.unroute('**/v1/storage/stats');
    await page.clock.fastForward('00:10');
    await notice.waitFor();
    disk.makeRoom();
    await page.clock.fastForward('00:10');
    await notice.waitFor({ state: 'detached', timeout: 40_000 });
    await editor(page).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' again');
    await expect.poll(() => lines(page)).toEqual([`${before[0]} again`]);
    expect(complaints).toEqual([]);
  } finally {
    await daemon.kill('SIGKILL');
    disk.remove();
  }
}, 90_000);
