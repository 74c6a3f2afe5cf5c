/**
 * `daybook doctor` on good and bad set-ups: problems with their solutions, the exit code, and that it prints no keys.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { certificateFindings } from '../../src/cli/doctor/daemon.ts';
import { homeFinding, logKeyFindings } from '../../src/cli/doctor/home.ts';
import { loadConfig } from '../../src/config/load.ts';
import { VERSION } from '../../src/version.ts';
import { startFakeOllama } from '../fakes/providers/ollama.ts';
import { selfSigned } from '../support/certificate.ts';
import { childDaemon, daemonHere, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';
import { smallDisk } from '../support/small-disk.ts';
import { cli, cliHere } from './support.ts';

interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'off' | 'warning' | 'broken';
  readonly detail: string;
  readonly mend?: string;
}

/** LibreOffice takes a tenth of a second of CPU to say its version. */
const programs = temporaryFolder('programs');
writeFileSync(join(programs, 'soffice'), '#!/bin/sh\necho LibreOffice 24.2\n', { mode: 0o755 });

/** A free port is probed for real; Ollama is looked for on a port without a listener. */
const QUIET = {
  PATH: `${programs}:${process.env.PATH}`,
  DAYBOOK_DAEMON_PORT: '0',
  OLLAMA_HOST: 'http://127.0.0.1:1',
};

async function doctor(home: string, env: NodeJS.ProcessEnv = {}, run = cliHere) {
  const { code, stdout } = await run(['doctor', '--json'], { home, env: { ...QUIET, ...env } });
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  const of = (name: string): Finding => findings.find((each) => each.name === name)!;
  return { code, ok, of, stdout };
}

test('a fresh machine is well: exit code 0, and it says how to get a model', async () => {
  const { code, ok, of } = await doctor(temporaryFolder('home'));
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(of('node')).toMatchObject({ state: 'ok', detail: process.versions.node });
  expect(of('home').state).toBe('ok');
  expect(of('daemon')).toMatchObject({ state: 'off', mend: 'daybook serve' });
  expect(of('model')).toMatchObject({ state: 'ok', detail: expect.stringContaining('no language model') });
  expect(of('anthropic')).toMatchObject({ state: 'off', mend: 'set ANTHROPIC_API_KEY' });
});

test('a daemon that runs is shown with its log', async () => {
  const home = temporaryFolder('home');
  const daemon = await daemonHere({ home, workspace: temporaryFolder('workspace') });
  const { code, of } = await doctor(home);
  expect(code).toBe(0);
  expect(of('daemon')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining(`${daemon.url}, process ${process.pid}`),
  });
  expect(of('storage').detail).toMatch(/^cow, 0 events, tree e3b0c44298fc1c14…$/);
  expect(of('settings').detail).toContain('; a daemon that starts here has approval suggest, workspace ');
  expect(of('approvals').detail).toBe('suggest for runs that name no policy (as configured)');
  await daemon.request('/v1/approval-policy', { method: 'PUT', body: '{"policy":"read-only"}' });
  expect((await doctor(home)).of('approvals').detail).toMatch(/^read-only for runs .*configured is suggest\)$/);
});

// It said that everything that is needed works, while every backup failed.
test('backups that fail are named', async () => {
  const home = temporaryFolder('home');
  await daemonHere({ home });
  expect((await doctor(home)).of('backups')).toMatchObject({ state: 'ok', detail: 'none yet' });
  writeFileSync(join(home, 'backups'), 'not a folder');
  await cliHere(['storage', 'backup', '--verified'], { home });
  const failed = (await doctor(home)).of('backups');
  expect(failed).toMatchObject({ state: 'warning', mend: 'mend the cause, then: daybook storage backup --verified' });
  expect(failed.detail).toMatch(/^none yet; the latest attempt failed: ./);
  rmSync(join(home, 'backups'));
  await cliHere(['storage', 'backup', '--verified'], { home });
  expect((await doctor(home)).of('backups').detail).toMatch(/^newest of \d{4}-\d\d-\d\d \d\d:\d\dZ$/);
});

// An expired certificate was answered with the advice to end the daemon, which does not renew it.
test('the certificate is shown, and renewed before it expires or after it', async () => {
  const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = selfSigned();
  const home = temporaryFolder('home');
  await daemonHere({ home, workspace: temporaryFolder('workspace'), flags: { tls_cert, tls_key } });
  const mend = `put a valid one in ${tls_cert}; the daemon uses it from the next connection on`;
  const soon = (await doctor(home)).of('certificate');
  expect(soon).toMatchObject({ state: 'warning', detail: expect.stringMatching(/^valid until \d{4}-/), mend });
  const in3Days = Date.now() + 3 * 86_400_000;
  const expired = { state: 'broken', detail: soon.detail.replace('valid until', 'expired'), mend };
  expect(certificateFindings({ certificate: tls_cert }, in3Days)).toMatchObject([expired]);
  const stateAt = (days: number) =>
    certificateFindings({ certificate: tls_cert }, Date.now() + days * 86_400_000)[0]!.state;
  expect([stateAt(-10), stateAt(-20)]).toEqual(['warning', 'ok']);

  rmSync(tls_cert);
  const { code, of } = await doctor(home);
  expect({ code, daemon: of('daemon').mend, certificate: of('certificate').state }).toEqual({
    code: 1,
    daemon: undefined,
    certificate: 'broken',
  });
});

