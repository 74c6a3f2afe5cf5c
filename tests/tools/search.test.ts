/** The tool search_files and its parts: globs, the walk, and a worker with a time limit. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globToRegExp } from '../../src/integrations/tools/glob.ts';
import { bench } from './helper.ts';

describe('globs', () => {
  test.each([
    ['*.ts', ['a.ts', '.ts', '.hidden.ts'], ['a.tsx', 'd/a.ts']],
    ['**/*.ts', ['a.ts', 'd/e/a.ts'], ['a.js']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'other/src/a']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
    ['?.[ch]', ['a.c', 'b.h'], ['ab.c', 'a.x', '/.c']],
    ['[!a-c]x', ['dx'], ['ax', '/x']],
    ['*.{js,ts}', ['a.js', 'a.ts'], ['a.jsts', 'a.']],
    ['{a,b{c,d}}', ['a', 'bc', 'bd'], ['b', 'c']],
    ['{src/**,tests/**}', ['src/a', 'src/a/b', 'tests/a/b'], ['src', 'lib/src/a']],
    ['{**/*.ts,**/*.js}', ['a.ts', 'd/a.js', 'd/e/a.ts'], ['a.tsx']],
    ['a/{**/b,c}', ['a/b', 'a/x/y/b', 'a/c'], ['a/x/c']],
    ['a{**/b,c}', ['ax/b', 'ac'], ['ab', 'ax/y/b']],
    ['**,x', ['a,x'], ['a/b,x']],
    ['a.b+(c)', ['a.b+(c)'], ['aXb+(c)']],
    ['{open', ['{open'], ['open']],
    ['[open', ['[open'], ['o']],
    ['[z-a]', ['[z-a]'], ['z']],
    ['\\*', ['*'], ['a']],
  ])('%s', (pattern, yes, no) => {
    const expression = globToRegExp(pattern);
    expect(yes.filter((path) => !expression.test(path))).toEqual([]);
    expect(no.filter((path) => expression.test(path))).toEqual([]);
  });

  test('property: every string is a glob', () => {
    const pattern = fc.string({ unit: fc.constantFrom(...'ab*?[]{}!^-\\/,.()+|$') });
    fc.assert(
      fc.property(pattern, (text) => globToRegExp(text) instanceof RegExp),
      { numRuns: 2_000 },
    );
  });
});

