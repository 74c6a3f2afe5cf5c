/** Untrusted repositories: nothing that they name is run, and nothing is written into them. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFieldReader, FIELD_BYTES_MAX } from '../../src/integrations/git/fields.ts';
import { createGit } from '../../src/integrations/git/git.ts';
import { createGitRunner, GIT_PROCESSES_MAX, GIT_WAITING_MAX } from '../../src/integrations/git/process.ts';
import { shellWord } from '../../src/lib/shell-word.ts';
import { temporaryFolder } from '../support/folders.ts';
import { DAY, gitInFront, makeRepository, measureAt, runGit } from './repository.ts';

const NOW = Math.floor(Date.now() / 1_000);
const STEPS = [
  { commit: 'a', at: NOW - 2 * DAY, files: { 'a.txt': 'one\n', 'sub/b.txt': 'x\n' } },
  { commit: 'b', at: NOW - DAY, author: 'Bob', files: { 'a.txt': 'two\n' } },
  { tag: 'v1.0', on: 'b' },
];

/** Every report there is. */
async function everything(path: string): Promise<void> {
  const measurement = await measureAt(NOW, { path });
  expect(measurement.dora().report.commits_in_window).toBe(2);
  await measurement.scorecard();
  await measurement.onboarding();
  await measurement.space();
  await measureAt(NOW, { path, marker: 'merges' });
}

interface Trap {
  /** A program that leaves a file when it is run. */
  readonly program: string;
  /** The program as a shell command. */
  readonly command: string;
  readonly sprung: () => boolean;
}

function trap(): Trap {
  const folder = temporaryFolder('devex');
  const program = join(folder, 'trap.sh');
  const mark = join(folder, 'sprung');
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${mark}'\ncat\n`);
  chmodSync(program, 0o755);
  return { program, command: shellWord(program), sprung: () => existsSync(mark) };
}

const KEYS = [
  ...['core.fsmonitor', 'core.pager', 'pager.log', 'pager.rev-list', 'pager.diff-tree', 'diff.external'],
  ...['diff.d.command', 'diff.d.textconv', 'core.sshCommand', 'core.editor', 'core.askPass', 'credential.helper'],
  ...['gpg.program', 'gpg.ssh.program', 'core.alternateRefsCommand', 'uploadpack.packObjectsHook', 'filter.f.clean'],
  ...['filter.f.smudge', 'filter.f.process', 'trailer.co-authored-by.command', 'trailer.co-authored-by.cmd'],
  ...['remote.origin.uploadpack', 'sequence.editor', 'core.gitProxy', 'log.showSignature.x'],
];