// The line about the model was about the variables of this shell: `rehearsal`, while the daemon asked OpenAI.
test('the model is that of the daemon that runs', async () => {
  const home = temporaryFolder('home');
  const env = { OPENAI_API_KEY: 'sk-of-the-daemon' };
  await daemonHere({ home, workspace: temporaryFolder('workspace'), env });
  const { of } = await doctor(home);
  const here = 'rehearsal/rehearsal-1';
  expect(of('model').detail).toBe(`one of openai, as the daemon was started; started from here: ${here}`);
  expect(of('openai')).toMatchObject({ state: 'ok', detail: 'configured in the daemon, not here' });
});

// A daemon that is killed leaves its file; its number soon is another program's, which the doctor said to end.
test('a killed daemon whose number another process has is not running', async () => {
  const home = temporaryFolder('home');
  const facts = { pid: process.pid, port: 1, token: '00', started_at: 1, url: 'http://127.0.0.1:1', version: VERSION };
  writeFileSync(join(home, 'daemon.json'), JSON.stringify(facts));
  const { code, of } = await doctor(home);
  expect(code).toBe(0);
  expect(of('daemon')).toEqual({ name: 'daemon', state: 'off', detail: 'not running', mend: 'daybook serve' });
});

// It waited with it, for five minutes.
test('a daemon that hangs is reported as broken', async () => {
  const home = temporaryFolder('home');
  const daemon = await childDaemon({ home });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  daemon.process.kill('SIGSTOP');
  const { timeout } = AbortSignal;
  const limited = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 100));
  onTestFinished(() => limited.mockRestore());
  const { code, of } = await doctor(home);
  expect([code, limited.mock.calls[0]]).toEqual([1, [5_000]]);
  expect(of('daemon')).toMatchObject({
    state: 'broken',
    detail: expect.stringMatching(/does not answer: it takes too long\.$/),
    mend: `end process ${daemon.pid} and start the daemon again`,
  });
});

// "restart it" was added, and a daemon that starts without its data makes a new log.
test('a daemon whose data were moved is not to be restarted before they are back', async () => {
  const home = temporaryFolder('home');
  await daemonHere({ home });
  renameSync(join(home, 'data'), join(home, 'elsewhere'));
  const { code, of } = await doctor(home);
  expect(code).toBe(1);
  expect(of('daemon')).toEqual({
    name: 'daemon',
    state: 'broken',
    detail: expect.stringContaining('put the data back as it was, and start again.'),
  });
  renameSync(join(home, 'elsewhere'), join(home, 'data'));
});

// Every fault is shown, and no message is cut in the middle of a path.
test('without a terminal every finding is one line, and told whole', async () => {
  const home = temporaryFolder('home');
  writeFileSync(join(home, 'config.json'), '{"rate_public": "many", "runs_max": "many", "port": "many"}');
  const { stdout } = await cliHere(['doctor'], { home, env: { ...QUIET, DAYBOOK_DAEMON_PORT: '' } });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const settings = lines.find((line) => / {2}settings {2}/.test(line));
  for (const name of ['rate_public', 'runs_max', 'port']) {
    expect(settings).toContain(`${name} in ${join(home, 'config.json')}: must be a whole number`);
  }
  expect(settings).toContain(' → correct ');
  expect(settings).toMatch(/or the environment$/);
  expect(lines.slice(0, -1).filter((line) => !/^[✓✗!-] {2}\S/.test(line))).toEqual([]);
});

test('a port that somebody else holds names the holder', async () => {
  const server = createServer();
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const { code, of } = await doctor(temporaryFolder('home'), { DAYBOOK_DAEMON_PORT: String(port) }, cli);
  expect(code).toBe(1);
  expect(of('port')).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining(`held by process ${process.pid} (node)`),
  });
});

test('a key is never told, and an address that does not answer is a warning', async () => {
  const env = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
  const { code, of, stdout } = await doctor(temporaryFolder('home'), env);
  expect(code).toBe(0);
  expect(of('openai')).toMatchObject({ state: 'warning', detail: expect.stringContaining('not reachable') });
  expect(stdout).not.toContain('very-secret');
});