describe('search_files', () => {
  test('names path, line and text, in order of the paths', async () => {
    const { put, run } = bench();
    put('b.txt', 'no\nneedle two\n');
    put('a/x.txt', 'a needle\r\nnothing\r\nNEEDLE\r\n');
    expect(await run('search_files', { pattern: 'needle' })).toEqual({
      success: true,
      output: 'a/x.txt:1: a needle\nb.txt:2: needle two',
      files_modified: [],
    });
    const folded = await run('search_files', { pattern: '^needle$', ignore_case: true });
    expect(folded.output).toBe('a/x.txt:3: NEEDLE');
  });

  test('a byte order mark is no part of the first line', async () => {
    const { put, run } = bench();
    put('a.cs', '\ufeffusing A;\nusing B;\n');
    expect((await run('search_files', { pattern: '^using' })).output).toBe('a.cs:1: using A;\na.cs:2: using B;');
  });

  test('counts what could not be read', async () => {
    const { workspace, put, run } = bench();
    put('a', 'needle');
    const pathOf = (byte: number): Buffer => Buffer.concat([Buffer.from(`${workspace}/`), Buffer.of(byte)]);
    for (const byte of [0xff, 0xfe]) writeFileSync(pathOf(byte), 'needle');
    mkdirSync(pathOf(0xfd));
    expect((await run('search_files', { pattern: 'needle' })).output).toBe(
      'a:1: needle\n[files and directories that could not be read: 3]',
    );
  });

  test('a line break at the end of a file begins no line', async () => {
    const { put, run } = bench();
    put('a.txt', 'one\n\ntwo\n');
    put('b.txt', '');
    put('c.txt', 'three\r\n');
    expect((await run('search_files', { pattern: '^$' })).output).toBe('a.txt:2: ');
  });

  test('a line break in a name makes no second line', async () => {
    const { put, run } = bench();
    put('a\nb.txt:1: made up', 'here\n');
    expect((await run('search_files', { pattern: 'here' })).output).toBe('a\\x0ab.txt:1: made up:1: here');
    expect((await run('search_files', { glob: '*' })).output).toBe('a\\x0ab.txt:1: made up');
  });

  test('literal text, a glob, a directory, a single file, and a glob alone', async () => {
    const { put, run } = bench();
    put('src/a.ts', 'f(x*2)');
    put('src/a.js', 'f(x*2)');
    put('other.ts', 'f(x*2)');
    const literal = { pattern: '(X*', literal: true, ignore_case: true };
    expect((await run('search_files', { ...literal, glob: 'src/*.ts' })).output).toBe('src/a.ts:1: f(x*2)');
    expect((await run('search_files', { ...literal, path: 'src', glob: '*.js' })).output).toBe('src/a.js:1: f(x*2)');
    expect((await run('search_files', { ...literal, path: 'other.ts' })).output).toBe('other.ts:1: f(x*2)');
    expect((await run('search_files', { glob: '*.{ts,md}' })).output).toBe('other.ts\nsrc/a.ts');
    expect((await run('search_files', { pattern: 'absent' })).output).toBe('[nothing found]');
  });

  test('leaves out what git ignores, packages, credentials, binaries, links and large files', async () => {
    const { put, run, outside, workspace } = bench({ fileBytesMax: 1_000 });
    for (const path of ['.git/x', 'node_modules/p/x', '.ssh/x', 'out/x', 'deep/tmp.log', 'seen']) put(path, 'needle');
    put('.gitignore', 'out/\n');
    put('deep/.gitignore', '*.log\n');
    put('binary', Buffer.from('needle\0'));
    put('large', 'needle\n'.repeat(1_000));
    mkdirSync(join(outside, 'elsewhere'));
    writeFileSync(join(outside, 'elsewhere/x'), 'needle');
    symlinkSync(join(outside, 'elsewhere'), join(workspace, 'link'));
    symlinkSync(join(outside, 'elsewhere/x'), join(workspace, 'file-link'));
    expect((await run('search_files', { pattern: 'needle' })).output).toBe(
      'seen:1: needle\n[files over 1000 bytes were left out: 1]',
    );
    const all = await run('search_files', { pattern: 'needle', include_ignored: true });
    expect(all.output).toContain('out/x:1: needle\nseen:1: needle');
    expect(all.output).toContain('deep/tmp.log');
    expect(all.output).not.toMatch(/\.git\/|node_modules|\.ssh|link/);
    expect((await run('search_files', { pattern: 'needle', path: 'link' })).success).toBe(false);
  });

  test('stops at its number of results, also inside one file, and shortens long lines', async () => {
    const { put, run } = bench({ searchResultsMax: 3 });
    put('a', 'x\n'.repeat(2));
    put('b', 'x\n'.repeat(2));
    put('c', 'x'.repeat(5_000));
    const { output } = await run('search_files', { pattern: 'x' });
    expect(output).toBe('a:1: x\na:2: x\nb:1: x\n[more than 3 results; narrow the search]');
    const long = await run('search_files', { pattern: 'x', path: 'c' });
    expect(long.output).toBe(`c:1: ${'x'.repeat(400)}…`);
  });

  test('exactly as many results as allowed are not called too many', async () => {
    const { put, run } = bench({ searchResultsMax: 3 });
    put('a', 'x\n'.repeat(3));
    expect((await run('search_files', { pattern: 'x' })).output).toBe('a:1: x\na:2: x\na:3: x');
  });

  test('a regular expression that would run for ever is stopped, and what was found before stays', async () => {
    const { put, run } = bench({ searchSecondsMax: 2 });
    put('a', 'aaa');
    put('b', `${'a'.repeat(60)}!`);
    const outcome = await run('search_files', { pattern: '^(a|a)+$' });
    expect(outcome.output).toBe('a:1: aaa\n[stopped after 2 s; not everything was searched]');
  });

  test('an abort stops the worker in the middle of a match', async () => {
    const { put, run } = bench();
    put('b', `${'a'.repeat(60)}!`);
    const abort = new AbortController();
    const search = run('search_files', { pattern: '^(a|a)+$' }, abort.signal);
    const reason = new Error('cancelled');
    setTimeout(() => abort.abort(reason), 200);
    await expect(search).rejects.toBe(reason);
  });

  test('a pattern that is none, and a place that is none', async () => {
    const { run } = bench();
    expect((await run('search_files', { pattern: '(' })).output).toContain('no regular expression');
    expect((await run('search_files', { pattern: 'x', path: 'gone' })).output).toBe('"gone" does not exist.');
  });
});
