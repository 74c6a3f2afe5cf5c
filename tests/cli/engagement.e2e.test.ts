/** `daybook engagement` on a real daemon: a phase from its opening to the next one, and its past. */
import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type {
  EngagementsGetAnswer,
  EngagementsListAnswer,
  EngagementsListDeliverablesAnswer,
} from '../../src/client/client.ts';
import { post } from '../support/asking.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { cliHere, jsonLines } from './support.ts';

const daemon = sharedDaemon();
const KEY = 'system-inventory';

async function engagement(...words: string[]) {
  const { home, workspace } = daemon;
  return cliHere(['engagement', ...words], { home, cwd: workspace });
}

beforeAll(async () => {
  const made = await engagement('new', 'Acme platform', '--client', 'Acme', '--workspace', '.');
  expect(made.stdout).toMatch(/^[0-9a-f]{8} {2}Acme platform\nNext: daybook engagement show [0-9a-f]{8}\n$/);
  await engagement('new', 'Beta');
});

test('the list has a line for each, and an id that every command takes', async () => {
  const { code, stdout } = await engagement('list');
  expect(code).toBe(0);
  expect(await engagement('--json')).toEqual(await engagement('list', '--json'));
  expect(stdout).toMatch(/^ID +PHASE +STATUS +CHANGED +NAME\n.*\n.*Acme platform \(Acme\)\n$/);
  const id = /^([0-9a-f]{8}) .*Acme/m.exec(stdout)![1]!;
  const { report } = JSON.parse((await engagement('show', id, '--json')).stdout) as EngagementsGetAnswer;
  expect(report.engagement).toMatchObject({ name: 'Acme platform', workspace_path: daemon.workspace });
});

test('a deliverable is accepted with a file of which the hash is recorded', async () => {
  writeFileSync(join(daemon.workspace, 'inventory.md'), '40 services\n');
  const bare = await engagement('deliver', 'acme', KEY, 'accepted', '--owner', 'Ada');
  expect(bare.stdout).toBe(`${KEY}: accepted, owner Ada, 0 pieces of evidence\n`);
  expect(bare.stderr).toBe('daybook: it is accepted without evidence, which blocks the phase.\n');
  const { stdout } = await engagement('evidence', 'add', 'acme', KEY, 'inventory.md');
  expect(stdout).toContain(`sha256 ${createHash('sha256').update('40 services\n').digest('hex')}, 12 bytes\n`);
  expect((await engagement('evidence', 'list', 'acme', KEY)).stdout).toMatch(
    / file +[0-9a-f]{12} +unchanged +inventory/,
  );
  writeFileSync(join(daemon.workspace, 'inventory.md'), '41 services\n');
  expect((await engagement('evidence', 'list', 'acme', KEY)).stdout).toContain('changed  inventory.md');
});

// The shell showed what it cannot insert, and its terminal did what the key said.
test('a deliverable whose key cannot be typed is not completed', async () => {
  await engagement('deliverable', 'add', 'beta', 'k\u001b[31m', 'Typed by a program');
  const { stdout } = await cliHere(['completion', '--ids', 'deliverables', '--of', 'beta'], { home: daemon.home });
  expect(stdout).toMatch(/^system-inventory\t/m);
  expect(stdout).not.toContain('Typed by a program');
});

test('evidence is listed by its reference and its label, which a program need not give', async () => {
  const { stdout: listed } = await engagement('deliverables', 'beta', '--json');
  const { deliverables } = JSON.parse(listed) as EngagementsListDeliverablesAnswer;
  const { id, engagement_id } = deliverables.find(({ key }) => key === KEY)!;
  const reference = 'https://example.com/minutes';
  for (const label of ['', 'minutes']) {
    await post(daemon, `/engagements/${engagement_id}/deliverables/${id}/evidence`, { kind: 'url', reference, label });
  }
  const { stdout } = await engagement('evidence', 'list', 'beta', KEY);
  expect(stdout).toMatch(/ url +https:\S+minutes$/m);
  expect(stdout).toMatch(/ url +minutes: https:\S+minutes$/m);
});

test('a mistyped path is not attached as evidence, unless its kind is given', async () => {
  const listed = async () => (await engagement('evidence', 'list', 'acme', 'risk-register')).stdout;
  expect(await engagement('evidence', 'add', 'acme', 'risk-register', 'risks.mdd')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'daybook: There is no file risks.mdd. Attach what is no file here with --kind, such as --kind note.\n',
  });
  expect(await listed()).toBe('No evidence for risk-register.\n');
  const elsewhere = await engagement('evidence', 'add', 'acme', 'risk-register', 'risks.mdd', '--kind', 'file');
  expect(elsewhere).toMatchObject({ code: 0, stderr: 'daybook: the file could not be read; no hash is recorded.\n' });
  expect(await listed()).toMatch(/ file +no file recorded +risks\.mdd\n$/);
  await engagement('evidence', 'remove', 'acme', 'risk-register', 'risks');
  writeFileSync(join(daemon.workspace, 'risks.md'), '?');
  const words = ['engagement', 'evidence', 'add', 'acme', 'risk-register', 'risks.md'];
  expect((await cliHere(words, { home: daemon.home, cwd: '/' })).stdout).toMatch(/\nsha256 \w+, 1 byte\n$/);
  await engagement('evidence', 'remove', 'acme', 'risk-register', 'risks');
  rmSync(join(daemon.workspace, 'risks.md'));
});

