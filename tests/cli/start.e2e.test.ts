/**
 * A start that must fail: one sentence, and no files left behind. Where the program runs as a process, it must also end: after the
 * home is locked by another daemon, and after everything but the listening is done.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { childDaemon, daemonHere, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { takeHomeDirectoryAway } from '../support/home-directory.ts';
import { cli, cliHere } from './support.ts';

const place = temporaryFolder('start');
const SERVE = ['serve', '--port', '0', '--storage-ops-port', 'off'];
/** Why a start in this process fails. */
const failure = (home: string): Promise<string> =>
  testDaemon({ home, workspace: place }).then(
    () => expect.fail('It started.'),
    ({ message }: Error) => message,
  );

// These said `EEXIST: file already exists, mkdir '…'` and `ENOENT: no such file or directory, stat '…'`.
it.each([
  ['a file', (path: string) => writeFileSync(path, 'x')],
  ['a link to nowhere', (path: string) => symlinkSync(join(place, 'nowhere'), path)],
  ['a folder that cannot be made', () => undefined],
])('a home that is %s', async (name, make) => {
  const home = name.endsWith('made') ? '/proc/daybook' : join(place, name);
  make(home);
  expect(await failure(home)).toMatch(/^The home \S.* is no folder and cannot be made one \(\w+\); set DAYBOOK_HOME/);
});

// DAYBOOK_HOME=/ closed the whole machine to everybody but root.
it('a folder with the user’s own home below it is no home of the daemon, and stays as it is', async () => {
  const home = temporaryFolder('srv');
  mkdirSync(join(home, 'user'));
  chmodSync(home, 0o755);
  vi.stubEnv('HOME', join(home, 'user'));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await failure(home)).toBe(
    `${home} contains your home directory or this program; set DAYBOOK_HOME to a folder of its own.`,
  );
  expect([statSync(home).mode & 0o777, readdirSync(home)]).toEqual([0o755, ['user']]);
});

it('a home that is open to others is one for a user without a home directory too', async () => {
  takeHomeDirectoryAway();
  const home = temporaryFolder('user-without-home');
  chmodSync(home, 0o755);
  await (await testDaemon({ home, workspace: place })).stop();
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

it.each([
  ['empty', () => undefined],
  ['holds something else', (home: string) => writeFileSync(join(home, 'notes.txt'), 'x')],
  ['made for its settings', (home: string) => writeFileSync(join(home, 'config.json'), '{"port": 0}')],
  ['a home already', async (home: string) => void (await (await testDaemon({ home })).stop())],
])('a home that is open to others and %s becomes its owner’s alone', async (_, make) => {
  const home = temporaryFolder('open');
  await make(home);
  chmodSync(home, 0o755);
  await (await testDaemon({ home, workspace: place })).stop();
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

// It said `EISDIR: …, rename …`, on a full disk only `ENOSPC: no space left on device, write`, and left a file behind.
it('a home that takes no daemon.json is named with the file, and holds nothing new', async () => {
  const home = temporaryFolder('untold');
  mkdirSync(join(home, 'daemon.json'));
  expect(await failure(home)).toMatch(new RegExp(`^${join(home, 'daemon.json')} cannot be written: EISDIR`));
  expect(readdirSync(home).filter((name) => name.startsWith('daemon'))).toEqual(['daemon.json']);
});

it('wrong settings start nothing: exit code 2, a line a fault', async () => {
  const home = temporaryFolder('settings');
  writeFileSync(join(home, 'config.json'), '{"runs_max": null, "rate_public": "many"}');
  expect(await cliHere(SERVE, { home })).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      `daybook: rate_public in ${home}/config.json: must be a whole number from 1 to 1000000000`,
      `runs_max in ${home}/config.json: must be a whole number from 1 to 64`,
      '',
    ].join('\n'),
  });
  expect(existsSync(join(home, 'data'))).toBe(false);
});

it('an address that other machines reach is a wrong setting: exit code 2', async () => {
  const home = temporaryFolder('remote');
  expect(await cliHere([...SERVE, '--host', '0.0.0.0'], { home })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'daybook: Listening on 0.0.0.0 lets other machines in; allow it with --allow-remote.\n',
  });
});

// It said `listen EADDRNOTAVAIL: address not available 192.0.2.1`.
it('an address of another machine is named with the setting', async () => {
  const words = [...SERVE, '--host', '192.0.2.1', '--allow-remote'];
  expect(await cli(words, { home: temporaryFolder('elsewhere'), cwd: place })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/daybook: The host 192\.0\.2\.1 is no address of this machine; see --host/),
  });
});

// The daemon came up without a word, and every run of the night failed.
it.each([
  [{ DAYBOOK_PROVIDER: 'nobody' }, /^No model answers until this is mended: There is no provider 'nobody'/m],
  [{ DAYBOOK_PROVIDER: 'groq' }, /^No model answers until this is mended: Groq needs a key: set GROQ_API_KEY/m],
  [{ DAYBOOK_PROVIDER: 'ollama' }, /^No model answers until this is mended: No model is chosen for Ollama/m],
])('with %j it starts and says that no model answers', async (env, sentence) => {
  const daemon = await testDaemon({ workspace: place, env });
  await daemon.stop();
  expect(daemon.lines.join('\n')).toMatch(sentence);
});

// Every tool call of every run was refused, and nothing had said so.
it('a workspace in the home is said to be none for the tools, by the daemon and the doctor', async () => {
  const home = temporaryFolder('inside');
  const workspace = join(home, 'workspace');
  mkdirSync(workspace);
  const daemon = await testDaemon({ home, workspace });
  await daemon.stop();
  const sentence = `"${workspace}" is part of Daybook's own home.`;
  expect(daemon.lines).toContain(`No tool works in the workspace until another is set: ${sentence}`);
  const { stdout } = await cliHere(['doctor', '--json'], { home, cwd: workspace });
  const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
  expect(findings.find(({ name }) => name === 'workspace')).toEqual({
    name: 'workspace',
    state: 'warning',
    detail: `no tool works there: ${sentence}`,
    mend: 'set DAYBOOK_WORKSPACE to another',
  });
});

it('with a model that can be asked it says nothing more than token and address', async () => {
  const daemon = await childDaemon({ home: temporaryFolder('model'), workspace: place });
  await daemon.kill('SIGTERM');
  expect(daemon.stderr().trimEnd().split('\n')).toHaveLength(2);
});

it('a damaged log is named with its folder, the fault and what to read', async () => {
  const home = temporaryFolder('damaged');
  mkdirSync(join(home, 'data', 'store-1'), { recursive: true });
  const { code, stdout, stderr } = await cli(SERVE, { home, cwd: place });
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `daybook: The log in ${join(home, 'data')} is damaged: ${join(home, 'data')} holds store-1 but no daybook.json: it was ` +
      'lost, or a backup was not finished. Use another one. See Recovery in docs/operations.md.\n',
  ]);
});

it('a home with a running daemon is named with the address of that daemon', async () => {
  const home = temporaryFolder('taken');
  const daemon = await daemonHere({ home });
  const { code, stdout, stderr } = await cli(SERVE, { home, cwd: place });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(new RegExp(`^daybook: .*; stop it first\\. It listens on ${daemon.url}\\.\n$`));
});
