/** The tool git_diff with the real git, on normal and on hostile checkouts. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/lib/shell-word.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type Bench, bench } from './helper.ts';

function git(directory: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...args], { cwd: directory, stdio: 'ignore' });
}

function checkout(limits: Parameters<typeof bench>[0] = {}, env = process.env): Bench {
  const it = bench(limits, env);
  git(it.workspace, 'init', '-q');
  it.put('a.txt', 'one\ntwo\n');
  it.put('sub/b.txt', 'x\n');
  git(it.workspace, 'add', '.');
  git(it.workspace, 'commit', '-qm', 'first');
  return it;
}

describe('git_diff', () => {
  test('shows what is not staged, what is, and what git does not know yet', async () => {
    const it = checkout();
    expect(await it.run('git_diff', {})).toEqual({ success: true, output: '[no changes]', files_modified: [] });
    it.put('a.txt', 'one\n2\n');
    it.put('sub/b.txt', 'y\n');
    it.put('fünf.txt', '');
    git(it.workspace, 'add', 'sub/b.txt');
    const loose = (await it.run('git_diff', {})).output;
    expect(loose).toContain('--- a/a.txt\n+++ b/a.txt');
    expect(loose).toContain('-two\n+2\n');
    expect(loose).toMatch(/\[not tracked yet:\n {2}fünf.txt\]$/);
    expect(loose).not.toContain('b.txt');
    const staged = (await it.run('git_diff', { staged: true })).output;
    expect(staged).toContain('-x\n+y\n');
    expect(staged).not.toContain('a.txt');
  });

  test('that is too large to read says how much is read', async () => {
    const it = checkout({ bashPrintedBytesMax: 2_000 });
    it.put('a.txt', 'a line that is long enough\n'.repeat(2_000));
    const { success, output } = await it.run('git_diff', {});
    expect([success, output]).toEqual([
      false,
      'The difference has more than the 2000 bytes that are read; give a path.',
    ]);
  });

  test('leaves room for the difference beside long names of new files', async () => {
    const it = checkout({ outputBytesMax: 4_000 });
    it.put('a.txt', 'one\n2\n');
    for (let file = 10; file < 40; file += 1) it.put(`${file}-${'n'.repeat(200)}`, '');
    const { output } = await it.run('git_diff', {});
    expect(output).toContain('-two\n+2\n');
    expect(output).toMatch(/\[not tracked yet:\n {2}10-n+\n {2}11-n+\n(?: {2}.+\n)* {2}…\]$/);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(4_000);
  });

  test('takes a path, also of a deleted file, and never as an option or a pattern', async () => {
    const it = checkout();
    it.put('a.txt', 'changed\n');
    git(it.workspace, 'rm', '-q', '--cached', 'sub/b.txt');
    expect((await it.run('git_diff', { path: 'sub' })).output).toContain('not tracked yet:\n  sub/b.txt');
    expect((await it.run('git_diff', { path: 'sub/b.txt', staged: true })).output).toContain('deleted file');
    expect((await it.run('git_diff', { path: '--output=evil' })).output).toBe('[no changes]');
    expect((await it.run('git_diff', { path: ':(top)a.txt' })).output).toBe('[no changes]');
    expect((await it.run('git_diff', { path: '../x' })).success).toBe(false);
    expect(existsSync(join(it.workspace, 'evil'))).toBe(false);
  });

  test('a workspace below the top shows only itself, with its own paths', async () => {
    const it = checkout();
    it.put('a.txt', 'changed\n');
    it.put('sub/b.txt', 'changed\n');
    const call = { callId: 'sub', name: 'git_diff', input: {}, workspace: join(it.workspace, 'sub') };
    const { output } = await it.tools.call(call, new AbortController().signal);
    expect(output).toContain('--- a/b.txt');
    expect(output).not.toContain('a.txt');
  });

  test('no checkout, an empty one and a broken one are outcomes', async () => {
    const it = bench();
    expect((await it.run('git_diff', {})).output).toBe('The workspace is not a git checkout.');
    git(it.workspace, 'init', '-q');
    expect((await it.run('git_diff', {})).output).toBe('[no changes]');
    writeFileSync(join(it.workspace, '.git/config'), '[broken');
    const broken = await it.run('git_diff', {});
    expect(broken.success).toBe(false);
    expect(broken.output).not.toContain(it.outside);
  });

  test('a repository that git does not open, until the system trusts it, is an outcome with the reason', async () => {
    const folder = temporaryFolder('git-of-another');
    const another = `export PATH='${process.env.PATH}' GIT_TEST_ASSUME_DIFFERENT_OWNER=1 GIT_CONFIG_SYSTEM='${folder}/system'`;
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${another}\nexec git "$@"\n`, { mode: 0o755 });
    const it = checkout({}, { PATH: `${folder}:${process.env.PATH}`, HOME: folder });
    const refused = await it.run('git_diff', {});
    expect(refused.success).toBe(false);
    expect(refused.output).toMatch(/^The repository belongs to another user.*safe\.directory/);
    writeFileSync(join(folder, 'system'), '[safe]\n\tdirectory = *\n');
    expect((await it.run('git_diff', {})).output).toBe('[no changes]');
    rmSync(join(it.workspace, '.git'), { recursive: true });
    it.put('.git/config', '');
    expect((await it.run('git_diff', {})).output).toBe('This is not inside a git repository.');
  });

  test('a large difference keeps both ends', async () => {
    const it = checkout();
    it.put('a.txt', 'line\n'.repeat(100_000));
    const { output } = await it.run('git_diff', {});
    expect(output).toContain('bytes left out');
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(32 * 1024);
  });
});

describe('a hostile checkout', () => {
  /** Every way we know in which reading a repository runs a program of its choosing; each would leave a file. */
  test('runs nothing of its own: hooks, monitor, filters, diff drivers, converters, pagers', async () => {
    const it = checkout();
    const trap = join(it.outside, 'trap.sh');
    const sprung = join(it.outside, 'sprung');
    writeFileSync(trap, `#!/bin/sh\necho "$@" >> '${sprung}'\ncat\n`);
    chmodSync(trap, 0o755);
    const keys = ['core.fsmonitor', 'core.pager', 'pager.diff', 'diff.external', 'diff.d.command', 'diff.d.textconv'];
    const filters = ['filter.f.clean', 'filter.f.smudge', 'filter.a=b.c.clean', 'filter.p.process', 'core.sshCommand'];
    for (const key of [...keys, ...filters]) git(it.workspace, 'config', key, shellWord(trap));
    for (const name of ['f', 'p', 'a=b.c']) git(it.workspace, 'config', `filter.${name}.required`, 'true');
    git(it.workspace, 'config', 'core.hooksPath', it.outside);
    for (const hook of ['post-index-change', 'pre-commit', 'fsmonitor-watchman']) {
      writeFileSync(join(it.outside, hook), `#!/bin/sh\necho hook >> '${sprung}'\n`);
      chmodSync(join(it.outside, hook), 0o755);
    }
    writeFileSync(join(it.workspace, '.git/info/attributes'), '* filter=f diff=d\nsub/* filter=p\nc* filter=a=b.c\n');
    it.put('a.txt', 'changed\n');
    it.put('sub/b.txt', 'changed\n');

    // The traps are real: git as everybody runs it springs them.
    git(it.workspace, '--no-pager', 'status');
    expect(existsSync(sprung)).toBe(true);
    renameSync(sprung, `${sprung}-before`);

    for (const staged of [false, true]) await it.run('git_diff', { staged });
    const outcome = await it.run('git_diff', {});
    expect(outcome).toMatchObject({ success: true });
    expect(outcome.output).toContain('-one\n-two\n+changed\n');
    expect(existsSync(sprung)).toBe(false);
  });

  test('is not read by a git that ignores the variables which switch its programs off', async () => {
    const older = temporaryFolder('older-git');
    const script = `#!/bin/sh\nunset GIT_CONFIG_COUNT\nPATH='${process.env.PATH}' exec git "$@"\n`;
    writeFileSync(join(older, 'git'), script, { mode: 0o755 });
    const it = checkout({}, { ...process.env, PATH: `${older}:${process.env.PATH}` });
    const sprung = join(it.outside, 'sprung');
    git(it.workspace, 'config', 'core.fsmonitor', `touch '${sprung}'; false`);
    it.put('a.txt', 'changed\n');
    const { success, output } = await it.run('git_diff', {});
    expect([success, output]).toEqual([false, expect.stringContaining('older than 2.31')]);
    expect(existsSync(sprung)).toBe(false);
    git(it.workspace, 'status');
    expect(existsSync(sprung)).toBe(true);
  });

  test('cannot make another directory its work tree', async () => {
    const it = checkout();
    mkdirSync(join(it.outside, 'elsewhere'));
    writeFileSync(join(it.outside, 'elsewhere/a.txt'), 'secret of somebody else\n');
    git(it.workspace, 'config', 'core.worktree', join(it.outside, 'elsewhere'));
    it.put('a.txt', 'mine\n');
    const { output } = await it.run('git_diff', {});
    expect(output).toContain('+mine');
    expect(output).not.toContain('secret');
  });

  test('a submodule with a trap in its own configuration is not entered', async () => {
    const it = checkout();
    const sprung = join(it.outside, 'sprung');
    const inner = join(it.workspace, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    writeFileSync(join(inner, 'f'), '1\n');
    git(inner, 'add', '.');
    git(inner, 'commit', '-qm', 'inner');
    git(it.workspace, 'add', 'inner');
    git(it.workspace, 'commit', '-qm', 'with submodule');
    git(inner, 'config', 'core.fsmonitor', `touch '${sprung}'; false`);
    writeFileSync(join(inner, 'f'), '2\n');
    expect((await it.run('git_diff', {})).success).toBe(true);
    expect(existsSync(sprung)).toBe(false);
  });
});
