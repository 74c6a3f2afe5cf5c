/** Every kind of path, and what is cached of a repository between two requests. */
import { chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGit } from '../../src/integrations/git/git.ts';
import { measure } from '../../src/queries/devex/measure.ts';
import { zQuery } from '../../src/queries/devex/query.ts';
import { temporaryFolder } from '../support/folders.ts';
import { DAY, gitInFront, HOUR, makeRepository, measureAt, runGit } from './repository.ts';

const NOW = Math.floor(Date.now() / 1_000);
const T = NOW - 10 * DAY;
const STEPS = [
  { commit: 'a', at: T, files: { 'README.md': 'x', '.github/workflows/ci.yml': 'x', 'packages/one/Makefile': 'x' } },
  { commit: 'b', at: T + HOUR, author: 'Bob', files: { 'README.md': 'y' } },
  { tag: 'v1.0', on: 'b', at: T + 2 * HOUR },
];

/** What every way to look at the same history must say. */
async function essence(path: string, query: Readonly<Record<string, string>> = {}) {
  const { report } = (await measureAt(NOW, { path, ...query })).dora();
  return [report.commits_in_window, report.authors_in_window, report.lead_time_for_changes?.value];
}

describe('a path', () => {
  test('may be the top, a directory or a file below it, a link to it, or inside .git', async () => {
    const { path } = makeRepository(STEPS);
    runGit(path, 'checkout', '-q', '-f', 'main');
    const link = join(temporaryFolder('devex'), 'link');
    symlinkSync(path, link);
    for (const at of ['', 'packages', 'packages/one', 'README.md', '.git', '.git/objects']) {
      const { report } = (await measureAt(NOW, { path: join(path, at) })).dora();
      expect([at, report.repo, report.commits_in_window]).toEqual([at, path, 2]);
    }
    expect(await essence(link)).toEqual([2, 2, 1]);
  });

  test('is scanned for practices itself, not the repository around it', async () => {
    const { path } = makeRepository(STEPS);
    runGit(path, 'checkout', '-q', '-f', 'main');
    const level = async (at: string) => {
      const { workspace, practices } = await (await measureAt(NOW, { path: join(path, at) })).practices();
      expect(workspace).toBe(join(path, at));
      return Object.fromEntries(practices.map(({ key, found }) => [key, found]));
    };
    expect(await level('')).toMatchObject({ 'ci-pipeline': 1, onboarding: 1, 'automated-testing': 0 });
    expect(await level('packages/one')).toMatchObject({ 'ci-pipeline': 1, onboarding: 1, 'automated-testing': 1 });
    expect(await level('packages')).toMatchObject({ 'ci-pipeline': 0, onboarding: 0, 'automated-testing': 0 });
    // A prepared start is one of the repository.
    const onboarding = await (await measureAt(NOW, { path: join(path, 'packages') })).onboarding();
    expect(onboarding.readiness_found).toBe(1);
  });

  test.each([
    ['nothing there', '/nowhere/at/all', 'nothing at this path'],
    ['a directory in no repository', temporaryFolder('devex'), 'not inside a git repository'],
  ])('%s is refused with a sentence', async (_name, path, sentence) => {
    await expect(measureAt(NOW, { path })).rejects.toThrow(sentence);
  });

  test('may hold line breaks and quotes', async () => {
    const path = join(temporaryFolder('devex'), 'a\nb "c" \'d\' é');
    mkdirSync(path);
    makeRepository(STEPS, path);
    expect(await essence(path)).toEqual([2, 2, 1]);
  });
});

