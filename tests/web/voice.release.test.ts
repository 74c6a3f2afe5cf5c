/**
 * The view Talk in a real browser whose microphone plays a file, with a real daemon, by keyboard, up to the sound of
 * the answer. Speech is made by espeak-ng and recognised by pocketsphinx behind whisper's command line, as in
 * tests/voice.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { decodePcm, encodeWav } from '../../src/lib/wav.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { binFolder, ESPEAK, HAS_EARS, homeWithModel, whisperScript } from '../voice/programs.ts';
import { silence, tone } from '../voice/sound.ts';
import { violations } from './axe.ts';
import { closeClean, closeTabs, launch, openPaired, sharedBrowser, type Tab } from './browser.ts';
import { focusOf, goBy } from './keyboard.ts';

const RATE = 16_000;
const SECOND_BYTES = 2 * RATE;
const started: TestDaemon[] = [];
const browsers: Browser[] = [];
afterEach(async () => {
  for (const browser of browsers.splice(0)) await browser.close();
  for (const daemon of started.splice(0)) await daemon.stop();
});
afterAll(async () => {
  await (await deaf)?.close();
  await closeTabs(await sharedBrowser());
});

/** A Chromium whose microphone plays the sound again and again. */
async function hearing(rate: number, pieces: readonly Int16Array[]): Promise<Browser> {
  const samples = Int16Array.from(pieces.flatMap((piece) => [...piece]));
  const file = join(temporaryFolder('microphone'), 'sound.wav');
  writeFileSync(file, encodeWav({ rate, samples }));
  return launch(['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${file}`]);
}

/** One that ends with its test. */
async function kept(launched: Promise<Browser>): Promise<Browser> {
  const browser = await launched;
  browsers.push(browser);
  return browser;
}

let deaf: Promise<Browser> | undefined;

/** One whose microphone is silent, for several tests. */
function hearingNothing(): Promise<Browser> {
  deaf ??= hearing(RATE, [silence(1_000)]);
  return deaf;
}

async function daemonWith(programs: Readonly<Record<string, string>>): Promise<TestDaemon> {
  const daemon = await testDaemon({ home: homeWithModel(), env: { PATH: binFolder(programs) } });
  started.push(daemon);
  return daemon;
}

/** Opens the view, and notes the loudest sample that the page plays, and how many sounds it ends. */
async function talking(browser: Browser, daemon: TestDaemon, permissions = ['microphone']): Promise<Tab> {
  const tab = await openPaired(browser, daemon.url, { permissions });
  await tab.page.evaluate(`
    globalThis.loudest = 0;
    globalThis.stopped = 0;
    const { start, stop } = AudioBufferSourceNode.prototype;
    AudioBufferSourceNode.prototype.stop = function (...of) {
      stopped += 1;
      return stop.apply(this, of);
    };
    AudioBufferSourceNode.prototype.start = function (...of) {
      for (const sample of this.buffer.getChannelData(0)) loudest = Math.max(loudest, Math.abs(sample));
      return start.apply(this, of);
    };
  `);
  await goBy(tab.page, 'v');
  await tab.page.getByRole('heading', { level: 1, name: 'Talk' }).waitFor();
  return tab;
}

const alert = (page: Page) => page.locator('.voice-trouble').first();

describe.skipIf(!HAS_EARS)('a question that is spoken', () => {
  it('ends the answer that is played, and is answered itself', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript({ ears: true }), 'espeak-ng': ESPEAK! });
    const speech = decodePcm(execFileSync(ESPEAK!, ['--stdout', '-v', 'en-us', '-s', '130', 'what time is it']))!;
    // The answer begins before the next question, also on a busy machine, and takes longer to be played than the pause.
    const quiet = (ms: number): Int16Array => tone(ms, { amplitude: 0, rate: speech.rate });
    const tab = await talking(await kept(hearing(speech.rate, [quiet(700), speech.samples, quiet(6_000)])), daemon);
    await tab.page.keyboard.press('h');
    await tab.page.keyboard.press('s');
    await expect.poll(() => tab.page.evaluate('stopped')).toBeGreaterThan(0);
    await tab.page.getByText('what time is it', { exact: true }).nth(1).waitFor();
    await closeClean(tab);
  }, 60_000);

  it('is written down, answered and heard, with how long each part took', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript({ ears: true }), 'espeak-ng': ESPEAK! });
    const speech = decodePcm(execFileSync(ESPEAK!, ['--stdout', '-v', 'en-us', '-s', '130', 'what time is it']))!;
    const quiet = (ms: number): Int16Array => tone(ms, { amplitude: 0, rate: speech.rate });
    const tab = await talking(await kept(hearing(speech.rate, [quiet(700), speech.samples, quiet(9_000)])), daemon);
    const { page } = tab;
    await page.keyboard.press('h');
    await page.keyboard.press('s');
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('what time is it', { exact: true }).waitFor();
    await log.locator('.prose', { hasText: /This is a rehearsal/ }).waitFor();
    await log.getByText(/^written down in /).waitFor();
    await log
      .getByText(/the model began in .* first sound .* after your words .* whole answer .* after your words/)
      .waitFor();
    expect(await page.evaluate('loudest')).toBeGreaterThan(0.05);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('s');
    await page.getByText('Not connected').waitFor();
    await closeClean(tab);
  }, 60_000);
});

