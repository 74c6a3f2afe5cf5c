/** Ignore rules: single rules, and random `.gitignore` files compared with `git check-ignore`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from '../../src/integrations/tools/ignore.ts';
import { memoryFolder } from '../support/folders.ts';

describe('ignore rules', () => {
  const top = parseIgnoreFile('# note\n\n*.log\n!keep.log\n/build\ncache/\ndocs/*.txt\n\\#hash\ntrail  \n', '');
  test.each([
    ['a.log', false, true],
    ['deep/er/a.log', false, true],
    ['keep.log', false, false],
    ['build', true, true],
    ['sub/build', true, false],
    ['cache', true, true],
    ['sub/cache', true, true],
    ['cache', false, false],
    ['docs/a.txt', false, true],
    ['docs/sub/a.txt', false, false],
    ['#hash', false, true],
    ['trail', false, true],
    ['note', false, false],
  ])('%s (directory: %s) is ignored: %s', (path, isDirectory, expected) => {
    expect(isIgnored([top], path, isDirectory)).toBe(expected);
  });

  test.each([
    ['a POSIX class', '[[:digit:]]', ['7'], ['a', 'd']],
    ['a reversed range, which is its first character', '[z-a]b', ['zb'], ['ab']],
    ['a member beside a reversed range', '[z-am]', ['m'], ['b']],
    ['a backslash at the end, which makes the pattern match nothing', 'tail\\', [], ['tail', 'tail\\']],
    ['a tab at the end, which belongs to the name', 'tail\t', ['tail\t'], ['tail']],
  ])('%s', (_, pattern, yes, no) => {
    const files = [parseIgnoreFile(pattern, '')];
    expect(yes.filter((path) => !isIgnored(files, path, false))).toEqual([]);
    expect(no.filter((path) => isIgnored(files, path, false))).toEqual([]);
  });

  test('a deeper file overrules one above it, for its own directory only', () => {
    const files = [top, parseIgnoreFile('!*.log\nlocal\n', 'sub/')];
    expect(isIgnored(files, 'sub/a.log', false)).toBe(false);
    expect(isIgnored(files, 'sub/local', false)).toBe(true);
  });

  test('a directory that the caller entered does not make its entries ignored', () => {
    expect(isIgnored([top], 'build/a.ts', false)).toBe(false);
    expect(isIgnored([top], 'build/a.log', false)).toBe(true);
    expect(isIgnored([top], 'build/sub/cache', true)).toBe(true);
    const odd = parseIgnoreFile('\\[a\\]\\**\n', '');
    expect([isIgnored([odd], '[a]*!/x', false), isIgnored([odd], '[a]*!/[a]*', false)]).toEqual([false, true]);
  });

  test('a file above the workspace is asked for the path from its own directory', () => {
    const above = { ...parseIgnoreFile('/packages\n/packages/one/dist\nlib\n', ''), prefix: 'packages/one/' };
    expect(isIgnored([above], 'src', true)).toBe(false);
    expect(isIgnored([above], 'dist', true)).toBe(true);
    expect(isIgnored([above], 'src/lib', true)).toBe(true);
  });
});

describe('git', () => {
  const CASES = 150;
  const name = fc.constantFrom('a', 'b', 'ab', 'a.c', 'B', '[', '!a', 'a b', '-', '7', 'a\\', '#a', '{a}', '*');
  const part = fc.oneof(
    name,
    fc.constantFrom(
      '*',
      '**',
      '?',
      '*.c',
      'a*',
      '*b',
      '[ab]',
      '[!a]',
      '[^b]*',
      '[a-b]',
      '[b-a]',
      '[[:alpha:]]',
      '[]a]',
    ),
    fc.constantFrom(
      '[[:digit:]]',
      '[[:upper:]b]',
      '[[:nope:]]',
      '[a',
      '\\a',
      '\\*',
      '\\[',
      'a\\ ',
      '[\\!a]',
      '***',
      '[!]a]',
    ),
  );
  const rule = fc
    .record({
      negation: fc.constantFrom('', '', '', '!', '\\!'),
      lead: fc.constantFrom('', '', '/', '**/', '#'),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      glue: fc.constantFrom('/', '/', '', '/**/'),
      end: fc.constantFrom('', '', '', '/', '/**', '/*', ' ', '\\', '\t', '\r'),
    })
    .map(({ negation, lead, parts, glue, end }) => negation + lead + parts.join(glue) + end);
  const rules = fc.array(rule, { minLength: 1, maxLength: 4 }).map((lines) => `${lines.join('\n')}\n`);
  const tree = fc.uniqueArray(
    fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    {
      minLength: 12,
      maxLength: 12,
    },
  );
  const directory = fc.array(name, { minLength: 1, maxLength: 2 }).map((names) => `${names.join('/')}/`);
  const example = fc.record({ top: rules, nested: rules, directory, tree });

  test('agrees on every path of random trees', () => {
    const top = memoryFolder('ignore');
    execFileSync('git', ['init', '-q', top]);
    const paths = fc.sample(example, { seed: 16, numRuns: CASES }).flatMap(({ tree, directory, ...texts }, at) => {
      const root = join(top, `${at}`);
      const entries = withParents([...tree, `${directory}end`]);
      for (const entry of entries) if (entry.endsWith('/')) mkdirSync(join(root, entry), { recursive: true });
      for (const entry of entries) if (!entry.endsWith('/')) writeFileSync(join(root, entry), '');
      writeFileSync(join(root, '.gitignore'), texts.top);
      writeFileSync(join(root, directory, '.gitignore'), texts.nested);
      const files = [parseIgnoreFile(texts.top, ''), parseIgnoreFile(texts.nested, directory)];
      return entries.map((entry) => ({ path: `${at}/${entry}`, ours: isLeftOut(files, entry), texts, directory }));
    });
    const ignored = checkIgnore(
      top,
      paths.map(({ path }) => path),
    );
    const different = paths.filter(({ path, ours }) => ignored.has(path) !== ours);
    expect(different).toEqual([]);
  });
});

/** Every path and its parent directories, which end with `/`; a path that is also a directory is only that. */
function withParents(paths: readonly string[]): readonly string[] {
  const parents = (path: string): readonly string[] =>
    [...path.matchAll(/\//g)].map((slash) => path.slice(0, slash.index + 1));
  const directories = new Set(paths.flatMap(parents));
  return [...directories, ...paths.filter((path) => !directories.has(`${path}/`))];
}

/** Whether a walk leaves an entry out: the entry or one of its parents is ignored. */
function isLeftOut(files: readonly IgnoreFile[], entry: string): boolean {
  return withParents([entry]).some((path) => {
    const local = path.replace(/\/$/, '');
    return isIgnored(
      files.filter(({ base }) => local.startsWith(base)),
      local,
      path.endsWith('/'),
    );
  });
}

function checkIgnore(top: string, paths: readonly string[]): ReadonlySet<string> {
  const input = paths.map((path) => path.replace(/\/$/, '')).join('\0');
  const output = execFileSync('git', ['-C', top, 'check-ignore', '-z', '--stdin'], { input, encoding: 'utf8' });
  const named = new Set(output.split('\0'));
  return new Set(paths.filter((path) => named.has(path.replace(/\/$/, ''))));
}