describe('a repository', () => {
  test('may be bare: practices are those of the tree of HEAD', async () => {
    const source = makeRepository(STEPS);
    const bare = join(temporaryFolder('devex'), 'bare.git');
    runGit('/', 'clone', '-q', '--bare', source.path, bare);
    expect(await essence(bare)).toEqual([2, 2, 1]);
    const measurement = await measureAt(NOW, { path: bare });
    expect(measurement.dora().report.repo).toBe(bare);
    const { practices, scope_note } = await measurement.practices();
    expect(practices.find(({ key }) => key === 'ci-pipeline')?.signals[0]).toEqual({
      name: 'pipeline definition',
      found: true,
      path: '.github/workflows',
    });
    expect(scope_note).toContain('bare');
    expect((await measurement.onboarding()).readiness_found).toBe(1);
    expect((await measurement.space()).dimensions_measured).toBe(3);
  });

  test('may be a linked worktree with a HEAD of its own', async () => {
    const source = makeRepository(STEPS);
    const tree = join(temporaryFolder('devex'), 'tree');
    runGit(source.path, 'worktree', 'add', '-q', '--detach', tree, 'main~1');
    expect(await essence(tree)).toEqual([1, 1, 1]);
    expect((await measureAt(NOW, { path: tree })).dora().report.repo).toBe(tree);
    expect(await essence(source.path)).toEqual([2, 2, 1]);
  });

  test('may have a detached HEAD, or none yet, or no commit at all', async () => {
    const source = makeRepository(STEPS);
    runGit(source.path, 'checkout', '-q', '-f', '--detach', 'main~1');
    expect(await essence(source.path)).toEqual([1, 1, 1]);
    runGit(source.path, 'checkout', '-q', '-f', '--orphan', 'fresh');
    expect(await essence(source.path)).toEqual([0, 0, 1]);
    expect(await essence(makeRepository([]).path)).toEqual([0, 0, undefined]);
    expect((await (await measureAt(NOW, { path: makeRepository([]).path })).onboarding()).new_contributors).toEqual([]);
  });

  test('may be a shallow clone: it says so, and whose commits are first is not guessed', async () => {
    const source = makeRepository([
      ...STEPS,
      { commit: 'c', at: T + 3 * HOUR, author: 'Cleo', files: { 'c.txt': 'c' } },
    ]);
    const clone = join(temporaryFolder('devex'), 'clone');
    runGit('/', 'clone', '-q', '--depth', '2', `file://${source.path}`, clone);
    const measurement = await measureAt(NOW, { path: clone });
    const { report } = measurement.dora();
    expect(report.commits_in_window).toBe(2);
    expect(report.notes).toEqual([expect.stringContaining('shallow')]);
    const onboarding = await measurement.onboarding();
    expect(onboarding.new_contributors).toEqual([]);
    expect(onboarding.notes.join()).toContain('shallow');
    expect(onboarding.not_measured.map(({ metric }) => metric)).toEqual(['time_to_first_commit', 'new_contributors']);
    // The first commit of the clone seems to make every file; only what the second touched is known.
    const space = await measurement.space();
    expect(space.scope_note).toContain('shallow');
    const { measures } = space.dimensions[3]!;
    expect(measures.find(({ unit }) => unit === 'percent of files touched')).toMatchObject({
      value: 0,
      sample_size: 1,
    });
    runGit(clone, 'fetch', '-q', '--unshallow');
    expect((await measureAt(NOW, { path: clone })).dora().report).toMatchObject({ commits_in_window: 3, notes: [] });
  });

  test('may have its refs packed, in SHA-256, or replaced by others', async () => {
    const { path, git, hash } = makeRepository(STEPS);
    git('pack-refs', '--all');
    expect(await essence(path)).toEqual([2, 2, 1]);
    git('replace', '--graft', hash('b'));
    expect(await essence(path)).toEqual([2, 2, 1]);
    const long = temporaryFolder('devex');
    runGit(long, 'init', '-q', '-b', 'main', '--object-format=sha256');
    makeRepository(STEPS, long);
    expect(await essence(long)).toEqual([2, 2, 1]);
    const { report } = (await measureAt(NOW, { path: long })).dora();
    expect(report.deployments[0]?.commit).toMatch(/^[0-9a-f]{64}$/);
  });

  test('of which objects are missing is refused with a sentence', async () => {
    const { path, hash } = makeRepository(STEPS);
    const name = hash('a');
    rmSync(join(path, '.git', 'objects', name.slice(0, 2), name.slice(2)));
    await expect(measureAt(NOW, { path })).rejects.toMatchObject({ fault: 'bad_path' });
  });

  test('whose HEAD leads to nothing is refused, not measured as empty', async () => {
    const { path, git, hash } = makeRepository(STEPS);
    const lost = { fault: 'bad_path', message: expect.stringContaining('HEAD') };
    git('update-ref', '-d', 'refs/heads/main');
    writeFileSync(join(path, '.git', 'HEAD'), `${hash('b').replaceAll(/./g, '1')}\n`);
    await expect(measureAt(NOW, { path })).rejects.toMatchObject(lost);
    writeFileSync(join(path, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(path, '.git', 'refs', 'heads', 'main'), '');
    await expect(measureAt(NOW, { path })).rejects.toMatchObject(lost);
  });
});

describe('a repository of another user', () => {
  test('is refused, saying how to trust it; once it is trusted it is measured', async () => {
    const { path } = makeRepository(STEPS);
    const home = temporaryFolder('devex');
    const env = { ...gitInFront('export GIT_TEST_ASSUME_DIFFERENT_OWNER=1'), HOME: home };
    const refused = measureAt(NOW, { path }, env);
    await expect(refused).rejects.toThrow(/another user.*safe\.directory/);
    await expect(refused).rejects.toMatchObject({ fault: 'bad_path' });
    await expect(refused).rejects.not.toThrow(path);
    writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${path}\n`);
    expect((await measureAt(NOW, { path }, env)).dora().report.commits_in_window).toBe(2);
  });

  test.runIf(process.getuid?.() === 0)('is recognised by its owner', async () => {
    const { path } = makeRepository(STEPS);
    chownSync(path, 4_321, 4_321);
    await expect(measureAt(NOW, { path })).rejects.toThrow(/another user/);
  });
});

test('without git the answer is a sentence', async () => {
  const { path } = makeRepository(STEPS);
  await expect(measureAt(NOW, { path }, { PATH: '/nowhere' })).rejects.toMatchObject({ fault: 'missing' });
});

describe('what is kept', () => {
  function counted() {
    const log = join(temporaryFolder('devex'), 'log');
    writeFileSync(log, '');
    const git = createGit(gitInFront(`echo "$3" >> '${log}'`));
    const commands = (): readonly string[] => readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return {
      everything: async (query: Readonly<Record<string, string>>) => {
        const measurement = await measure(git, zQuery.parse(query), NOW * 1_000);
        await Promise.all([measurement.scorecard(), measurement.onboarding(), measurement.space()]);
      },
      ask: async (query: Readonly<Record<string, string>>) =>
        (await measure(git, zQuery.parse(query), NOW * 1_000)).dora().report,
      /** How often the history was read. */
      reads: () => commands().filter((command) => command === 'rev-list').length,
      lists: () => commands().filter((command) => command === 'for-each-ref').length,
      all: () => commands().length,
    };
  }

  test('one reading serves every question about it, also those asked at once', async () => {
    const { path, git } = makeRepository(STEPS);
    git('branch', 'other', 'main~1');
    const it = counted();
    const questions = [{}, { window: '5' }, { marker: 'merges' }, { marker: 'merges', branch: 'other' }];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => it.ask({ path, ...questions[index % 4]! })),
    );
    expect(answers[0]?.commits_in_window).toBe(2);
    expect(answers[1]?.commits_in_window).toBe(0);
    expect(it.reads()).toBe(1);
    await it.ask({ path });
    expect(it.reads()).toBe(1);
  });

  test('a crowd is served by a handful of processes, also of a bare repository', async () => {
    const source = makeRepository(STEPS);
    const bare = join(temporaryFolder('devex'), 'bare.git');
    runGit('/', 'clone', '-q', '--bare', source.path, bare);
    for (const path of [source.path, bare]) {
      const it = counted();
      await Promise.all(Array.from({ length: 40 }, () => it.everything({ path })));
      expect(it.reads()).toBe(1);
      expect(it.all()).toBeLessThan(12);
    }
  });

  test('is forgotten when any ref moves: a commit, a tag, a deleted tag, another HEAD, a packed ref', async () => {
    const { path, git } = makeRepository(STEPS);
    git('checkout', '-q', '-f', 'main');
    const it = counted();
    const moves: readonly (readonly [move: () => unknown, commits: number, releases: number])[] = [
      [() => undefined, 2, 1],
      [() => git('commit', '-q', '--allow-empty', '-m', 'c'), 3, 1],
      [() => git('tag', 'v1.1'), 3, 2],
      [() => git('pack-refs', '--all'), 3, 2],
      [() => git('tag', '-d', 'v1.0'), 3, 1],
      [() => git('checkout', '-q', '-f', '--detach', 'HEAD~1'), 2, 1],
      [() => git('checkout', '-q', '-f', 'main'), 3, 1],
      [() => git('tag', '-f', 'v1.1', 'HEAD~1'), 3, 1],
    ];
    for (const [move, commits, releases] of moves) {
      move();
      const report = await it.ask({ path });
      expect([report.commits_in_window, report.deployments.length]).toEqual([commits, releases]);
    }
  });

  test('is forgotten when a shallow clone gets more or fewer commits, although no ref moves', async () => {
    const { path: source } = makeRepository([...STEPS, { commit: 'c', at: T + 3 * HOUR }]);
    const path = join(temporaryFolder('devex'), 'clone');
    runGit('/', 'clone', '-q', '--depth', '1', `file://${source}`, path);
    const it = counted();
    const commits = [(await it.ask({ path })).commits_in_window];
    for (const fetch of [['--deepen=1'], ['--depth=1'], ['--unshallow']]) {
      runGit(path, 'fetch', '-q', ...fetch);
      commits.push((await it.ask({ path })).commits_in_window);
    }
    expect(commits).toEqual([1, 2, 1, 3]);
  });

  test('is not read again, and once the files of the refs are two seconds old git is not even asked for them', async () => {
    const it = counted();
    const { path } = makeRepository(STEPS);
    const made = Date.now();
    vi.setSystemTime(made);
    onTestFinished(() => void vi.useRealTimers());
    await it.ask({ path });
    await it.ask({ path });
    expect([it.reads(), it.lists()]).toEqual([1, 2]);
    vi.setSystemTime(made + 2_100);
    await it.ask({ path });
    await it.ask({ path });
    await it.ask({ path });
    expect([it.reads(), it.lists()]).toEqual([1, 3]);
  });

  test('sees a ref that was written over in place', async () => {
    const { path, hash } = makeRepository(STEPS);
    const it = counted();
    expect((await it.ask({ path })).commits_in_window).toBe(2);
    const ref = join(path, '.git', 'refs', 'heads', 'main');
    writeFileSync(ref, `${hash('a')}\n`);
    utimesSync(ref, NOW - DAY, NOW - DAY);
    expect((await it.ask({ path })).commits_in_window).toBe(1);
  });
});
