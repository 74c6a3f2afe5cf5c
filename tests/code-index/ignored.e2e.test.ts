/** The scan takes exactly the files that git would take. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { SCAN_LIMITS, scan } from '../../src/integrations/code-index/scan.ts';
import { temporaryFolder } from '../support/folders.ts';
import { writeFiles } from './support.ts';

let repository: string;
beforeAll(() => {
  repository = temporaryFolder('repository');
  execFileSync('git', ['init', '-q', repository]);
  writeFiles(repository, {
    '.gitignore': '*.log\n/out/\ntarget\npackages/*/tmp\n!packages/a/tmp\n# a comment\n\\#odd.md\n',
    '.git/info/exclude': 'private.md\n',
    'a.md': 'a',
    'x.log': 'x',
    '#odd.md': 'x',
    'out/b.md': 'x',
    'private.md': 'x',
    'packages/.gitignore': '*.tmp.md\n',
    'packages/a/.gitignore': '!keep.log\n/out\n',
    'packages/a/a.md': 'a',
    'packages/a/keep.log': 'a',
    'packages/a/drop.log': 'x',
    'packages/a/x.tmp.md': 'x',
    'packages/a/private.md': 'x',
    'packages/a/out/c.md': 'x',
    'packages/a/sub/out/d.md': 'a',
    'packages/a/sub/target/e.md': 'x',
    'packages/a/tmp/f.md': 'a',
    'packages/b/tmp/g.md': 'x',
  });
});

const home = '/nonexistent';

function scanned(root: string): string[] {
  const { files } = scan({ root, from: '.', home, includeIgnored: false }, SCAN_LIMITS);
  return [...files()].map(({ path }) => path).sort();
}

function listedByGit(root: string): string[] {
  const options = ['-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', ['ls-files', ...options], { cwd: root })
    .toString()
    .split('\0')
    .filter(Boolean)
    .sort();
}

it.each(['.', 'packages', 'packages/a', 'packages/a/sub'])('in %s is what git lists', (folder) => {
  const root = join(repository, folder);
  expect(scanned(root)).toEqual(listedByGit(root));
});

it('in a linked worktree is what git lists: the repository excludes for all of them', () => {
  const root = join(temporaryFolder('linked'), 'tree');
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'Begin'], { cwd: repository });
  execFileSync('git', ['worktree', 'add', '-q', root], { cwd: repository, stdio: 'ignore' });
  writeFiles(root, { 'a.md': 'a', 'private.md': 'x', 'b/private.md': 'x' });
  expect(scanned(root)).toEqual(['a.md']);
  expect(listedByGit(root)).toEqual(['a.md']);
});

it('outside a repository is everything', () => {
  const root = temporaryFolder('plain');
  writeFiles(root, { 'a.md': 'a', 'b/c.md': 'c' });
  expect(scanned(root)).toEqual(['a.md', 'b/c.md']);
});

it('over a limit is counted', () => {
  const root = temporaryFolder('many');
  writeFiles(root, Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.md`, 'x'.repeat(100)])));
  const request = { root, from: '.', home, includeIgnored: false };
  const byFiles = scan(request, { ...SCAN_LIMITS, filesMax: 4 });
  expect([[...byFiles.files()].length, byFiles.skipped.over_limit]).toEqual([4, 5]);
  const byText = scan(request, { ...SCAN_LIMITS, textBytesMax: 350 });
  expect([[...byText.files()].length, byText.skipped.over_limit]).toEqual([3, 6]);
  const bySize = scan(request, { ...SCAN_LIMITS, fileBytesMax: 99 });
  expect([[...bySize.files()].length, bySize.skipped.too_large]).toEqual([0, 9]);
});