describe('push to talk', () => {
  it('sends what is spoken while a key is held, and the answer comes when it is let go', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript() });
    const beeps = [tone(300, { hertz: 300, rate: RATE }), silence(100)];
    const tab = await talking(await kept(hearing(RATE, beeps)), daemon);
    const { page } = tab;
    const places = { appears: '.voice-hold', other: '.view-head button' };
    expect(await focusOf(page, places, () => page.keyboard.press('s'))).toEqual([true, true]);
    await page.getByRole('button', { name: 'Hold to talk' }).focus();
    await expect.poll(() => page.getByRole('meter').getAttribute('value').then(Number)).toBeGreaterThan(0.01);
    await page.getByText('Listening').waitFor();
    await page.evaluate(`
      globalThis.sent = 0;
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (of) {
        sent += of.byteLength ?? 0;
        return send.call(this, of);
      };
    `);
    await page.keyboard.down('Space');
    await page.getByText('You speak', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('sent')).toBeGreaterThan(SECOND_BYTES);
    await page.getByRole('button', { name: 'Let go to send' }).waitFor();
    await page.keyboard.up('Space');
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('What time is it?', { exact: true }).waitFor();
    // Nothing here can speak, so the answer is read.
    await log.getByText(/This is a rehearsal/).waitFor();
    await page.keyboard.press('Escape');
    await closeClean(tab);
  }, 60_000);
});

describe('what is not there', () => {
  it('says what to install when nothing can write speech down, and does not ask for the microphone', async () => {
    const daemon = await daemonWith({});
    const tab = await talking(await hearingNothing(), daemon, []);
    const { page } = tab;
    await page.getByText(/Install whisper\.cpp and a model/).waitFor();
    await page.getByText(/apt-get install espeak-ng/).waitFor();
    await page.keyboard.press('s');
    await page.getByText(/whisper-cli is on the PATH/).waitFor();
    await page.getByText('Not connected').waitFor();
    expect(await violations(page)).toEqual([]);
    await closeClean(tab);
  }, 60_000);

  it('says how to allow the microphone when it is denied', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript() });
    const tab = await talking(await hearingNothing(), daemon, []);
    await tab.page.keyboard.press('s');
    await expect.poll(() => alert(tab.page).textContent()).toContain('Allow it in the settings of the site');
    await closeClean(tab);
  }, 60_000);

  it('ends its connection when it is stopped before it has begun', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript() });
    const tab = await talking(await hearingNothing(), daemon);
    const socket = tab.page.waitForEvent('websocket');
    await tab.page.evaluate(`
      for (const _ of ['start', 'stop']) dispatchEvent(new KeyboardEvent('keydown', { key: 's' }));
    `);
    const opened = await socket;
    await expect.poll(async () => opened.isClosed()).toBe(true);
    await closeClean(tab);
  }, 60_000);

  it('says that no microphone is connected', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript() });
    const tab = await talking(await sharedBrowser(), daemon);
    await tab.page.keyboard.press('s');
    await expect.poll(() => alert(tab.page).textContent()).toContain('No microphone is connected');
    await closeClean(tab);
  }, 60_000);

  it('says that the microphone is gone, and that the daemon is', async () => {
    const daemon = await daemonWith({ 'whisper-cli': whisperScript() });
    const tab = await talking(await hearingNothing(), daemon);
    const { page } = tab;
    await page.evaluate(`
      const devices = navigator.mediaDevices;
      const open = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (of) => (globalThis.microphone = await open(of));
    `);
    await page.keyboard.press('s');
    await page.getByText('Listening').waitFor();
    await page.evaluate(`microphone.getTracks()[0].dispatchEvent(new Event('ended'))`);
    await expect.poll(() => alert(page).textContent()).toContain('The microphone is gone');
    await page.keyboard.press('s');
    await page.getByText('Listening').waitFor();
    await daemon.stop();
    await expect.poll(() => alert(page).textContent()).toContain('The daemon ended the conversation');
    await page.context().close();
  }, 60_000);
});