test('of a file that is too large for a hash this is said, and not that it could not be read', async () => {
  const path = join(daemon.workspace, 'recording.mp4');
  writeFileSync(path, '');
  truncateSync(path, 300 * 1024 * 1024);
  const added = await engagement('evidence', 'add', 'acme', 'risk-register', 'recording.mp4');
  const stderr = 'daybook: the file is too large (314.6 MB); no hash is recorded.\n';
  expect(added).toMatchObject({ code: 0, stderr });
  const { stdout } = await engagement('evidence', 'list', 'acme', 'risk-register');
  expect(stdout).toMatch(/ file +not checked +recording\.mp4\n$/);
  await engagement('evidence', 'remove', 'acme', 'risk-register', 'recording');
  rmSync(path);
});

test('evidence is proposed from the files of the workspace, attached, and taken back', async () => {
  writeFileSync(join(daemon.workspace, 'risk-register.md'), 'Risks\n');
  const proposed = await engagement('scan', 'acme');
  expect(proposed.stdout).toMatch(/\nrisk-register +6 B +risk-register\.md\n[\s\S]*attach them with --attach\.\n/);
  expect(proposed.stdout).toMatch(/\nUndetectable: [a-z-]+(,\s[a-z-]+)*\.\n$/);
  expect((await engagement('scan', 'acme', '--attach')).stdout).toMatch(/; [1-9]\d* attached\.\n/);
  const taken = await engagement('evidence', 'remove', 'acme', 'risk-register', 'risk');
  expect(taken.stdout).toMatch(/^[0-9a-f]{8} is removed from risk-register\n$/);
  expect((await engagement('evidence', 'list', 'acme', 'risk-register')).stdout).toBe(
    'No evidence for risk-register.\n',
  );
});

test('a gate is judged, and a pass needs an observation', async () => {
  const blind = await engagement('gate', 'judge', 'acme', 'Inventory', 'pass');
  expect([blind.code, blind.stderr]).toEqual([2, expect.stringContaining('--observed')]);
  const judged = await engagement(
    'gate',
    'judge',
    'acme',
    'Inventory',
    'pass',
    '--observed',
    '0 misses',
    '--by',
    'Ada',
  );
  expect(judged.stdout).toBe('Inventory is complete: pass, verdict 1 of this gate\n');
  expect((await engagement('gate', 'show', 'acme', 'Inventory')).stdout).toMatch(/pass by Ada\n {2}0 misses\n$/);
});

test('a phase with blockers is left only by force with a reason, which the past and the report show', async () => {
  const refused = await engagement('advance', 'acme');
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^discover cannot be left yet\.\n\nWhat blocks discover\n• /);
  expect(JSON.parse((await engagement('advance', 'acme', '--json')).stdout).outcome.advanced).toBe(false);
  expect((await engagement('advance', 'acme', '--force')).code).toBe(2);
  const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
  expect((await engagement('advance', 'acme', '--force', '--reason', 'The client insists')).stdout).toMatch(
    /^discover → prove\nForced, over \d+ blockers/,
  );
  expect((await engagement('show', 'acme')).stdout).toMatch(/discover → prove forced by .*\n {2}The client insists\n/);
  expect((await engagement('report', 'acme')).stdout).toContain('The client insists');
  expect((await engagement('handover', 'acme')).stdout).toContain('The client insists');
  const then = (await engagement('show', 'acme', '--at', String(position))).stdout;
  expect(then).toMatch(/status +draft, phase discover\n/);
  expect(then).toMatch(/as of +position \d+, /);
  expect((await engagement('list')).stdout).toMatch(/ prove .*Acme platform/);
  const earlier = await engagement('list', '--at', String(position));
  expect(earlier.stdout).toMatch(/^as of +position \d+, .*\n[\s\S]* discover .*Acme platform/);
  const json = JSON.parse(
    (await engagement('list', '--json', '--at', String(position))).stdout,
  ) as EngagementsListAnswer;
  expect(json.as_of).toMatchObject({ asked: String(position) });
  expect((await engagement('list', '--at', '1970-01-01T00:00:00Z')).stdout).toContain(
    'There were no engagements then.',
  );
  // The time was shown as 1970-01-01T000000Z.
  expect((await engagement('show', 'acme', '--at', '1970-01-01T00:00:00Z')).stderr).toMatch(
    /^daybook: Engagement '[\w-]{36}' did not exist at '1970-01-01T00:00:00Z'\n$/,
  );
});

