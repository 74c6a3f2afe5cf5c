/** `daybook jobs`, `replay` and `fork` on a real daemon, and without one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JobRecord } from '../../src/client/generated/types.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { cliHere, startCli } from './support.ts';

let home: string;
let daemon: TestDaemon;
let session: string;

beforeAll(async () => {
  home = temporaryFolder('home');
  daemon = await testDaemon({ home });
  const words = ['run', '--workspace', daemon.workspace, 'rehearse: tools 3\nrehearse: slow 1'];
  const { stdout } = await cliHere(words, { home });
  session = /run ([0-9a-f]{32})/.exec(stdout)![1]!;
});
afterAll(() => daemon.stop());

async function job(id: string): Promise<JobRecord> {
  return (await (await daemon.request(`/jobs/${id}`)).json()) as JobRecord;
}

test('the table has a line a job, cut to the width, with the task on one line', async () => {
  const { code, stdout } = await cliHere(['jobs'], { home });
  expect(code).toBe(0);
  const [head, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^SESSION +STATUS +AGE +TOOK +STEPS +TOKENS +PROVIDER +TASK$/);
  expect(rows).toHaveLength(((await (await daemon.request('/jobs')).json()) as JobRecord[]).length);
  const values = 'complete +\\S+ \\w+ +\\S+ \\w+ +3 +0 +rehearsal +rehearse: tools 3 rehearse: slow 1';
  expect(rows.at(-1)).toMatch(new RegExp(`^${session.slice(0, 12)}  ${values}$`));
});

test('the table has only jobs of a status, and only those with the words that are searched', async () => {
  const listed = async (...words: string[]) => (await cliHere(['jobs', ...words, '--json'], { home })).stdout;
  const sessions = (text: string) => (JSON.parse(text) as { session_id: string }[]).map((each) => each.session_id);
  expect(sessions(await listed('--status', 'complete', '--search', 'slow 1'))).toEqual([session]);
  for (const words of [
    ['--status', 'failed'],
    ['--search', 'no such words'],
    ['--status', 'failed', '--search', 'slow'],
  ]) {
    expect(sessions(await listed(...words))).toEqual([]);
    expect((await cliHere(['jobs', ...words], { home })).stdout).toBe('No job matches.\n');
  }
  const { code, stderr } = await cliHere(['jobs', '--status', 'complet'], { home });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean complete?')]);
});

test('--json and show are the daemon’s records', async () => {
  expect(JSON.parse((await cliHere(['jobs', '--json'], { home })).stdout)).toEqual(
    await (await daemon.request('/jobs')).json(),
  );
  const shown = await cliHere(['jobs', 'show', session.slice(0, 6), '--json'], { home });
  expect(JSON.parse(shown.stdout)).toEqual(await job(session));
  const human = (await cliHere(['jobs', 'show', session], { home })).stdout;
  expect(human).toContain(`session     ${session}\nstatus      complete\n`);
});

test('an unknown job is named', async () => {
  const { code, stderr } = await cliHere(['jobs', 'show', 'no such/job'], { home });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "daybook: There is no run 'no such/job'. See: daybook jobs\n" });
});

test('a run that waits for an answer says so, and how to answer', async () => {
  const words = ['run', '--detach', '--interactive', '--approval', 'suggest', 'rehearse: bash true'];
  const id = (await cliHere(words, { home, cwd: daemon.workspace })).stdout.trim();
  const pending = async () =>
    ((await (await daemon.request(`/approvals?session_id=${id}`)).json()) as { approvals: { id: string }[] }).approvals;
  await expect.poll(pending, { timeout: 20_000 }).toHaveLength(1);
  const [approval] = await pending();
  const { stdout } = await cliHere(['jobs'], { home });
  expect(stdout).toMatch(new RegExp(`^${id.slice(0, 12)}  waiting `, 'm'));
  expect(stdout).toMatch(/\n1 run waiting for an answer: daybook approvals\n$/);
  const shown = (await cliHere(['jobs', 'show', id], { home })).stdout;
  expect(shown).toContain('running, waits for an answer about bash\n');
  expect(shown).toContain(`daybook approvals answer ${approval!.id} allow-once\n`);
  await cliHere(['jobs', 'cancel', id], { home });
  expect((await cliHere(['jobs'], { home })).stdout).not.toContain('waiting');
});

test('a finished job is followed from its beginning to its end', async () => {
  const { code, stdout } = await cliHere(['jobs', 'follow', session.slice(0, 8)], { home });
  expect(code).toBe(0);
  expect(stdout).toMatch(/✓ 1\. list_directory\n.*\ncomplete in /s);
});

test('Ctrl-C leaves a job that is followed to the daemon', async () => {
  const { stdout } = await cliHere(['run', '--detach', 'rehearse: slow 1000'], { home, cwd: daemon.workspace });
  const id = stdout.trim();
  const following = startCli(['jobs', 'follow', id], { home });
  await following.says('This is a rehearsal');
  following.process.kill('SIGINT');
  expect(await following.ended).toMatchObject({ code: 130 });
  expect(following.stdout()).toContain(`left; the run goes on. See it with: daybook jobs follow ${id}`);
  expect((await job(id)).status).toBe('running');
  await cliHere(['jobs', 'cancel', id], { home });
});

test('cancel is final', async () => {
  const { stdout } = await cliHere(['run', '--detach', 'rehearse: slow 1000'], { home, cwd: daemon.workspace });
  const id = stdout.trim();
  expect((await cliHere(['jobs', 'cancel', id], { home })).stdout).toBe(`${id} is cancelled\n`);
  expect((await job(id)).status).toBe('cancelled');
});

test('a replay is identical, exit code 0', async () => {
  const { code, stdout } = await cliHere(['replay', session.slice(0, 8)], { home });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^identical: 7 effects in the same order, \d+ events the same\n$/);
  const report = JSON.parse((await cliHere(['replay', session, '--json'], { home })).stdout);
  expect(report).toMatchObject({ session_id: session, identical: true, effects: 7, divergence: null });
});

test('a fork begins after the step it names and is followed to its end', async () => {
  const { code, stdout } = await cliHere(['fork', session, '--step', '2', '--task', 'rehearse: tools 1'], { home });
  expect(code).toBe(0);
  const id = /run ([0-9a-f]{32})/.exec(stdout)![1]!;
  expect(stdout).toContain('✓ 3. list_directory');
  expect(await job(id)).toMatchObject({ parent_session_id: session, status: 'complete' });
});

test('a fork from a step that never was is refused with the daemon’s sentence', async () => {
  const { code, stderr } = await cliHere(['fork', session, '--step', '9'], { home });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'daybook: The run has 3 steps; step must be from 0 to 3.\n',
  });
});

// These said that no daemon is running, where `run` and `goal` start one.
test('without a daemon one is started for the command, and ends with it', async () => {
  const alone = temporaryFolder('alone');
  await cliHere(['run', '--workspace', alone, 'rehearse: tools 1'], { home: alone });
  const jobs = JSON.parse((await cliHere(['jobs', '--json'], { home: alone })).stdout) as JobRecord[];
  expect(jobs).toEqual([expect.objectContaining({ status: 'complete', steps_completed: 1 })]);
  for (const words of [['memory'], ['log', 'witness', 'list'], ['jobs', 'show', jobs[0]!.session_id]]) {
    expect(await cliHere(words, { home: alone })).toMatchObject({ code: 0, stderr: '' });
  }
  expect(existsSync(join(alone, 'daemon.json'))).toBe(false);
});
