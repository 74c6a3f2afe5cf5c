/** The view Settings by keyboard: settings take effect, and destructive actions first say what will be lost. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { PHONE } from './browser.ts';
import { staysAtReload } from './pages.ts';
import { startProvider } from './provider.ts';
import { hold, openAt, sharedConsole } from './shared-console.ts';

/** A server of the protocol, as it is published. */
const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const provider = await startProvider();
let daemon: TestDaemon;
let page: Page;

sharedConsole(
  () => testDaemon({ env: { ...provider.env } }),
  (shared) => {
    ({ daemon, page } = shared);
  },
);
afterAll(() => provider.close());

const open = (address: string): Promise<void> => openAt(page, address);
const asked = async <Answer>(path: string): Promise<Answer> => (await (await daemon.request(path)).json()) as Answer;

describe('settings', () => {
  it('test the model in use, and offer no test of one whose provider is not configured', async () => {
    await open('settings');
    await page.getByRole('button', { name: 'Test the model in use', exact: true }).press('Enter');
    await page.getByText('openrouter answered in').waitFor();
    await page.locator('summary', { hasText: 'anthropic' }).getByText('not configured').waitFor();
    await page.locator('summary', { hasText: 'anthropic' }).press('Enter');
    await page.getByText('claude-haiku-5-5').waitFor();
    expect(await page.getByRole('button', { name: 'Test claude-haiku-5-5' }).count()).toBe(0);
  });

  it('change a harness profile, and set it back', async () => {
    await open('settings');
    await page.getByText('Profiles of other providers').press('Enter');
    const row = page.locator('.settings-profile', { hasText: /^openai/ }).first();
    await page.route('**/harness/profile*', (route) => route.abort(), { times: 1 });
    await row.getByLabel('Instructions').selectOption('full');
    await page.locator('.toast', { hasText: 'The daemon cannot be reached.' }).waitFor();
    await expect.poll(() => row.getByLabel('Instructions').inputValue()).toBe('compact');
    await row.getByLabel('Instructions').selectOption('full');
    await row.getByRole('button', { name: 'As built in' }).waitFor();
    const profile = () => asked<{ effective: { prompt_dialect: string } }>('/harness/profile?provider=openai');
    expect((await profile()).effective.prompt_dialect).toBe('full');
    await row.getByRole('button', { name: 'As built in' }).press('Enter');
    await row.getByText('as built in', { exact: true }).waitFor();
    expect((await profile()).effective.prompt_dialect).toBe('compact');
    const wide = page.viewportSize()!;
    await page.setViewportSize(PHONE);
    for (const label of ['Tools', 'Instructions']) await row.getByText(label, { exact: true }).waitFor();
    await page.setViewportSize(wide);
  });

  it('keep both of two changes of a harness profile when the first is still on its way', async () => {
    await open('settings');
    const others = page.locator('details', { has: page.getByText('Profiles of other providers') });
    if ((await others.getAttribute('open')) === null) await others.locator('> summary').press('Enter');
    const row = page.locator('.settings-profile', { hasText: /^openai/ }).first();
    const slow = await hold(page, '**/harness/profile*');
    await row.getByLabel('Instructions').selectOption('full');
    await row.getByLabel('Tools').selectOption('prose');
    await slow.release();
    await slow.release();
    await slow.end();
    await expect
      .poll(async () => (await asked<{ effective: object }>('/harness/profile?provider=openai')).effective)
      .toMatchObject({ prompt_dialect: 'full', tool_transport: 'prose' });
    await row.getByRole('button', { name: 'As built in' }).press('Enter');
    await row.getByText('as built in', { exact: true }).waitFor();
  });

  it('set the approval policy of runs that name none, and show what somebody else sets', async () => {
    const started = async (task: string): Promise<string> => {
      await page.keyboard.press('c');
      await page.getByLabel('Task', { exact: true }).fill(task);
      await page.keyboard.press('Control+Enter');
      await page.getByRole('heading', { level: 1, name: task }).waitFor();
      return (await asked<{ approval: string }>(`/jobs/${page.url().split('/').at(-1)}`)).approval;
    };
    const choice = page.getByLabel('Runs whose request names no policy');
    expect(await started('Look, as the daemon is configured')).toBe('suggest');
    await open('settings/safety');
    expect(await choice.locator('option').first().textContent()).toBe(
      'As configured (Suggest: asks before each change)',
    );
    await choice.selectOption('read-only');
    await page.getByText('not confirmed yet').waitFor({ state: 'detached' });
    expect(await started('Only look')).toBe('read-only');
    await open('settings/safety');
    await daemon.request('/v1/approval-policy', { method: 'PUT', body: '{"policy":"chat-only"}' });
    await expect.poll(() => choice.inputValue(), { timeout: 20_000 }).toBe('chat-only');
    await page.keyboard.press('c');
    const offered = page.getByRole('dialog').getByLabel('Approval').locator('option').first();
    expect(await offered.textContent()).toBe('As the daemon is set (Chat only: answers, uses no tools)');
    await page.keyboard.press('Escape');
    await choice.selectOption('');
    await page.getByText('not confirmed yet').waitFor({ state: 'detached' });
    expect(await asked('/v1/approval-policy')).toMatchObject({ policy: null, effective: 'suggest' });
  });

  it('set the time and the days of the briefing', async () => {
    await open('settings/briefing');
    await page.getByLabel('Write a briefing').press('Space');
    await page.getByRole('textbox', { name: 'At' }).fill('06:30');
    await page.getByRole('checkbox', { name: 'Sun' }).press('Space');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Saved.').waitFor();
    const { settings } = await asked<{ settings: { enabled: boolean; time: string; days: string[] } }>('/briefing');
    expect([settings.enabled, settings.time, settings.days.includes('sun')]).toEqual([true, '06:30', false]);
  });

  it('keep edits of the briefing that are not saved, also when the view is left', async () => {
    const kept = page.getByLabel('Briefings kept');
    await open('settings/briefing');
    await kept.fill('77');
    await open('now');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await staysAtReload(page);
    await open('settings/briefing');
    await kept.waitFor();
    expect(await kept.inputValue()).toBe('77');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Saved.').last().waitFor();
    await open('settings');
    await open('settings/briefing');
    await expect.poll(() => kept.inputValue()).toBe('77');
  });

  it('keep what somebody else sets of the briefing, also after a save of this page', async () => {
    const settings = async () => (await asked<{ settings: { time: string; keep: number } }>('/briefing')).settings;
    const set = (body: object) => daemon.request('/briefing/settings', { method: 'PUT', body: JSON.stringify(body) });
    await open('settings/briefing');
    const field = (label: string) => page.locator('.settings-form .field', { hasText: label }).locator('input, select');
    const slow = await hold(page, '**/briefing/settings');
    await field('At').fill('05:15');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await field('Briefings kept').fill('40');
    await slow.release();
    await expect.poll(async () => (await settings()).time).toBe('05:15');
    await set({ time: '09:45', length: 'long' });
    for (const [label, value] of [
      ['At', '09:45'],
      ['Length', 'long'],
      ['Briefings kept', '40'],
    ] as const) {
      await expect.poll(() => field(label).inputValue()).toBe(value);
    }
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await set({ time: '10:00' });
    await slow.release();
    await slow.end();
    await expect.poll(async () => (await settings()).keep).toBe(40);
    expect(await settings()).toMatchObject({ time: '10:00', length: 'long' });
  });

  it('add a connector, switch it off, and remove it after a question', async () => {
    await open('settings/connectors');
    await page.getByText('Agent runs do not use their tools.').waitFor();
    await page.getByText('No connector is set up').waitFor();
    await page.getByRole('button', { name: 'Add Filesystem' }).press('Enter');
    const row = page.locator('.settings-rows > li', { hasText: 'Filesystem' });
    await row.getByRole('button', { name: 'Switch off' }).press('Enter');
    await row.getByRole('button', { name: 'Switch on' }).waitFor();
    // A second one would be refused.
    await page.getByRole('button', { name: 'Add Filesystem' }).waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Remove…' }).press('Enter');
    await page.getByText('Its credentials are deleted from the vault.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('No connector is set up').waitFor();
    await page.getByRole('button', { name: 'Add Filesystem' }).waitFor();
  });

  it('add a connector by its command, whose test starts it and counts its tools', async () => {
    await open('settings/connectors');
    const add = async (id: string, args: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add one by its command' }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Id').fill(id);
      await dialog.getByLabel('Command').fill(process.execPath);
      await dialog.getByLabel('Arguments').fill(args);
      await dialog.getByLabel('Credentials').fill('not a credential');
      await dialog.getByRole('button', { name: 'Add' }).press('Enter');
      await dialog.getByText('A credential is written NAME=value').waitFor();
      await dialog.getByLabel('Credentials').fill('API_KEY=only-for-the-vault');
      await dialog.getByRole('button', { name: 'Add' }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };
    const row = (id: string) => page.locator('.settings-rows > li', { hasText: id });
    await add('everything', `${EVERYTHING}\nstdio`);
    await row('everything').getByRole('button', { name: 'Test' }).press('Enter');
    await page.getByText(/^everything answers, with \d+ tools\.$/).waitFor();
    expect(await page.content()).not.toContain('only-for-the-vault');
    await add('broken', 'no-such-file.js');
    await row('broken').getByRole('button', { name: 'Test' }).press('Enter');
    await page.locator('.toast.bad', { hasText: /^broken: The server ended/ }).waitFor();
    for (const id of ['everything', 'broken']) {
      await row(id).getByRole('button', { name: 'Remove…' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await row(id).waitFor({ state: 'detached' });
    }
  });

  it('show on a phone which part is open', async () => {
    const before = page.viewportSize()!;
    await page.setViewportSize(PHONE);
    await open('settings');
    await open('settings/safety');
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    const box = await page.getByRole('link', { name: 'Safety' }).boundingBox();
    expect(box!.x + box!.width).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(before);
  });

  it('make a backup, which is restored for the proof', async () => {
    await open('settings/safety');
    await page.getByText('No backup was made yet.').waitFor();
    await page.getByRole('button', { name: 'Back up and verify now' }).press('Enter');
    await page.getByText('The backup is made, and was restored for the proof.').waitFor();
    await page.getByText('Proven by restoring it').waitFor();
  });

  it('install a plugin, set its policy, and uninstall it after a question', async () => {
    await open('settings/plugins');
    const row = page.locator('.settings-rows > li', { hasText: 'Test first' });
    await row.getByRole('button', { name: /^Install/ }).press('Enter');
    await expect.poll(() => row.getByRole('option').allTextContents()).toEqual(['on', 'off']);
    await row.getByRole('combobox').selectOption('off');
    await expect
      .poll(async () => JSON.stringify(await asked('/api/vibedesk/plugins/catalog')))
      .toContain('"policy":"off"');
    await row.getByRole('button', { name: 'Uninstall…' }).press('Enter');
    await page.getByText('Its files leave the project.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).press('Enter');
    await row.getByRole('button', { name: /^Install/ }).waitFor();
  });

  it('install a bundle, which says what its connectors lack and that its plugins stay without it', async () => {
    await open('settings/plugins');
    await page.getByRole('button', { name: 'Install Engineering' }).press('Enter');
    await page.getByText('GitHub needs credentials: add it under Connectors.').waitFor();
    const row = page.locator('.settings-rows > li', { hasText: 'Engineering' });
    await row.getByRole('button', { name: 'Uninstall…' }).press('Enter');
    await page.getByText('The plugins and connectors that it installed stay').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).press('Enter');
    await page.getByRole('button', { name: 'Install Engineering' }).waitFor();
  });

  it('encrypt the memory after a dialog that says what cannot be undone', async () => {
    await open('settings/safety');
    await page.getByText('Memories are stored as plain text').waitFor();
    await page.getByRole('button', { name: 'Encrypt…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Encrypt the memory?' });
    await dialog.getByText('there is no way back to plain text').waitFor();
    await dialog.locator('select').selectOption('passphrase');
    await dialog.getByRole('textbox', { name: 'Passphrase' }).fill('correct horse battery staple');
    await page.keyboard.press('Enter');
    await page.getByText('Memories are encrypted; the key comes from the passphrase.').waitFor();
  });
});