test('show has the figures of the summary of the report: what is waived is not in scope', async () => {
  await engagement('deliver', 'beta', 'success-criteria', 'waived');
  await engagement('gate', 'judge', 'beta', 'Every criterion is judged', 'waived');
  const shown = (await engagement('show', 'beta')).stdout;
  const report = (await engagement('report', 'beta')).stdout;
  expect(shown).toMatch(/^ {2}prove +0\/4 +0\/4 +0% +7$/m);
  expect(report).toMatch(/^\| Prove \| .* \| 0 \| 4 \| 0% \| 0\/4 \| 3 \| blocked \|$/m);
});

test('the history says what, when, by whom and why; --json has whole events', async () => {
  const { engagement: beta } = (JSON.parse((await engagement('show', 'beta', '--json')).stdout) as EngagementsGetAnswer)
    .report;
  const [item] = (
    JSON.parse((await engagement('deliverables', 'beta', '--json')).stdout) as EngagementsListDeliverablesAnswer
  ).deliverables;
  const note = { method: 'POST', body: JSON.stringify({ kind: 'note', label: 'Seen on site', reference: '' }) };
  await daemon.request(`/engagements/${beta.id}/deliverables/${item!.id}/evidence`, note);
  expect((await engagement('history', 'beta')).stdout).toContain(`  ${item!.key}: Seen on site — `);
  const { stdout } = await engagement('history', 'acme');
  expect(stdout).toMatch(
    /\nPhaseAdvanced {2}\S+ \S+ by \w+, position \d+\n {2}discover → prove, forced over \d+ blockers — The client\s+insists\n$/,
  );
  const events = jsonLines<{ type: string; position: number }>((await engagement('history', 'acme', '--json')).stdout);
  expect(events[0]).toMatchObject({ type: 'EngagementOpened', reason: expect.any(String) });
  expect(stdout).toContain('  Inventory is complete: 0 misses: not measured → pass, decided by Ada — ');
  expect(stdout).toMatch(/\nEvidenceRemoved .*\n {2}risk-register: risk-register\.md — /);
  expect(events).toHaveLength(stdout.trimEnd().split(', position ').length - 1);
  const { position } = events.find(({ type }) => type === 'GateJudged')!;
  const rest = (await engagement('history', 'acme', '--after', String(position - 1))).stdout;
  expect(stdout.endsWith(`\n${rest}`)).toBe(true);
  expect(rest).toMatch(/^GateJudged/);
});

test.each([
  [['show', 'acmee'], 1, "There is no engagement 'acmee'. Did you mean 'Acme'? See: daybook engagement list"],
  [['deliver', 'acme', 'sistem-inventory', 'ready'], 1, "Did you mean 'system-inventory'?"],
  [['deliver', 'acme', 'system', 'ready'], 0, ''],
  [['deliver', 'acme', 'functional'], 2, 'Give a status, --owner or --notes'],
  [['deliver', 'acme', KEY, 'finished'], 2, 'Allowed choices are not_started, in_progress, ready, accepted, waived.'],
  [['scan', 'beta'], 2, 'has no workspace bound to it. Name a folder with --path <dir>.'],
  [['shwo'], 2, "unknown command 'shwo' (Did you mean show?). See daybook engagement --help."],
])('%j', async (words, code, sentence) => {
  const { stderr, ...end } = await engagement(...words);
  expect([end.code, stderr]).toEqual([code, expect.stringContaining(sentence)]);
});

test('several that begin alike are named', async () => {
  const { deliverables } = JSON.parse(
    (await engagement('deliverables', 'beta', '--json')).stdout,
  ) as EngagementsListDeliverablesAnswer;
  const starts = deliverables.filter(({ key, title }) =>
    [key, title.toLowerCase()].some((name) => name.startsWith('s')),
  );
  const { code, stderr } = await engagement('deliver', 'beta', 's', 'ready');
  expect([code, stderr]).toEqual([2, expect.stringContaining(`'s' means ${starts.length} deliverables: `)]);
});

test('a gate and a deliverable beside the template are added; a gate is taken away, and stays in the history', async () => {
  const words = ['--measurement', 'Count the open findings', '--criterion', 'None is critical', '--phase', 'build'];
  const added = await engagement('gate', 'add', 'acme', 'Pen test is clean', ...words);
  expect(added.stdout).toMatch(/^[0-9a-f]{8} {2}build {2}Pen test is clean\n$/);
  expect((await engagement('gate', 'show', 'acme', 'pen test')).stdout).toContain('Count the open findings');
  const removed = await engagement('gate', 'remove', 'acme', 'pen test', '--reason', 'Another team does it');
  expect(removed.stdout).toBe('Pen test is clean is removed\n');
  expect((await engagement('gate', 'show', 'acme', 'pen test')).code).toBe(1);
  expect((await engagement('history', 'acme')).stdout).toContain(
    '  Pen test is clean: last verdict not measured — Another team does it',
  );
  expect(await engagement('gate', 'add', 'acme', 'Unmeasured')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--measurement'),
  });
  const promised = await engagement(
    'deliverable',
    'add',
    'acme',
    'data-map',
    'Map of the data',
    '--description',
    'All of it',
  );
  expect(promised.stdout).toMatch(/^data-map {2}(discover|prove|build|operate) {2}Map of the data\n$/);
  expect((await engagement('deliverables', 'acme')).stdout).toContain('data-map');
});
