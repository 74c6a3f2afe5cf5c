/** `daybook log`: verification finds changes on the disk; tail, read, export and rebuild with and without a daemon. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../src/events/envelope.ts';
import { daemonHere, type TestDaemon, testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { cliHere, jsonLines, startCli } from './support.ts';

/** A daemon that has run one job; its home. */
async function homeWithRun(): Promise<{ home: string; daemon: TestDaemon }> {
  const home = temporaryFolder('home');
  const daemon = await testDaemon({ home, flags: { backend: 'embedded_kv' } });
  expect((await cliHere(['run', 'rehearse: tools 2'], { home, cwd: daemon.workspace })).code).toBe(0);
  return { home, daemon };
}

interface Verified {
  readonly ok: boolean;
  readonly position: number;
  readonly tree_hash: string;
  readonly problems: readonly { readonly position: number | null; readonly what: string }[];
}

describe('with a daemon', () => {
  let home: string;
  let daemon: TestDaemon;
  beforeAll(async () => ({ home, daemon } = await homeWithRun()));
  afterAll(() => daemon.stop());

  test('verify downloads everything and comes to the daemon’s head', async () => {
    const { code, stdout } = await cliHere(['log', 'verify', '--json'], { home });
    const head = (await (await daemon.request('/v1/log/head')).json()) as { position: number; tree_hash: string };
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      source: 'daemon',
      position: head.position,
      tree_hash: head.tree_hash,
      problems: [],
    });
    expect(code).toBe(0);
  });

  test('a head noted earlier must still be the beginning', async () => {
    const earlier = (await (await daemon.request('/v1/log/proof?position=1&size=3')).json()) as { tree_hash: string };
    const good = await cliHere(['log', 'verify', '--trusted', `3:${earlier.tree_hash}`], { home });
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('begins with the 3 events') });
    const bad = await cliHere(['log', 'verify', '--trusted', `4:${earlier.tree_hash}`], { home });
    expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('does not begin with the trusted 4') });
    const long = await cliHere(['log', 'verify', '--trusted', `99999:${earlier.tree_hash}`], { home });
    expect(long).toMatchObject({ code: 1, stdout: expect.stringContaining('shorter than that') });
  });

  test('read pages, and chooses by stream and type', async () => {
    const all = jsonLines<Envelope>((await cliHere(['log', 'read', '--json', '--limit', '1000'], { home })).stdout);
    expect(all.map(({ position }) => position)).toEqual(all.map((_, at) => at + 1));
    const stream = all.find(({ type }) => type === 'RunRequested')!.stream;
    const words = ['log', 'read', '--json', '--stream', stream, '--type', 'ToolFinished'];
    const tools = jsonLines<Envelope>((await cliHere(words, { home })).stdout);
    expect(tools).toEqual(all.filter((each) => each.stream === stream && each.type === 'ToolFinished'));
    expect(tools).toHaveLength(2);
    const some = jsonLines<Envelope>(
      (await cliHere(['log', 'read', '--json', '--after', '4', '--limit', '2'], { home })).stdout,
    );
    expect(some).toEqual(all.slice(4, 6));
    const line = (await cliHere(['log', 'read', '--limit', '1'], { home })).stdout;
    expect(line).toMatch(/^ +1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z {2}run-.* @1 +RunRequested +\{/);
  });

  test('an export verifies on its own, is private, and never replaces a file', async () => {
    const out = join(home, 'export.jsonl');
    const exported = await cliHere(['log', 'export', '--out', out], { home });
    expect(exported.code).toBe(0);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const checked = JSON.parse(
      (await cliHere(['log', 'verify', '--json', '--file', out], { home })).stdout,
    ) as Verified;
    expect(exported.stderr).toContain(`the head is ${checked.position}:${checked.tree_hash}`);
    expect(checked.ok).toBe(true);
    const again = await cliHere(['log', 'export', '--out', out], { home });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already and is not overwritten') });
    const lines = readFileSync(out, 'utf8').split('\n');
    writeFileSync(out, [lines[0]!.replace('RunRequested', 'RunInvented'), ...lines.slice(1)].join('\n'));
    const forged = await cliHere(['log', 'verify', '--file', out], { home });
    expect(forged).toMatchObject({ code: 1, stdout: expect.stringContaining('position 1: its leaf hash is not') });
  });

  // Node's readline ends a line there: an unchanged export was refused as damaged.
  test('an export of texts with the line ends of Unicode is verified', async () => {
    await daemon.request('/api/tasks', { method: 'POST', body: JSON.stringify({ title: 'One\u2028two\u2029three' }) });
    const out = join(home, 'lines.jsonl');
    await cliHere(['log', 'export', '--out', out], { home });
    expect(await cliHere(['log', 'verify', '--file', out], { home })).toMatchObject({ code: 0, stderr: '' });
  });

  // It said `The first argument must be of type string or an instance of Buffer…`.
  test('a line that is no envelope is named by its number', async () => {
    const out = join(home, 'not-an-export.jsonl');
    for (const leaf of ['{}', '{"leaf_hash":null,"erased":true}', '{"leaf_hash":7,"erased":true}', 'no JSON']) {
      writeFileSync(out, `\n${leaf}\n`);
      expect(await cliHere(['log', 'verify', '--file', out], { home })).toEqual({
        code: 1,
        stdout: '',
        stderr: 'daybook: Line 2 of the file is no envelope.\n',
      });
    }
  });

  test('one event is counted in the singular', async () => {
    const small = await daemonHere();
    await small.request('/api/tasks', { method: 'POST', body: '{"title":"One"}' });
    const said = async (...words: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await cliHere(words, { home: small.home });
      return stdout + stderr;
    };
    expect(await said('log', 'verify')).toMatch(/^ok: 1 event downloaded/);
    expect(await said('log', 'check-schema')).toBe('ok: 1 event, each fits its schema\n');
    expect(await said('log', 'export')).toContain('\n1 event exported; ');
    expect(await said('doctor')).toMatch(/, 1 event, tree /);
  });

  // Every full buffer left a listener behind, and Node warned of a leak in the middle of the evidence.
  test('a long export says nothing but what it did', async () => {
    for (let at = 0; at < 30; at += 1) {
      const body = JSON.stringify({ title: `goal ${at}`, statement: 'x'.repeat(100_000) });
      await daemon.request('/v1/goals', { method: 'POST', body });
    }
    const { code, stderr } = await cliHere(['log', 'export', '--out', join(home, 'long.jsonl')], { home });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\d+ events exported; the head is \d+:[0-9a-f]{64}\n$/);
    expect(statSync(join(home, 'long.jsonl')).size).toBeGreaterThan(3_000_000);
  });

  test('tail shows the newest and then what happens, and ends with 0 on Ctrl-C', async () => {
    const { position } = (await (await daemon.request('/v1/log/head')).json()) as { position: number };
    const tail = startCli(['log', 'tail', '-n', '2', '--json'], { home });
    await tail.says(`"position":${position},`);
    await daemon.request('/api/tasks', { method: 'POST', body: '{"title":"new"}' });
    await tail.says(`"position":${position + 1},`);
    tail.process.kill('SIGINT');
    const { code, stdout } = await tail.ended;
    expect(code).toBe(0);
    const positions = jsonLines<Envelope>(stdout).map((envelope) => envelope.position);
    expect(positions.slice(0, 3)).toEqual([position - 1, position, position + 1]);
  });

  test('rebuild folds the views again', async () => {
    const before = await (await daemon.request('/jobs')).text();
    const { code, stdout } = await cliHere(['log', 'rebuild'], { home });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The views are rebuilt from \d+ events/),
    });
    expect(await (await daemon.request('/jobs')).text()).toBe(before);
    const [result] = jsonLines<object>((await cliHere(['log', 'rebuild', '--json'], { home })).stdout);
    expect(result).toEqual({ rebuilt: true, position: expect.any(Number), seconds: expect.any(Number) });
  });

  test('a reader that goes away early is no error', async () => {
    const reader = startCli(['log', 'export'], { home });
    reader.process.stdout!.destroy();
    expect(await reader.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('without a daemon', () => {
  let home: string;
  let jobs: string;
  beforeAll(async () => {
    const made = await homeWithRun();
    home = made.home;
    jobs = await (await made.daemon.request('/jobs')).text();
    await made.daemon.stop();
  });

  test('rebuild deletes the views; the next daemon has the same ones', async () => {
    const { code, stdout } = await cliHere(['log', 'rebuild', '--json'], { home });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"rebuilt":false}\n' });
    expect(existsSync(join(home, 'views.db'))).toBe(false);
    const daemon = await daemonHere({ home });
    expect(await (await daemon.request('/jobs')).text()).toBe(jobs);
  });

  test('read and export open the data directory', async () => {
    const read = await cliHere(['log', 'read', '--json', '--limit', '10000'], { home });
    // It was a file with the name -.
    const exported = await cliHere(['log', 'export', '--out', '-'], { home });
    expect(read.stdout).toBe(exported.stdout);
    expect(jsonLines<Envelope>(read.stdout)[0]).toMatchObject({ position: 1, type: 'RunRequested' });
  });

  test('verify finds a byte that was changed in the database', async () => {
    expect(await cliHere(['log', 'verify'], { home })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('data directory'),
    });
    const db = new Sqlite(join(home, 'data', 'store-1', 'data.sqlite'));
    const rows = db.prepare(`SELECT key, value FROM entries`).all() as { key: Buffer; value: Buffer }[];
    const row = rows.find(({ value }) => value.includes('"RunRequested"'))!;
    const at = row.value.indexOf('RunRequested');
    row.value[at] = row.value[at]! ^ 1;
    db.prepare(`UPDATE entries SET value = ? WHERE key = ?`).run(row.value, row.key);
    db.close();
    const { code, stdout } = await cliHere(['log', 'verify'], { home });
    expect(code).toBe(1);
    expect(stdout).toContain('NOT ok');
  });
});
