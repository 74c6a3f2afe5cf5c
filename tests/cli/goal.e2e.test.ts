/** `daybook goal` on a real daemon. */
import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedDaemon } from '../support/daemon.ts';
import { cliHere } from './support.ts';

const daemon = sharedDaemon();

async function goal(...words: string[]) {
  const { home, workspace } = daemon;
  return cliHere(['goal', ...words], { home, cwd: workspace });
}

beforeAll(async () => {
  expect((await goal()).stdout).toBe('No goals. Make one with: daybook goal new "<title>"\n');
  const made = await goal('new', 'Ship the exporter', '--criterion', 'rehearse: tools 1', '--criterion', 'It is fast');
  expect(made.stdout).toMatch(/^[0-9a-f]{12} {2}active {2}Ship the exporter\n$/);
  await goal('new', 'Measure it', '--parent', 'ship');
  await goal('new', 'Measure it well', '--parent', 'measure it');
});

test('list, show and tree, by a short id or the beginning of a title', async () => {
  const { stdout } = await goal('list');
  const id = /^([0-9a-f]{12}) +active +\S+ \w+ +Ship the exporter$/m.exec(stdout)![1]!;
  const shown = (await goal('show', id)).stdout;
  expect(shown).toContain('\nCriteria\n• rehearse: tools 1\n• It is fast\n');
  expect((await goal('tree')).stdout).toMatch(
    /^Ship the exporter {2}active {2}\w{12}\n└ Measure it {2}active {2}\w{12}\n {2}└ Measure it well {2}active {2}\w{12}\n$/,
  );
  expect((await goal('tree', 'ship', '--depth', '1')).stdout).toMatch(/\n└ … 1 below; see them with --depth\n$/);
  expect(JSON.parse((await goal('tree', 'ship', '--json')).stdout)).toMatchObject({
    tree: { goal: { id: expect.stringContaining(id) } },
  });
  const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
  await goal('set', 'Measure it well', '--status', 'done');
  const earlier = (await goal('tree', '--at', String(position))).stdout;
  expect(earlier).toMatch(/^as of +position \d+, .*\nShip the exporter {2}active/);
  expect(earlier).not.toContain('done');
  expect((await goal('list', '--at', String(position))).stdout).toMatch(/^as of +position \d+, .*\nID /);
  expect((await goal('list', '--at', '1970-01-01T00:00:00Z')).stdout).toMatch(
    /^as of +1970-01-01T00:00:00Z, before the first one\n+There were no goals then\.\n$/,
  );
  expect((await goal('list', '--tag', 'absent')).stdout).toBe('No goal fits.\n');
  expect((await goal('list', '--status', 'done')).stdout.trimEnd().split('\n')).toHaveLength(2);
});

test('a pinned goal is named until it is unpinned', async () => {
  expect((await goal('pin')).stdout).toBe('No goal is pinned for everywhere.\n');
  expect((await goal('pin', 'ship', '--workspace', '.')).stdout).toMatch(
    /^Pinned for \/.*: \w{12} {2}Ship the exporter\n$/,
  );
  expect((await goal('pin', '--workspace', '.')).stdout).toContain('Ship the exporter');
  const link = join(daemon.workspace, 'link');
  symlinkSync(daemon.workspace, link);
  expect((await goal('pin', '--workspace', link)).stdout).toContain('Ship the exporter');
  expect((await goal('unpin', '--workspace', link)).stdout).toMatch(/^No goal is pinned for .* any more\.\n$/);
  unlinkSync(link);
});

test('plan, a run for it with the exit code of run, and what came of it', async () => {
  const planned = await goal('plan', 'ship');
  expect(planned.stdout).toMatch(/^Ship the exporter\n\nPlan\n· 1\. /);
  const run = await goal('start', 'ship', '--task', 'rehearse: tools 1\nrehearse: slow 1');
  expect([run.code, run.stderr]).toEqual([0, '']);
  const session = /^run ([0-9a-f]{32})$/m.exec(run.stdout)![1]!;
  expect((await goal('show', 'ship')).stdout).toContain(`• session ${session}`);
  expect((await goal('recap', 'ship')).stdout).toMatch(/^Ship the exporter\n/);
  const failed = await goal('start', 'ship', '--json', '--task', 'rehearse: fail');
  expect(failed.stdout.split('\n')[0]).toMatch(/^\{"type":/);
});

test('a run and a note are linked, and a goal is deleted once its losses are named', async () => {
  await goal('new', 'Short-lived');
  const { home, workspace } = daemon;
  const run = await cliHere(['run', 'rehearse: tools 1', '--detach'], { home, cwd: workspace });
  const session = run.stdout.trim();
  const linked = await goal('link', 'short', session.slice(0, 12), '--note', 'the first try');
  expect(linked.stdout).toMatch(new RegExp(`^[0-9a-f]{12} {2}session ${session}\\n$`));
  const unknown = await goal('link', 'short', 'hello');
  expect([unknown.code, unknown.stderr]).toEqual([1, "daybook: There is no run 'hello'. See: daybook jobs\n"]);
  await goal('link', 'short', 'It was cold.', '--kind', 'note');
  const { stdout } = await goal('show', 'short');
  expect(stdout).toMatch(new RegExp(`• session ${session}, .*: the first try`));
  expect(stdout).toContain('note It was cold.');
  const asked = await goal('delete', 'short');
  expect([asked.code, asked.stderr]).toEqual([
    2,
    'daybook: This would delete “Short-lived” with its plan and its 2 links for good. Add --yes to do it.\n',
  ]);
  expect((await goal('delete', 'short', '--yes')).stdout).toBe(
    'Deleted “Short-lived” with its plan and its 2 links.\n',
  );
  expect((await goal('show', 'short')).code).toBe(1);
});

test.each([
  [['show', 'shipp'], 1, "There is no goal 'shipp'. Did you mean 'Ship the exporter'? See: daybook goal list"],
  [['show', 'x'], 1, "There is no goal 'x'. See: daybook goal list"],
  [['show', 'meas'], 2, "'meas' means 2 goals: "],
  [['set', 'ship'], 2, 'Give --title, --statement, --status or --parent'],
  [['new', 'Ship the exporter'], 1, 'exists'],
  [['treee'], 2, "unknown command 'treee' (Did you mean tree?). See daybook goal --help."],
])('%j', async (words, code, sentence) => {
  const { stderr, ...end } = await goal(...words);
  expect([end.code, stderr]).toEqual([code, expect.stringContaining(sentence)]);
});
