/** The commands of the signed log, on daemons in this process and on homes without one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import { checkText, parseNote, parseVerifierKey, verifyNote } from '../../src/lib/tlog/signed-note.ts';
import { startTestDaemon } from '../../src/testing/daemon.ts';
import { cliHere } from '../cli/support.ts';
import { readExposition } from '../ops/exposition-reader.ts';
import { daemonHere, type KillableDaemon, killableDaemon, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';

const log = (home: string, ...words: readonly string[]) => cliHere(['log', ...words], { home });

async function addTask(daemon: TestDaemon, title: string): Promise<void> {
  const { status } = await daemon.request('/api/tasks', { method: 'POST', body: JSON.stringify({ title }) });
  expect(status).toBe(200);
}

async function checkpointOf(daemon: TestDaemon): Promise<string> {
  return (await daemon.request('/v1/tlog/checkpoint')).text();
}

const signersOf = (note: string, ...vkeys: readonly string[]): number =>
  verifyNote(
    parseNote(note),
    vkeys.map((vkey) => parseVerifierKey(vkey)),
    checkText,
  ).length;

async function killable(): Promise<KillableDaemon> {
  const daemon = await killableDaemon();
  onTestFinished(async () => void (await daemon.kill('SIGKILL')));
  return daemon;
}

async function metricsAt(port: number): Promise<Readonly<Record<string, number | undefined>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = readExposition(text, 'prometheus').flatMap((family) => family.series);
  return Object.fromEntries(series.map(({ name, value }) => [name.replace('daybook_storage_', ''), value]));
}

async function signedLogFinding({ home }: TestDaemon) {
  const { stdout } = await cliHere(['doctor', '--json'], { home });
  const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; detail: string }[] };
  return findings.find(({ name }) => name === 'signed log');
}

const healthOf = async (daemon: TestDaemon): Promise<object> =>
  ((await (await daemon.request('/health')).json()) as { checkpoints: object }).checkpoints;

describe('daybook log key', () => {
  it('is replaced once, also when a crash comes between the change and its answer', async () => {
    await using daemon = await startTestDaemon({ backend: 'lsm' });
    const rotate = (key: number) =>
      daemon.fetch('/v1/log/key/rotate', { method: 'POST', headers: { 'idempotency-key': `${key}` } });
    const changes = [2, 3, 4, 5, 6, 7, 8];
    for (const change of changes) {
      await daemon.killAt(change, rotate(change));
      await daemon.restart();
      expect((await rotate(change)).status).toBe(200);
    }
    const { rotations } = await daemon.json<{ rotations: unknown[] }>('GET', '/v1/log/key');
    expect(rotations).toHaveLength(changes.length);
  });

  it('is not replaced where its file cannot be written; the refusal says why', async () => {
    const daemon = await daemonHere();
    mkdirSync(join(daemon.home, 'log.key.new'));
    const refused = await daemon.request('/v1/log/key/rotate', { method: 'POST' });
    const error = expect.stringContaining('The key of the log cannot be written: log.key (');
    expect([refused.status, await refused.json()]).toEqual([503, { error }]);
  });

  it('prints the verifier key, of a running daemon and of its home; the file is its owner’s alone', async () => {
    const daemon = await testDaemon();
    const { code, stdout } = await log(daemon.home, 'key');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^daybook\.local\/[0-9a-f]{16}\+[0-9a-f]{8}\+A\S{43}\n$/),
    ]);
    const note = await checkpointOf(daemon);
    expect(signersOf(note, stdout.trim())).toBe(1);
    const asJson = `${JSON.stringify({ vkey: stdout.trim() })}\n`;
    expect((await log(daemon.home, 'key', '--json')).stdout).toBe(asJson);
    await daemon.stop();
    expect((await log(daemon.home, 'key')).stdout).toBe(stdout);
    expect((await log(daemon.home, 'key', '--json')).stdout).toBe(asJson);
    expect(statSync(join(daemon.home, 'log.key')).mode & 0o777).toBe(0o600);
    const again = await daemonHere({ home: daemon.home });
    expect(await checkpointOf(again)).toBe(note);
  });

  it('of an encrypted home is sealed, and back after a restart; without the passphrase nothing is signed', async () => {
    const env = { DAYBOOK_MEMORY_ENCRYPTION: 'true', DAYBOOK_MEMORY_PASSPHRASE: 'a passphrase of a test' };
    const daemon = await testDaemon({ env });
    const note = await checkpointOf(daemon);
    expect(readFileSync(join(daemon.home, 'log.key'), 'utf8')).toContain('"kept": "sealed"');
    await daemon.stop();
    const again = await testDaemon({ env, home: daemon.home });
    expect(signersOf(await checkpointOf(again), (await log(again.home, 'key')).stdout.trim())).toBe(1);
    expect(note.split('\n')[0]).toBe((await checkpointOf(again)).split('\n')[0]);
    await again.stop();
    const locked = await daemonHere({ home: daemon.home });
    const { status } = await locked.request('/v1/tlog/checkpoint');
    const { checkpoints } = (await (await locked.request('/health')).json()) as { checkpoints: object };
    expect([status, checkpoints]).toEqual([
      503,
      expect.objectContaining({ warning: expect.stringContaining('locked') }),
    ]);
    const unlock = JSON.stringify({ passphrase: env.DAYBOOK_MEMORY_PASSPHRASE });
    expect((await locked.request('/memory/encryption', { method: 'POST', body: unlock })).status).toBe(200);
    expect((await locked.request('/v1/tlog/checkpoint')).status).toBe(200);
  });

  it('says so when there is none yet, or no such command', async () => {
    const home = temporaryFolder('home');
    expect(await log(home, 'key')).toMatchObject({ code: 1, stderr: expect.stringContaining('no key yet') });
    expect((await log(home, 'key', 'turn')).code).toBe(2);
  });

  it('rotate records the change, signed by both keys, and the new key signs from then on', async () => {
    const daemon = await testDaemon();
    await addTask(daemon, 'one');
    const old = (await log(daemon.home, 'key')).stdout.trim();
    const { code, stdout } = await log(daemon.home, 'key', 'rotate', '--json');
    const { vkey } = JSON.parse(stdout) as { vkey: string };
    expect([code, vkey === old, vkey.split('+')[0]]).toEqual([0, false, old.split('+')[0]]);
    const { events } = (await (await daemon.request('/v1/events?type=LogKeyRotated')).json()) as {
      events: { data: { from: string; to: string; statement: string } }[];
    };
    const { from, to, statement } = events[0]!.data;
    expect([from, to, signersOf(statement, old, vkey)]).toEqual([old, vkey, 2]);
    expect(parseNote(statement).text.split('\n').slice(3, 5)).toEqual([old, vkey]);
    expect(() => parseCheckpoint(parseNote(statement).text)).toThrow();
    const note = await checkpointOf(daemon);
    expect([signersOf(note, vkey), signersOf(note, old)]).toEqual([1, 0]);
    await daemon.stop();
    const again = await daemonHere({ home: daemon.home });
    expect((await log(again.home, 'key')).stdout.trim()).toBe(vkey);
    expect(await checkpointOf(again)).toBe(note);
    const { rotations } = (await (await again.request('/v1/log/key')).json()) as { rotations: unknown[] };
    expect(rotations).toEqual([{ from, to, statement }]);
  });
});

describe('daybook log witness', () => {
  it('two daemons cosign the log that they trust; health, metrics, doctor and the list warn once one is killed', async () => {
    const port = await freePort();
    const logged = await daemonHere({ flags: { storage_ops_port: port } });
    const witnesses = [await killable(), await killable()];
    const vkey = (await log(logged.home, 'key')).stdout.trim();
    for (const { home, url } of witnesses) {
      expect((await log(home, 'witness', 'trust', vkey)).stdout).toContain('are cosigned from now on');
      const key = (await log(home, 'witness', 'key')).stdout.trim();
      expect(JSON.parse((await log(home, 'witness', 'key', '--json')).stdout)).toEqual({ vkey: key });
      const added = await log(logged.home, 'witness', 'add', `${url}/v1/tlog`, key);
      expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('It cosigned the newest checkpoint.')]);
    }
    await addTask(logged, 'one');
    expect(parseNote(await checkpointOf(logged)).signatures).toHaveLength(3);
    expect(await healthOf(logged)).toMatchObject({ size: 3, witnesses: { needed: 2, cosigned: 2 }, warning: null });
    expect(await metricsAt(port)).toMatchObject({ witness_quorum_missing: 0, witnesses_cosigned: 2 });
    expect(await signedLogFinding(logged)).toMatchObject({ state: 'ok' });
    expect((await log(logged.home, 'witness', 'list')).stdout).toContain('quorum: 2 of 2 cosigned\n');
    expect((await log(witnesses[0]!.home, 'witness', 'list')).stdout).toMatch(/WITNESSED LOG.*\n.*3 +continues/);

    await witnesses[1]!.kill('SIGKILL');
    await addTask(logged, 'two');
    await checkpointOf(logged);
    const warning = 'Only 1 of 2 witnesses cosigned the log.';
    expect(await healthOf(logged)).toMatchObject({ witnesses: { needed: 2, cosigned: 1, missing: true }, warning });
    expect(await metricsAt(port)).toMatchObject({
      ...{ witness_quorum_missing: 1, witnesses_needed: 2, witnesses_cosigned: 1, signing_failing: 0 },
    });
    expect(await signedLogFinding(logged)).toMatchObject({ state: 'warning', detail: warning });
    expect(logged.lines.join('\n')).toContain('Only 1 of 2 witnesses cosigned the log');
    expect((await log(logged.home, 'witness', 'list')).stdout).toContain('quorum: 1 of 2 cosigned, MISSING');

    for (const { url } of witnesses) {
      expect((await log(logged.home, 'witness', 'remove', `${url}/v1/tlog`)).stdout).toContain('was removed');
    }
    expect((await log(logged.home, 'witness', 'list')).stdout).toContain('This log has no witnesses.');
    expect((await log(logged.home, 'witness', 'remove', `${witnesses[0]!.url}/v1/tlog`)).code).toBe(1);
  });

  it('each change prints the settings as JSON', async () => {
    const { home, url } = await daemonHere();
    const vkey = (await log(home, 'key')).stdout.trim();
    const witnessKey = (await log(home, 'witness', 'key')).stdout.trim();
    const changed = async (...words: readonly string[]) =>
      JSON.parse((await log(home, 'witness', ...words, '--json')).stdout) as object;
    const added = { witnesses: [{ vkey: witnessKey }], trusted: [] };
    expect(await changed('add', `${url}/v1/tlog`, witnessKey)).toMatchObject(added);
    expect(await changed('trust', vkey)).toMatchObject({ ...added, trusted: [{ vkey }] });
    expect(await changed('remove', witnessKey)).toMatchObject({ witnesses: [], trusted: [{ vkey }] });
  });

  it('says why a witness has not cosigned', async () => {
    const [witness, logged] = [await daemonHere(), await daemonHere()];
    const witnessKey = (await log(witness.home, 'witness', 'key')).stdout.trim();
    const added = await log(logged.home, 'witness', 'add', `${witness.url}/v1/tlog`, witnessKey);
    expect(added.stdout).toContain('It has not cosigned yet: It answers 404: it does not know this log.');
    // In the last column of the table the reason was cut off: `It answer…`.
    const listed = (await log(logged.home, 'witness', 'list')).stdout;
    expect(listed).toMatch(/ fails\nquorum: .*\n\n.* fails: It answers 404: it does not know this log\.\n$/);
  });

  it('refuses keys of the other type and addresses that are none', async () => {
    const daemon = await daemonHere();
    const own = (await log(daemon.home, 'key')).stdout.trim();
    const witnessKey = (await log(daemon.home, 'witness', 'key')).stdout.trim();
    expect((await log(daemon.home, 'witness', 'trust', witnessKey)).stderr).toContain('type 0x04, not 0x01');
    expect((await log(daemon.home, 'witness', 'add', 'http://h/', own)).stderr).toContain('type 0x01, not 0x04');
    for (const url of ['ftp://h/x', 'h', 'http://me:secret@h/', 'http://h/?q=1']) {
      expect([url, (await log(daemon.home, 'witness', 'add', url, witnessKey)).code]).toEqual([url, 1]);
    }
    expect((await daemon.request('/v1/log/head').then((reply) => reply.json())) as object).toMatchObject({
      position: 0,
    });
  });
});

describe('daybook log timestamp', () => {
  it('without an authority names the option; that is bad usage, and so is a file in the way: nobody is asked', async () => {
    const { home } = await daemonHere();
    const refused = { code: 2, stdout: '' };
    expect(await log(home, 'timestamp')).toEqual({
      ...refused,
      stderr: expect.stringContaining('Name the authority with --authority <url>, or set timestamp_authority'),
    });
    const noAddress = 'daybook: --authority must be an http or https address.\n';
    expect(await log(home, 'timestamp', '--authority', 'tsa.example')).toEqual({ ...refused, stderr: noAddress });
    for (const taken of ['note', 'tsr']) {
      const folder = temporaryFolder('timestamp');
      const file = join(folder, `newest.${taken}`);
      writeFileSync(file, 'mine');
      const out = ['--out', join(folder, 'newest')];
      const inTheWay = `daybook: ${file} exists already and is not overwritten.\n`;
      const ended = await log(home, 'timestamp', '--authority', 'http://127.0.0.1:1', ...out);
      expect(ended).toEqual({ ...refused, stderr: inTheWay });
      expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([[`newest.${taken}`], 'mine']);
    }
  });

  it('that fails is counted', async () => {
    const port = await freePort();
    const { home } = await daemonHere({ flags: { storage_ops_port: port } });
    expect(await metricsAt(port)).toMatchObject({ timestamps_total: 0, timestamp_failing: 0 });
    const { code, stderr } = await log(home, 'timestamp', '--authority', 'http://127.0.0.1:1/');
    expect([code, stderr]).toEqual([1, expect.stringContaining('127.0.0.1:1 cannot be asked: ')]);
    const metrics = await metricsAt(port);
    expect(metrics).toMatchObject({ timestamps_total: 0, timestamp_failures_total: 1, timestamp_failing: 1 });
    expect(metrics).not.toHaveProperty('timestamp_last_timestamp_seconds');
  });
});

it('daybook log anchor commits the checkpoint and nothing else, once for each size', async () => {
  const daemon = await daemonHere();
  const folder = temporaryFolder('anchor');
  const git = (...words: readonly string[]) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
  git('init', '--quiet');
  git('config', 'user.name', 'A person');
  git('config', 'user.email', 'person@example.org');
  writeFileSync(join(folder, 'mine'), 'staged');
  git('add', 'mine');
  await addTask(daemon, 'one');
  const first = (await log(daemon.home, 'anchor', '--git', folder)).stdout;
  expect(first).toBe(`The checkpoint of 1 event is commit ${git('rev-parse', 'HEAD').trim()}.\n`);
  const [path, ...others] = git('show', '--name-only', '--format=', 'HEAD').trim().split('\n');
  expect([path, others]).toEqual([
    expect.stringMatching(/^checkpoints\/daybook\.local_[0-9a-f]{16}\/000000000001\.note$/),
    [],
  ]);
  expect(readFileSync(join(folder, path!), 'utf8')).toBe(await checkpointOf(daemon));
  expect(git('status', '--porcelain')).toBe('A  mine\n');
  expect((await log(daemon.home, 'anchor', '--git', folder)).stdout).toContain('already');
  await addTask(daemon, 'two');
  // The file stayed in the index, and so came into the next commit of the user.
  writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\necho refused >&2; exit 1\n', { mode: 0o755 });
  const refused = await log(daemon.home, 'anchor', '--git', folder);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('git commit failed in') });
  expect(git('status', '--porcelain')).toBe('A  mine\n');
  rmSync(join(folder, '.git/hooks/pre-commit'));
  const second = JSON.parse((await log(daemon.home, 'anchor', '--git', folder, '--json')).stdout) as object;
  expect(second).toEqual({
    size: 2,
    file: path!.replace('1.note', '2.note'),
    commit: git('rev-parse', 'HEAD').trim(),
    created: true,
  });
  const again = await log(daemon.home, 'anchor', '--git', folder, '--json');
  expect(JSON.parse(again.stdout)).toEqual({ ...second, created: false });
  expect(git('rev-list', '--count', 'HEAD').trim()).toBe('2');
  const none = await log(daemon.home, 'anchor', '--git', temporaryFolder('none'));
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('git rev-parse failed')]);
});

it('daybook log verify --checkpoint accepts an old checkpoint of this log, and names one that is not', async () => {
  const daemon = await testDaemon();
  for (const title of ['one', 'two', 'three']) await addTask(daemon, title);
  const vkey = (await log(daemon.home, 'key')).stdout.trim();
  const file = join(temporaryFolder('held'), 'old.note');
  writeFileSync(file, await checkpointOf(daemon));
  await addTask(daemon, 'four');
  const verify = (path = file, key = vkey) => log(daemon.home, 'verify', '--checkpoint', path, '--vkey', key);
  expect(await verify()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('It begins with the 3 events of the signed checkpoint.'),
  });
  const other = await daemonHere();
  const otherKey = (await log(other.home, 'key')).stdout.trim();
  expect(await verify(file, otherKey)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nobody with the key'),
  });
  writeFileSync(`${file}.other`, await checkpointOf(other));
  expect((await verify(`${file}.other`)).stderr).toContain('is no checkpoint that this log signed');
  writeFileSync(`${file}.changed`, readFileSync(file, 'utf8').replace('\n3\n', '\n2\n'));
  expect((await verify(`${file}.changed`)).stderr).toContain('is wrong');
  expect((await verify(`${file}.none`)).stderr).toContain('There is no file');
  expect((await log(daemon.home, 'verify', '--checkpoint', file)).code).toBe(2);
  expect((await verify(file, 'junk')).stderr).toContain('A verifier key is');
  await daemon.stop();
  expect((await verify()).code).toBe(0);
});