describe('a hostile repository', () => {
  test('runs nothing: configuration, hooks, filters, converters, signatures', async () => {
    const { program, command, sprung } = trap();
    const { path, git } = makeRepository(STEPS);
    git('checkout', '-q', '-f', 'main');
    for (const key of KEYS) git('config', key, key.startsWith('gpg.') ? program : command);
    git('config', 'log.showSignature', 'true');
    git('config', 'filter.f.required', 'true');
    git('config', 'core.hooksPath', '.git/hooks');
    const hooks = join(path, '.git', 'hooks');
    mkdirSync(hooks, { recursive: true });
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction', 'post-checkout']) {
      writeFileSync(join(hooks, hook), readFileSync(program));
      chmodSync(join(hooks, hook), 0o755);
    }
    writeFileSync(join(path, '.gitattributes'), '* filter=f diff=d\n');
    mkdirSync(join(path, '.git', 'info'), { recursive: true });
    writeFileSync(join(path, '.git', 'info', 'attributes'), '* filter=f diff=d\n');
    await everything(path);
    expect(sprung()).toBe(false);
    // The traps are real: git as everybody runs it springs them. It reads a file again whose time is not in the index.
    utimesSync(join(path, 'a.txt'), NOW - DAY, NOW - DAY);
    expect(() => git('status')).toThrow();
    expect(sprung()).toBe(true);
  });

  test('runs nothing for a signed commit, whose signature git would show', async () => {
    const { program, sprung } = trap();
    const { path, git, hash } = makeRepository(STEPS);
    const raw = git('cat-file', 'commit', hash('b'));
    const signed = raw.replace(
      /^committer .*$/m,
      (line) => `${line}\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END`,
    );
    const file = join(path, 'signed');
    writeFileSync(file, `${signed}\n`);
    git('update-ref', 'refs/heads/main', git('hash-object', '-w', '-t', 'commit', '--literally', file));
    git('config', 'gpg.program', program);
    git('config', 'log.showSignature', 'true');
    await everything(path);
    expect(sprung()).toBe(false);
    git('log', '-1');
    expect(sprung()).toBe(true);
  });

  test('cannot reach further with includes', async () => {
    const { program, command, sprung } = trap();
    const { path, git } = makeRepository(STEPS);
    const included = join(temporaryFolder('devex'), 'included');
    writeFileSync(
      included,
      `[core]\n\tfsmonitor = ${command}\n[gpg]\n\tprogram = ${program}\n[log]\n\tshowSignature\n`,
    );
    git('config', 'include.path', included);
    git('config', `includeIf.gitdir:${path}/.path`, included);
    git('config', 'includeIf.onbranch:main.path', included);
    await everything(path);
    expect(sprung()).toBe(false);
  });

  test('gets no help from the configuration of the daemon’s user', async () => {
    const { program, command, sprung } = trap();
    const { path } = makeRepository(STEPS);
    const home = temporaryFolder('devex');
    const config = `[core]\n\tfsmonitor = ${command}\n[log]\n\tshowSignature\n\tmailmap\n[gpg]\n\tprogram = ${program}\n`;
    writeFileSync(join(home, '.gitconfig'), `${config}[i18n]\n\tlogOutputEncoding = UTF-16\n[diff]\n\tnoprefix\n`);
    const env = { PATH: process.env.PATH, HOME: home, GIT_DIR: '/nowhere', GIT_TRACE: join(home, 'trace') };
    const { report } = (await measureAt(NOW, { path }, env)).dora();
    expect(report).toMatchObject({ commits_in_window: 2, authors_in_window: 2 });
    expect(sprung()).toBe(false);
    expect(existsSync(join(home, 'trace'))).toBe(false);
  });

  test('with a submodule of a strange address fetches nothing and enters nothing', async () => {
    const { program, command, sprung } = trap();
    const { path, git } = makeRepository(STEPS);
    git('checkout', '-q', '-f', 'main');
    const inner = join(path, 'inner');
    mkdirSync(inner);
    runGit(inner, 'init', '-q');
    runGit(inner, 'commit', '-q', '--allow-empty', '-m', 'inner');
    git('add', 'inner');
    writeFileSync(
      join(path, '.gitmodules'),
      `[submodule "x"]\n\tpath = inner\n\turl = ext::${program}\n\tupdate = !${command}\n`,
    );
    git('add', '.gitmodules');
    runGit(inner, 'config', 'core.fsmonitor', command);
    git('config', 'submodule.x.url', `ext::${program}`);
    git('config', 'submodule.recurse', 'true');
    git('config', 'diff.submodule', 'log');
    git('config', 'remote.origin.url', `ext::${program}`);
    git('config', 'remote.origin.promisor', 'true');
    await everything(path);
    expect(sprung()).toBe(false);
  });

  test('that lacks objects of a partial clone is not completed over the network', async () => {
    const { command, sprung } = trap();
    const source = makeRepository(STEPS);
    source.git('config', 'uploadpack.allowFilter', 'true');
    const clone = join(temporaryFolder('devex'), 'clone');
    runGit('/', 'clone', '-q', '--no-checkout', '--filter=tree:0', `file://${source.path}`, clone);
    runGit(clone, 'config', 'remote.origin.uploadpack', command);
    const measurement = await measureAt(NOW, { path: clone });
    expect(measurement.dora().report.commits_in_window).toBe(2);
    const { unmeasured } = (await measurement.space()).dimensions[3]!;
    expect(unmeasured.map(({ metric }) => metric)).toEqual(['file_co_ownership', 'review_latency']);
    expect(sprung()).toBe(false);
  });

  test('with another work tree in its configuration is measured as itself', async () => {
    const { path, git } = makeRepository(STEPS);
    for (const elsewhere of ['/etc', '/nowhere']) {
      git('config', 'core.worktree', elsewhere);
      expect((await measureAt(NOW, { path })).dora().report).toMatchObject({ repo: path, commits_in_window: 2 });
    }
  });

  test('with a broken configuration is refused without a word of it', async () => {
    const { path } = makeRepository(STEPS);
    writeFileSync(join(path, '.git', 'config'), '[core]\nrepositoryformatversion = 9\n');
    await expect(measureAt(NOW, { path })).rejects.toMatchObject({ fault: 'bad_path' });
    writeFileSync(join(path, '.git', 'config'), '[secret-of-somebody');
    const broken = measureAt(NOW, { path });
    await expect(broken).rejects.toMatchObject({ fault: 'bad_path' });
    await expect(broken).rejects.not.toThrow('secret');
  });

  test('is not written to', async () => {
    const { path, git } = makeRepository(STEPS);
    git('checkout', '-q', '-f', 'main');
    const state = (): string[] =>
      readdirSync(path, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => `${name} ${statSync(join(path, name)).mtimeMs}`);
    const before = state();
    await everything(path);
    expect(state()).toEqual(before);
  });
});

