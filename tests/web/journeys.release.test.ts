/** The complete work of three people by keyboard only: a consultant, a developer, an operator. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { post } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { goBy, Keyboard } from './keyboard.ts';
import { ended, startRun } from './pages.ts';
import { startProvider } from './provider.ts';
import { sharedConsole } from './shared-console.ts';

const JOURNEY_MS_MAX = 90_000;
const provider = await startProvider();
const folder = temporaryFolder('client');
let daemon: TestDaemon;
let keys: Keyboard;

sharedConsole(
  async () => {
    mkdirSync(join(folder, 'docs'));
    writeFileSync(join(folder, 'docs/risk-register.md'), '# Risks\n');
    const started = await testDaemon({ env: provider.env });
    return started;
  },
  (shared) => {
    ({ daemon } = shared);
    keys = new Keyboard(shared.page);
  },
);
afterAll(() => provider.close());

async function read<Answer>(path: string): Promise<Answer> {
  return (await (await daemon.request(path)).json()) as Answer;
}

describe('a consultant', () => {
  it(
    'opens an engagement, works on a deliverable, attaches evidence, judges a gate, leaves the phase, looks back and reports',
    async () => {
      const { page } = keys;
      await keys.link('Engagements');
      await keys.heading('Engagements');
      await keys.button('New engagement');
      await keys.fill('Name', 'Nordwind rollout');
      await keys.fill('Client', 'Nordwind AG');
      await keys.fill(/^Folder of its work/, folder);
      await keys.press('Enter');
      await keys.heading('Nordwind rollout');
      const { engagements } = await read<{ engagements: readonly { id: string }[] }>('/engagements');
      const { id } = engagements[0]!;

      // A deliverable is edited where it stands.
      await keys.button(/^Risk register/);
      await keys.reach(page.getByLabel('Status of Risk register'));
      await keys.press('I');
      await keys.sees('“Risk register” is in progress.');
      await keys.fill('Owner', 'Ada');
      await keys.press('Enter');
      await keys.fill('Notes', 'Two risks are open.');
      await keys.press('Control+Enter');
      await page.getByRole('button', { name: /^Risk register Ada/ }).waitFor();

      // Evidence: a file of the workspace, and a link.
      const attach = page.getByRole('button', { name: 'Attach…' });
      await keys.button('Attach…');
      await keys.fill(/^Path of the file/, 'docs/risk-register.md');
      await keys.press('Enter');
      await page.locator('.engagement-item').getByText('unchanged').waitFor();
      await keys.isAt(attach);
      await keys.press('Enter');
      await keys.reach(page.getByRole('radio', { name: 'File' }));
      await keys.press('ArrowDown');
      await keys.fill('Address', 'https://example.com/risks');
      await keys.press('Enter');
      await page.locator('.engagement-item').nth(1).waitFor();
      await keys.isAt(attach);

      // A gate is judged by what was observed.
      await keys.button('Judge…');
      await keys.fill('What was observed', '9 of 9 teams answered.');
      await keys.button('Record: Pass');
      await keys.sees('The verdict is recorded.');
      await keys.isAt(page.getByRole('button', { name: 'Judge…' }).first());

      // The phase has blockers: it is left by force, with a reason.
      await keys.reach(page.getByRole('button', { name: 'Leave the phase…' }), 'Shift+Tab');
      await keys.press('Enter');
      await keys.sees(/^11 blockers hold the phase/);
      await keys.reach(page.getByLabel('Leave it all the same'));
      await keys.press('Space');
      await keys.fill('Why in spite of them', 'The client insists.');
      await keys.button('Force: go on to Prove');
      await keys.sees('The phase is now Prove.');
      await keys.isAt(page.getByRole('button', { name: 'Leave the phase…' }));
      await waiveAll(id, 'prove');
      await keys.press('a');
      await keys.sees('Nothing holds the phase.');
      await keys.fill('Why', 'All is shown.');
      await keys.button('Go on to Build');
      await keys.sees('The phase is now Build.');

      // Back in time, by the slider; and the report of that moment and of now.
      await keys.press('t', 'Home');
      await keys.sees('after owner opened the engagement');
      await keys.isAt(page.getByRole('slider'));
      await keys.press('End');
      await page.waitForURL((url) => !url.hash.includes('at='));
      await keys.isAt(page.getByRole('slider'));
      await keys.reach(page.getByRole('link', { name: 'Report', exact: true }), 'Shift+Tab');
      await keys.press('Enter');
      await page.locator('.engagement-paper', { hasText: 'The client insists.' }).waitFor();
      const download = page.waitForEvent('download');
      await keys.button('Save as PDF');
      expect((await download).suggestedFilename()).toMatch(/^report-.*\.pdf$/);
      await keys.link(/^Back to the engagement/);
      await keys.heading('Nordwind rollout');
    },
    JOURNEY_MS_MAX,
  );
});

describe('a developer', () => {
  it(
    'reads a run, goes back in it, forks it, compares both, reads the events, saves it; and answers an approval',
    async () => {
      const { page } = keys;
      const rows = page.locator('.virtual a');
      const id = await startRun(daemon, { task: 'Describe the invoice import', approval: 'full-auto' });
      await ended(daemon, id);
      await goBy(page, 'r');
      await keys.heading('Runs');
      await rows.filter({ hasText: 'complete' }).first().waitFor();
      await keys.press('j');
      await keys.isAt(rows.first());
      await keys.press('Enter');
      await keys.heading('Describe the invoice import');
      // Now showed the run before: its last events may come after its status.
      await page.locator('.entry-end').waitFor();

      // What a call changed, the events as the log has them, and the files that are saved.
      await keys.reach(page.locator('summary', { hasText: 'write_file' }).first());
      await keys.press('Enter');
      await page.locator('.diff').first().waitFor();
      await keys.reach(page.getByRole('button', { name: 'Events' }), 'Shift+Tab');
      await keys.press('Enter');
      await keys.reach(page.locator('summary', { hasText: 'ToolFinished' }).first());
      await keys.press('Enter');
      await page.locator('pre', { hasText: '"ToolFinished"' }).waitFor();
      const menu = page.locator('summary', { hasText: 'Save' });
      await keys.reach(menu, 'Shift+Tab');
      await keys.press('Enter');
      for (const [name, ending] of [
        ['HTML', /\.html$/],
        ['PDF', /\.pdf$/],
        ['JSON', /\.json$/],
      ] as const) {
        const download = page.waitForEvent('download');
        await keys.button(name);
        expect((await download).suggestedFilename()).toMatch(ending);
      }
      await keys.press('Escape');
      await keys.isAt(menu);

      // Back in time, and a fork from there.
      await keys.reach(page.getByRole('slider'));
      await keys.press('ArrowLeft', 'ArrowLeft');
      await keys.sees('This is the run as it was after step 2.');
      await keys.button('Fork from here…');
      await keys.fill('What the new run is to do', 'Describe it again');
      await keys.button('Fork');
      await keys.heading('Describe it again');
      const fork = new URL(page.url()).hash.split('/').at(-1)!;
      await ended(daemon, fork);
      await page.locator('.view-head').getByText('complete').waitFor();

      // Both runs side by side.
      await keys.link('All runs');
      await keys.heading('Runs');
      await keys.reach(rows.first());
      await keys.press('x', 'ArrowDown', 'x');
      await keys.reach(page.getByRole('link', { name: 'Compare them' }), 'Shift+Tab');
      await keys.press('Enter');
      await keys.heading('Two runs');
      await page.locator('.compare-pair').first().waitFor();

      // A run that asks, and its answers.
      await keys.press('c');
      await keys.fill('Task', 'Write down the questions');
      await keys.reach(page.getByLabel('Approval'));
      await keys.press('S');
      await keys.reach(page.getByLabel(/^Ask me here/));
      await keys.button('Start');
      await keys.heading('Write down the questions');
      await keys.button('Allow once');
      await page.locator('.approval-tool', { hasText: 'edit_file' }).waitFor();
      await keys.seesFocus();
      await goBy(page, 'n');
      await keys.heading('Now');
      await keys.button('Deny…');
      await keys.type('Not in this file');
      await keys.press('Enter');
      await page.locator('.approval-tool', { hasText: 'bash' }).waitFor();
      await keys.seesFocus();
      await keys.button('Allow for this run');
      await page.locator('.now-row', { hasText: 'Write down the questions' }).getByText('complete').waitFor();
    },
    JOURNEY_MS_MAX,
  );
});

describe('an operator', () => {
  it(
    'reads the metrics, finds an event and proves it, tests the provider, backs up, and looks into the memory',
    async () => {
      const { page } = keys;
      const { id: task } = await post<{ id: string }>(daemon, '/api/tasks', { title: 'Renew the certificate' });
      await post(daemon, '/memory/add', { content: 'The certificate ends in March.' });
      await post(daemon, '/memory/add', { content: 'Ada likes short reports.' });

      // Metrics: the parts, and the span of time.
      await goBy(page, 't');
      await keys.heading('Metrics');
      await keys.reach(page.getByRole('combobox', { name: 'Time' }));
      await keys.press('6');
      await page.waitForURL(/range=6h/);
      await keys.link('Process');
      await page.waitForURL(/metrics\/process/);
      await keys.link('Delivery');
      await keys.sees('Which repository?');

      // Log: a filter, the graph of an event, and its proof.
      await goBy(page, 'l');
      await page.locator('.log-row').first().waitFor();
      await keys.press('/');
      await keys.type(`task-${task}`);
      await keys.press('Enter');
      await page.waitForURL(/stream=task-/);
      await page.waitForFunction(() => document.querySelectorAll('.log-row').length === 1);
      await keys.reach(page.locator('.virtual a').first());
      await keys.press('Enter');
      await keys.heading('TaskCreated');
      await page.locator('.log-node[aria-current]').waitFor();
      await keys.button(/^Check the proof/);
      await keys.sees(/Proven: event [\d,]+ is in the log/);
      await keys.press('k');
      await page.locator('.log-node[aria-current]').waitFor();
      await keys.reach(page.locator('.log-column a').first());

      // Settings: the provider answers, the policy is set, the store is backed up.
      await goBy(page, 's');
      await keys.heading('Settings');
      await keys.button('Test the model in use');
      await keys.sees('openrouter answered in');
      await keys.link('Safety');
      await keys.reach(page.getByLabel('Runs whose request names no policy'));
      await keys.press('R');
      await expect.poll(() => read<{ policy: string }>('/v1/approval-policy')).toMatchObject({ policy: 'read-only' });
      await keys.button('Back up and verify now');
      await keys.sees('The backup is made, and was restored for the proof.');

      // Memory: a question, why its answer was found, and a pin.
      await goBy(page, 'm');
      await keys.heading('Memory');
      await keys.press('/');
      await keys.type('When does the certificate end?');
      await keys.press('Enter');
      await keys.sees(/found, the best first/);
      await keys.isAt(page.getByLabel('Question'));
      await keys.reach(page.locator('.memory-score > summary').first());
      await keys.press('Enter');
      await page.locator('.memory-total').first().waitFor();
      await keys.reach(page.getByRole('button', { name: 'Pin', exact: true }).first(), 'Shift+Tab');
      await keys.press('Enter');
      await page.locator('.memory-card .badge.good').first().waitFor();
      await keys.isAt(page.getByRole('button', { name: 'Unpin' }));
    },
    JOURNEY_MS_MAX,
  );
});

it(
  'a team makes a goal and one below it, edits and pins it, and writes in a room, which is left by Tab',
  async () => {
    const { page } = keys;
    const editor = page.getByRole('textbox', { name: /^Text/ });
    await goBy(page, 'o');
    await keys.heading('Goals');
    await keys.button('New goal');
    await keys.fill('Title', 'Ship the import');
    await keys.press('Enter');
    await keys.heading('Ship the import');
    const more = page.locator('summary', { hasText: 'More' });
    await keys.reach(more);
    await keys.press('Enter');
    await keys.button('New goal below…');
    await keys.fill('Title', 'Read CSV');
    await keys.press('Enter');
    await keys.heading('Read CSV');
    await keys.press('e');
    await keys.fill('What is to be so', 'Each line is read.');
    await keys.button('Save');
    await page.locator('.goals-statement', { hasText: 'Each line is read.' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keys.reach(more);
    await keys.press('Enter');
    await keys.button(/^Pin/);
    await expect
      .poll(() => read<{ goal_id: string | null }>('/v1/goals/current'))
      .toMatchObject({
        goal_id: new URL(page.url()).hash.split('/').at(-1),
      });

    await keys.press('Escape');
    await goBy(page, 'w');
    await keys.heading('Rooms');
    await keys.button('New room');
    await keys.fill('Name of the room', 'standup');
    await keys.press('Enter');
    await keys.heading('standup');
    await keys.isAt(editor);
    await keys.type('- CSV is done.');
    await keys.reach(page.getByRole('button', { name: 'New text' }), 'Shift+Tab');
    await keys.press('Enter');
    await keys.fill('Name of the text', 'notes.md');
    await keys.press('Enter');
    await keys.isAt(page.getByRole('textbox', { name: /notes\.md/ }));
    await expect.poll(() => read<readonly string[]>('/collab/rooms')).toContain('standup');
  },
  JOURNEY_MS_MAX,
);

/** What holds a phase is waived, as somebody else does it. */
async function waiveAll(id: string, phase: string): Promise<void> {
  interface Held {
    readonly id: string;
    readonly phase: string;
  }
  const { deliverables } = await read<{ deliverables: readonly Held[] }>(`/engagements/${id}/deliverables`);
  const { gates } = await read<{ gates: readonly Held[] }>(`/engagements/${id}/gates`);
  const isHere = (each: Held): boolean => each.phase === phase;
  for (const each of deliverables.filter(isHere)) {
    const body = JSON.stringify({ status: 'waived' });
    await daemon.request(`/engagements/${id}/deliverables/${each.id}`, { method: 'PATCH', body });
  }
  for (const each of gates.filter(isHere)) {
    await post(daemon, `/engagements/${id}/gates/${each.id}/judge`, { verdict: 'waived', rationale: 'Not needed.' });
  }
}