test('an Ollama that runs is found with its models', async () => {
  const ollama = await startFakeOllama({ models: [{ name: 'small', size: 1 }] });
  onTestFinished(() => ollama.close());
  const { of } = await doctor(temporaryFolder('home'), { OLLAMA_HOST: ollama.url });
  expect(of('ollama')).toMatchObject({ state: 'ok', detail: expect.stringContaining('1 models installed') });
});

test.each([
  [{ DAYBOOK_PROVIDER: 'groq' }, 'Groq has no key', 'set GROQ_API_KEY'],
  [{ DAYBOOK_PROVIDER: 'nobody' }, "there is no provider 'nobody'", 'set DAYBOOK_PROVIDER to a known one'],
  [{ DAYBOOK_PROVIDER: 'ollama' }, 'no model is chosen for Ollama', 'set DAYBOOK_MODEL'],
])('with %j the model is broken', async (env, detail, mend) => {
  const { code, of } = await doctor(temporaryFolder('home'), env);
  expect(code).toBe(1);
  expect(of('model')).toMatchObject({ state: 'broken', detail, mend });
});

test('settings that are wrong, a home that others can enter', async () => {
  const home = temporaryFolder('home');
  writeFileSync(join(home, 'config.json'), '{"rate_public": "many"}');
  chmodSync(home, 0o755);
  const { code, of } = await doctor(home);
  expect(code).toBe(1);
  expect(of('settings')).toMatchObject({ state: 'broken', detail: expect.stringContaining(`rate_public in ${home}`) });
  expect(of('home')).toMatchObject({ state: 'warning', mend: `chmod 700 ${home}` });
});

test.skipIf(process.getuid?.() === 0)('a home of ours that nobody may write needs another mode', () => {
  const home = temporaryFolder('home');
  chmodSync(home, 0o500);
  onTestFinished(() => chmodSync(home, 0o700));
  expect(homeFinding(home)).toMatchObject({
    state: 'broken',
    mend: `chmod 700 ${home}, or set DAYBOOK_HOME to a folder of yours`,
  });
});

test('a home on a read-only file system is to be mounted for writing', async ({ skip }) => {
  const disk = smallDisk(1);
  if (disk === null) return skip('this user may not mount a file system');
  onTestFinished(() => disk.remove());
  disk.protect();
  expect((await doctor(disk.path)).of('home')).toMatchObject({
    state: 'broken',
    detail: `${disk.path} is on a read-only file system`,
    mend: 'mount it for writing, or set DAYBOOK_HOME to a folder of yours',
  });
  const path = join(disk.path, 'new');
  expect(homeFinding(path)).toMatchObject({
    detail: `${path} cannot be made: ${disk.path} is on a read-only file system`,
  });
});

test('a home that cannot be read is a finding like others, and the checks that follow are made', async () => {
  const cwd = temporaryFolder('parent');
  const home = join(cwd, 'home');
  symlinkSync(home, home);
  const { code, of } = await doctor(home, {}, (words, options) => cliHere(words, { ...options, cwd }));
  expect(code).toBe(1);
  expect(of('home')).toMatchObject({ state: 'broken', detail: `${home} cannot be read by this user (ELOOP)` });
  expect(of('settings').detail).toBe(`The settings file ${join(home, 'config.json')} cannot be read (ELOOP).`);
  expect(of('anthropic').state).toBe('off');
});

test('a key of the log that is missing or damaged is told before the start that would make another', async () => {
  const home = temporaryFolder('home');
  await (await testDaemon({ home })).stop();
  const found = () => logKeyFindings(home, loadConfig({}, { home }, home));
  expect(await found()).toEqual([]);
  const path = join(home, 'log.key');
  writeFileSync(path, 'not a key\n');
  const damaged = await doctor(home);
  expect(damaged.of('signed log')).toMatchObject({ state: 'warning', detail: expect.stringContaining('damaged') });
  rmSync(path);
  const mend = `put ${path} back before that, if the log had a key`;
  expect(await found()).toMatchObject([{ name: 'signed log', state: 'warning', mend }]);
});

test('a data directory that is not ours', async () => {
  const home = temporaryFolder('home');
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data', 'letters.txt'), 'Dear Sir');
  const { code, of } = await doctor(home);
  expect(code).toBe(1);
  expect(of('storage')).toMatchObject({ state: 'broken', detail: expect.stringContaining('letters.txt') });
});

test('a needed program that is missing', async () => {
  const programs = temporaryFolder('programs');
  symlinkSync('/bin/bash', join(programs, 'bash'));
  const { code, of } = await doctor(temporaryFolder('home'), { PATH: programs });
  expect(code).toBe(1);
  expect(of('git')).toMatchObject({ state: 'broken', mend: 'install git' });
  expect(of('bash').state).toBe('ok');
});