describe('a FIFO, which nobody writes to,', () => {
  const WINGS = `import { wingOf } from '${resolve('src/integrations/git/wing.ts')}';
    for (const folder of process.argv.slice(1)) console.log(wingOf(folder));`;

  test('as .git, .git/config or the commondir of a worktree blocks nothing', () => {
    const projects = ['.git', '.git/config', 'own/commondir'].map((fifo) => {
      const folder = join(temporaryFolder('devex'), 'project');
      mkdirSync(join(folder, dirname(fifo)), { recursive: true });
      if (fifo.startsWith('own')) writeFileSync(join(folder, '.git'), 'gitdir: own\n');
      execFileSync('mkfifo', [join(folder, fifo)]);
      return folder;
    });
    const program = ['--input-type=module', '--eval', WINGS, ...projects];
    const wings = execFileSync(process.execPath, program, { encoding: 'utf8', timeout: 20_000 });
    expect(wings).toBe('project\nproject\nproject\n');
  });
});

describe('limits', () => {
  test.each([1_000, 70_000, 10_000_000])('both ends of a huge field are kept, in pieces of %i bytes', (piece) => {
    const records: string[][] = [];
    const reader = createFieldReader(2, (fields) => records.push(fields.map((field) => field.toString('latin1'))));
    const text = `first${'x'.repeat(FIELD_BYTES_MAX * 5)}last\0b\0\0d\0${'y'.repeat(FIELD_BYTES_MAX)}\0\0`;
    for (let at = 0; at < text.length; at += piece) reader.push(Buffer.from(text.slice(at, at + piece), 'latin1'));
    const middle = 'x'.repeat(FIELD_BYTES_MAX - 'first'.length - 'last'.length);
    expect(records).toEqual([
      [`first${middle}last`, 'b'],
      ['', 'd'],
      ['y'.repeat(FIELD_BYTES_MAX), ''],
    ]);
  });

  test('some git processes run, some wait, the rest is refused; closing ends them all', async () => {
    const runner = createGitRunner();
    const folder = temporaryFolder('devex');
    writeFileSync(join(folder, 'git'), '#!/bin/sh\nexec sleep 60\n');
    chmodSync(join(folder, 'git'), 0o755);
    const job = { args: [], cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` }, output: () => undefined };
    const all = Array.from({ length: GIT_PROCESSES_MAX + GIT_WAITING_MAX }, () =>
      runner.run(job).catch((error: { fault: string }) => error.fault),
    );
    await expect(runner.run(job)).rejects.toMatchObject({ fault: 'busy' });
    await runner.close();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['failed']));
  });

  test.each([
    ['before 2.31 prints an option of rev-parse', 'shift 3; printf "%s\\n" "$@"; exit'],
    ['before 2.33 refuses an option of rev-list', '[ $3 = rev-list ] && exit 129'],
  ])('a git %s, and is named as too old', async (_, script) => {
    const reader = createGit(gitInFront(script));
    await expect(reader.open(makeRepository(STEPS).path)).rejects.toThrow(
      'git is too old here: 2.33 or newer is needed.',
    );
    await reader.close();
  });

  test('without a descriptor left for a process the call fails, and the daemon goes on', () => {
    const limited = [
      '-c',
      'ulimit -n 64; exec "$@"',
      'sh',
      process.execPath,
      resolve('tests/support/no-descriptors.ts'),
    ];
    const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'GitError: git could not be started (EMFILE).',
      expect.stringMatching(/^SecretsUnavailable: This machine has no keyring that can be used: spawn \S+ EMFILE$/),
      'the command could not be started: EMFILE',
      '[no output]',
    ]);
  });
});
